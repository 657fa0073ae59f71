import { describe, expect, it } from 'vitest';
import { schemaReader } from '../../../src/schema/read-schema.ts';
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

  it('of a schema that is too large says so, unless nothing changed', async () => {
    const large = ' '.repeat(64_000_001);
    const incomplete = 'the schema is too large (64,000,001 characters)';
    expect(await reviewSchemas({ before: large, after: '', read: schemaReader(signal) })).toEqual({
      findings: [],
      incomplete,
    });
    expect(await reviewSchemas({ before: '', after: large, read: schemaReader(signal) })).toEqual({
      findings: [],
      incomplete,
    });
    expect(await reviewSchemas({ before: large, after: large, read: schemaReader(signal) })).toEqual({
      findings: [],
    });
  });

  it('says so if the parser crashed', async () => {
    // Too deep for the stack of any thread.
    const deep = `SELECT ${'1+'.repeat(200_000)}1;\n`;
    expect(await reviewSchemas({ before: table, after: deep, read: schemaReader(signal) })).toEqual({
      findings: [],
      incomplete: 'the SQL parser crashed',
    });
  });

  it.each([
    ['comments', '/*'.repeat(8_000)],
    ['comments, in a function', `CREATE FUNCTION f() RETURNS int LANGUAGE sql AS $$ ${'/*'.repeat(8_000)} $$;\n`],
    ['comments between operators', `SELECT 1 ${'=/**/'.repeat(8_000)} 1;\n`],
    ['signs', `SELECT 1 ${'+'.repeat(16_000)} 1;\n`],
    ['groups of comments', `SELECT 1 ${`${'/*'.repeat(1_500)} `.repeat(8)};\n`],
  ])('says so instead of parsing if the parser would take too long for %s', async (_, slow) => {
    expect(await reviewSchemas({ before: table, after: `${table}${slow}`, read: schemaReader(signal) })).toEqual({
      findings: [],
      incomplete:
        "the schema has thousands of comment markers or operators without spaces between them, which the SQL parser can't read in time",
    });
  });

  it('reads long lines of signs in comments and strings', async () => {
    const lines = `/${'*'.repeat(5_000)}/\n-- ${'-'.repeat(5_000)}\nCOMMENT ON TABLE public.t IS '${'='.repeat(5_000)}';\n`;
    const boxes = `/*${'*'.repeat(80)}*/\n-- +${'-'.repeat(40)}+\n`.repeat(2_000);
    expect(await found(table, `${table}${lines}${boxes}CREATE TABLE public.u (\n    id integer\n);\n`)).toEqual([]);
  });

  it("ends with the signal's reason", async () => {
    const reason = new Error('The step was cancelled');
    const review = reviewSchemas({ before: table, after: '', read: schemaReader(AbortSignal.abort(reason)) });
    await expect(review).rejects.toBe(reason);
  });

  it('parses each schema once, however many questions are asked about it', async () => {
    const read = schemaReader(signal);
    const [before, other] = [await read(table), await read(`${table}${table.replace('.t', '.u')}`)];
    expect(await read(table)).toBe(before);
    expect(other).not.toBe(before);
  });
});
