import { expect, it } from 'vitest';
import { reviewSchemas } from '../../../src/schema/review.ts';

const findings = async (before: string, after: string) =>
  (await reviewSchemas({ before, after, signal: new AbortController().signal })).findings;
const table = (...columns: string[]) => `CREATE TABLE public.t (\n    ${columns.join(',\n    ')}\n);`;

it.each([
  ['json', 'jsonb', 'json → jsonb'],
  ['"char"', 'integer', '"char" → integer'],
  ['character(3)', 'integer', 'character(3) → integer'],
  ['public."Mood"', 'integer', 'public."Mood" → integer'],
  ['timestamp(3) with time zone', 'integer', 'timestamp(3) with time zone → integer'],
  ['interval(3)', 'integer', 'interval(3) → integer'],
  ['numeric(10,2)[]', 'integer', 'numeric(10,2)[] → integer'],
])('writes type %s as SQL does', async (before, after, detail) => {
  expect(await findings(table(`n ${before}`), table(`n ${after}`))).toEqual([
    { rule: 'convert-type', object: 'public.t.n', detail },
  ]);
});

it.each([
  ['CHECK ((VALUE > 0))', ['rewrite-type']],
  ['DEFAULT 1 NOT NULL', ['rewrite-type']],
  ['NOT NULL', ['add-not-null-column']],
  ['DEFAULT random()', ['volatile-default']],
  ['DEFAULT 1', []],
  ['', []],
])('knows what a new column with a domain does, if it has %s', async (constraint, rules) => {
  const domain = `CREATE DOMAIN public.d AS integer ${constraint};\n`;
  const found = await findings(domain + table('id integer'), domain + table('id integer', 'n public.d'));
  expect(found.map(({ rule }) => rule)).toEqual(rules);
});
