import { describe, expect, it } from 'vitest';
import { reviewSchemas } from '../../../src/schema/review.ts';

const signal = new AbortController().signal;
async function found(before: string, after: string): Promise<string[]> {
  const { findings } = await reviewSchemas({ before, after, signal });
  return findings.map(({ rule, object, detail }) => `${rule} ${object}${detail && `: ${detail}`}`);
}

const domains = `
CREATE DOMAIN public.filled AS text NOT NULL\n\tCONSTRAINT c CHECK ((VALUE <> ''::text));
CREATE DOMAIN public.title AS public.filled;
`;
const table = (...types: string[]) =>
  `${domains}CREATE TABLE public.t (\n    ${types.map((type, at) => `c${at} ${type}`).join(',\n    ')}\n);\n`;

describe('a domain of a domain', () => {
  it('has the constraints of both', async () => {
    expect(await found(table('text'), table('public.title'))).toEqual([
      'convert-type public.t.c0: text → public.title',
    ]);
    expect(await found(table('text'), table('text', 'public.title'))).toEqual([
      'add-not-null-column public.t.c1: public.title',
    ]);
  });

  it('is no change from the domain inside', async () => {
    expect(await found(table('public.filled'), table('public.title'))).toEqual([]);
    expect(await found(table('public.title'), table('public.filled'))).toEqual([]);
  });
});

describe('a column that had a domain with constraints', () => {
  it.each(['public.filled', 'public.title'])('loses them: %s', async (domain) => {
    expect(await found(table(domain), table('text'))).toEqual([
      'drop-constraint public.t.c0: of the domain public.filled',
    ]);
  });
});

describe('a domain that changes itself', () => {
  it('is not found again for each column', async () => {
    const before = table('public.title')
      .replace(' NOT NULL', '')
      .replace(/\n\tCONSTRAINT .*;/, ';');
    expect(await found(before, table('public.title'))).toEqual([
      'set-not-null public.filled: domain',
      'add-check public.filled.c: domain',
    ]);
    expect(await found(table('public.title'), before)).toEqual([
      'drop-not-null public.filled: domain',
      'drop-constraint public.filled.c: domain',
    ]);
  });
});
