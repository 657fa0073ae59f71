import { duration } from '../text/format.ts';
import { plain, sentence } from '../text/markdown.ts';
import type { Facts } from './action.ts';

/** The job summary of a step, as Markdown: how it ended, and the action's own parts. */
export function summarize(options: {
  title: string;
  facts: Facts;
  failure: string | undefined;
  /** Duration of the step. */
  ms: number;
  parts: string[];
}): string {
  const { title, facts, failure, ms, parts } = options;
  const head =
    failure === undefined
      ? `${sentence(facts.done.replace(/\.$/, ''))}. The step took ${duration(ms)}.`
      : `❌ **Failed** after ${duration(ms)}. ${asList(failure)}`;
  const all = [`### Database branch: ${plain(title)}`, head, ...parts];
  return `${all.join('\n\n')}\n`;
}

/** A failure of several lines, such as invalid inputs, as a list below its first line. */
function asList(failure: string): string {
  const [first = '', ...rest] = failure.split('\n');
  const lines = rest.map((line) =>
    line.startsWith('- ') ? `- ${sentence(line.slice('- '.length))}` : `\n${sentence(line)}`,
  );
  return [sentence(first), lines.join('\n')].filter(Boolean).join('\n\n');
}
