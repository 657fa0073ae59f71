import { describe, expect, it } from 'vitest';
import { reviewSchemas } from '../../../src/schema/review.ts';
import { found } from './found.ts';

const { signal } = new AbortController();
const table = 'CREATE TABLE public.t (\n    id integer\n);\n';

describe('a review', () => {
  it('has the most serious findings first', async () => {
    const before = `${table}CREATE VIEW public.v AS\n SELECT 1 AS a;\nCREATE TABLE public.u (\n    id integer\n);\n`;
    const after = `${table}CREATE INDEX i ON public.t USING btree (id);\nGRANT SELECT ON TABLE public.t TO dev;\n`;
    expect(await found(before, after)).toEqual([
      'drop-table public.u',
      'grant public.t: SELECT to dev',
      'drop-view public.v',
      'add-index public.i: on public.t (id); blocks writes unless created CONCURRENTLY',
    ]);
  });

  it('says so if the parser crashed', async () => {
    // Too deep for the stack of any thread.
    const deep = `SELECT ${'1+'.repeat(200_000)}1;\n`;
    expect(await reviewSchemas({ before: table, after: deep, signal })).toEqual({
      findings: [],
      incomplete: 'the SQL parser crashed',
    });
  });

  it('reads long lines of signs in comments and strings', async () => {
    const lines = `/${'*'.repeat(5_000)}/\n-- ${'-'.repeat(5_000)}\nCOMMENT ON TABLE public.t IS '${'='.repeat(5_000)}';\n`;
    const boxes = `/*${'*'.repeat(80)}*/\n-- +${'-'.repeat(40)}+\n`.repeat(2_000);
    expect(await found(table, `${table}${lines}${boxes}CREATE TABLE public.u (\n    id integer\n);\n`)).toEqual([]);
  });

  it("ends with the signal's reason", async () => {
    const reason = new Error('The step was cancelled');
    const review = reviewSchemas({ before: table, after: '', signal: AbortSignal.abort(reason) });
    await expect(review).rejects.toBe(reason);
  });
});
