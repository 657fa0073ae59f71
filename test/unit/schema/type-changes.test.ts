import { describe, expect, it } from 'vitest';
import type { Type } from '../../../src/schema/type.ts';
import { type TypeChange, typeChange } from '../../../src/schema/type.ts';

/** A type by Postgres' internal name: `varchar(10)[]`. */
function type(text: string): Type {
  const [, name = '', list, array, collation = ''] =
    /^([^([ ]+)(?:\((.+)\))?(\[\])?(?: COLLATE (.+))?$/.exec(text) ?? [];
  return { name, modifiers: list?.split(',').map(Number) ?? [], isArray: array !== undefined, collation };
}

/** `int4 → int8`, and what that does. */
const changes = (expected: TypeChange, ...pairs: string[]) => pairs.map((pair) => [pair, expected] as const);

describe('a change of a type', () => {
  it.each([
    ...changes('none', 'int4 → int4', 'text[] → text[]', 'numeric(10,2) → numeric(10,2)'),
    ...changes('convert', 'int4 → date', 'bool → int4', 'text → int4'),
    ...changes('convert', 'text → numeric'),
  ])('%s: %s', check);
});

describe('a change of a length or precision', () => {
  it.each([
    ...changes('none', 'varchar(10) → varchar(20)', 'varchar(10) → varchar', 'varbit(8) → varbit'),
    ...changes('none', 'bpchar(5) → bpchar', 'public.vector(3) → public.vector'),
    ...changes('narrow', 'varchar(20) → varchar(10)', 'varchar → varchar(10)', 'varbit → varbit(8)'),
    ...changes('rewrite', 'bpchar(3) → bpchar(5)'),
    // Without a length, `bpchar` has no limit; `character` is `bpchar(1)`.
    ...changes('narrow', 'bpchar(5) → bpchar(3)', 'bpchar → bpchar(5)', 'bpchar → varchar(5)'),
    ...changes('none', 'timestamp(3) → timestamp', 'timestamp → timestamp(6)', 'timestamptz(3) → timestamptz(6)'),
    ...changes('narrow', 'timestamp → timestamp(3)', 'time → time(0)', 'timetz → timetz(2)'),
    ...changes('none', 'time(0) → time(2)', 'timetz(2) → timetz', 'interval(32767,3) → interval'),
    ...changes('narrow', 'interval → interval(32767,3)', 'interval(32767,3) → interval(32767,2)'),
    // Postgres rejects every value of another length.
    ...changes('convert', 'bit(3) → bit(5)', 'public.vector(3) → public.vector(5)'),
  ])('%s: %s', check);
});

describe('a change of a collation', () => {
  it.each([
    ...changes('none', 'text COLLATE a → text COLLATE a', 'varchar(9) COLLATE a → text COLLATE a'),
    ...changes('rewrite', 'text → text COLLATE a', 'text COLLATE a → text', 'text COLLATE a → text COLLATE b'),
    ...changes('rewrite', 'varchar(9) COLLATE a → text', 'text[] → text[] COLLATE a'),
    ...changes('narrow', 'text → varchar(9) COLLATE a'),
  ])('%s: %s', check);
});

describe('a change of the digits of a numeric', () => {
  it.each([
    ...changes('none', 'numeric(10,2) → numeric(12,2)', 'numeric(10,2) → numeric', 'numeric(5) → numeric(6,0)'),
    ...changes('rewrite', 'numeric(10,2) → numeric(12,3)'),
    ...changes('narrow', 'numeric(10,2) → numeric(10,3)', 'numeric(10,2) → numeric(9,2)', 'numeric → numeric(10,2)'),
    ...changes('narrow', 'numeric(10,2) → numeric(12,1)'),
  ])('%s: %s', check);
});

describe('a change to a type of the same family', () => {
  it.each([
    ...changes('rewrite', 'int2 → int4', 'int2 → float4', 'int4 → int8', 'int4 → float8', 'float4 → float8'),
    ...changes('narrow', 'int4 → int2', 'int8 → int4', 'int8 → float8', 'int4 → float4', 'float8 → float4'),
    ...changes('rewrite', 'int4 → numeric', 'int4 → numeric(10)', 'int2 → numeric(7,2)', 'int8 → numeric(19)'),
    ...changes(
      'narrow',
      'int4 → numeric(9)',
      'int2 → numeric(6,2)',
      'int8 → numeric(18)',
      'numeric → int8',
      'float8 → numeric',
    ),
    ...changes('rewrite', 'date → timestamp', 'date → timestamp(0)', 'jsonb → json', 'bit(3) → varbit(3)'),
    ...changes('narrow', 'timestamp → date', 'bit(3) → varbit(2)', 'inet → cidr'),
    ...changes('none', 'cidr → inet'),
    ...changes('convert', 'date → timestamptz'),
  ])('%s: %s', check);
});

describe('a change to a text type', () => {
  it.each([
    ...changes('none', 'varchar(10) → text', 'text → varchar', 'public.citext → extensions.citext'),
    ...changes('rewrite', 'public.citext → text', 'text → public.citext', 'json → jsonb', 'text → json'),
    ...changes('rewrite', 'int4 → text', 'uuid → text', 'uuid → varchar', 'bpchar(3) → text', 'bpchar(3) → varchar(3)'),
    ...changes('narrow', 'text → varchar(10)', 'bpchar(3) → varchar(2)', 'uuid → varchar(36)', 'int4 → bpchar(5)'),
    ...changes('narrow', 'public.citext → varchar(10)', 'text → bpchar(5)'),
  ])('%s: %s', check);
});

describe('a change of an array', () => {
  it.each([
    ...changes('convert', 'int4 → int4[]', 'int4[] → int4', 'text → text[]', 'text[] → varchar(10)'),
    ...changes('rewrite', 'int4[] → text', 'text[] → varchar'),
    ...changes('none', 'varchar(10)[] → varchar[]'),
    // Postgres reads every element.
    ...changes('rewrite', 'varchar(10)[] → varchar(20)[]', 'text[] → varchar[]', 'int4[] → int8[]'),
    ...changes('narrow', 'varchar(20)[] → varchar(10)[]', 'int8[] → int4[]'),
    ...changes('convert', 'uuid[] → text[]', 'uuid[] → varchar(36)[]'),
  ])('%s: %s', check);
});

describe('a user-defined type', () => {
  it.each([
    ...changes('convert', 'public.mood → int4', 'public.constructor → int4', 'int4 → public.constructor'),
    ...changes('rewrite', 'public.constructor → text'),
  ])('may have any name: %s: %s', check);
});

function check(pair: string, expected: TypeChange): void {
  const [from = '', to = ''] = pair.split(' → ');
  expect(typeChange(type(from), type(to))).toBe(expected);
}
