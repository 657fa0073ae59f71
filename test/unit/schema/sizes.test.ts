import { describe, expect, it } from 'vitest';
import { type Review, reviewSchemas } from '../../../src/schema/review.ts';
import { withoutIgnored } from '../../../src/schema/rules.ts';

const before = `CREATE TABLE public.t (id integer NOT NULL, a integer, gone text);
CREATE TABLE public."Odd.name" (a integer);
CREATE TABLE public.p (a integer) PARTITION BY LIST (a);
CREATE TABLE public.p1 (a integer);
ALTER TABLE ONLY public.p ATTACH PARTITION public.p1 FOR VALUES IN (1);
CREATE DOMAIN public.d AS integer;
CREATE MATERIALIZED VIEW public.m AS SELECT 1 AS a;`;
const after = `CREATE TABLE public.t (id integer NOT NULL, a bigint);
CREATE TABLE public."Odd.name" (a integer);
CREATE TABLE public.p (a integer) PARTITION BY LIST (a);
CREATE TABLE public.p1 (a integer);
ALTER TABLE ONLY public.p ATTACH PARTITION public.p1 FOR VALUES IN (1);
CREATE DOMAIN public.d AS integer CONSTRAINT d_check CHECK (VALUE > 0);
CREATE MATERIALIZED VIEW public.m AS SELECT 1 AS a;
ALTER TABLE ONLY public.t ADD CONSTRAINT t_pkey PRIMARY KEY (id);
ALTER TABLE public."Odd.name" ADD CONSTRAINT positive CHECK (a > 0);
ALTER TABLE public.p ADD CONSTRAINT few CHECK (a < 9);
CREATE INDEX by_a ON public.t USING btree (a);
CREATE INDEX of_m ON public.m USING btree (a);`;

const { signal } = new AbortController();
const review = (sizes: Record<string, number>, bytes = 1024) =>
  reviewSchemas({
    ...{ before, after, signal },
    ignoreBelow: bytes,
    readSizes: () => Promise.resolve(new Map(Object.entries(sizes))),
  });
const aboutSmall = ({ findings }: Review) => findings.flatMap(({ object, isSmall }) => (isSmall ? [object] : []));
const large = 12 * 1024 ** 3;
const small = 1023;

describe('sizes of tables', () => {
  it('decide which locking findings count, whatever is locked: a column, a key, an index, a materialized view', async () => {
    const everything = { 'public.t': small, 'public."Odd.name"': small, 'public.p': small, 'public.m': small };
    const all = await review(everything);
    expect(withoutIgnored(all.findings).findings.map(({ rule, object }) => `${rule} ${object}`)).toEqual([
      'drop-column public.t.gone',
      'add-check public.d.d_check',
    ]);
    expect(aboutSmall(all).sort()).toEqual([
      'public."Odd.name".positive',
      'public.by_a',
      'public.of_m',
      'public.p.few',
      'public.t.a',
      'public.t.t_pkey',
    ]);
  });

  it('are part of the detail of locking findings only', async () => {
    const all = await review({ 'public.t': large });
    expect(aboutSmall(all)).toEqual([]);
    const details = Object.fromEntries(all.findings.map(({ object, detail }) => [object, detail]));
    expect(details).toMatchObject({
      'public.t.gone': 'text',
      'public.t.a': 'integer → bigint; 12 GB',
      'public.by_a': 'on public.t (a); blocks writes unless created CONCURRENTLY; 12 GB',
      // Of unknown size.
      'public.of_m': 'on public.m (a); blocks writes unless created CONCURRENTLY',
    });
  });

  it.each([
    [0, '0 kB'],
    [1024 ** 2 - 1, '1023 kB'],
    [11.9 * 1024 ** 3, '11 GB'],
  ])('are written for people: %j', async (bytes, words) => {
    const { findings } = await review({ 'public.t': bytes }, -1);
    expect(findings.find(({ object }) => object === 'public.t.a')?.detail).toBe(`integer → bigint; ${words}`);
  });

  it('include the limit itself: a table as large as the limit counts', async () => {
    expect(aboutSmall(await review({ 'public.t': 1024 }))).toEqual([]);
    expect(aboutSmall(await review({ 'public.t': 1023 }))).toContain('public.t.a');
  });

  it('are not read if nothing is locked', async () => {
    const readSizes = () => Promise.reject(new Error('not to be called'));
    const same = await reviewSchemas({
      ...{ before, after: before.replace(', gone text', ''), signal },
      ignoreBelow: 1,
      readSizes,
    });
    expect(same.findings.map(({ rule }) => rule)).toEqual(['drop-column']);
  });
});
