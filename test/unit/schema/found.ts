import { reviewSchemas } from '../../../src/schema/review.ts';

/** What the review finds, a line each: `drop-column public.t.n: integer`. */
export async function found(before: string, after: string): Promise<string[]> {
  const { findings } = await reviewSchemas({ before, after, signal: new AbortController().signal });
  return findings.map(({ rule, object, detail }) => `${rule} ${object}${detail && `: ${detail}`}`);
}
