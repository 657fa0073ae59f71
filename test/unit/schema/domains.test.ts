import { describe, expect, it } from 'vitest';
import { found } from './found.ts';

const domains = `
CREATE DOMAIN public.filled AS text NOT NULL\n\tCONSTRAINT c CHECK ((VALUE <> ''::text));
CREATE DOMAIN public.title AS public.filled;
`;
const table = (...types: string[]) =>
  `${domains}CREATE TABLE public.t (\n    ${types.map((type, at) => `c${at} ${type}`).join(',\n    ')}\n);\n`;

describe('a domain with a collation', () => {
  it('sorts its columns', async () => {
    const domain = 'CREATE DOMAIN public.d AS text COLLATE pg_catalog."C";\n';
    const t = (type: string) => `${domain}CREATE TABLE public.t (\n    n ${type}\n);\n`;
    expect(await found(t('text'), t('public.d'))).toEqual(['rewrite-type public.t.n: text → public.d']);
    expect(await found(t('text COLLATE pg_catalog."C"'), t('public.d'))).toEqual([]);
  });
});

describe('a domain of a domain', () => {
  it('has the constraints of both', async () => {
    expect(await found(table('text'), table('public.title'))).toEqual([
      'rewrite-type public.t.c0: text → public.title',
    ]);
    expect(await found(table('text'), table('text', 'public.title'))).toEqual([
      'add-not-null-column public.t.c1: public.title',
      'rewrite-type public.t.c1: public.title, a domain with constraints',
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
      'drop-constraint public.t.c0: without the checks of public.filled',
    ]);
  });
});

describe('a domain', () => {
  const domain = (name: string, base: string, more = '') => `CREATE DOMAIN public.${name} AS ${base}${more};\n`;
  const column = (type: string) => `CREATE TABLE public.t (\n    n ${type}\n);\n`;
  const between = (before: string, after: string, domains: string) =>
    found(domains + column(before), domains + column(after));

  it('is compared by the type that it is made of', async () => {
    const plain = domain('d', 'bigint');
    expect(await between('public.d', 'bigint', plain)).toEqual([]);
    expect(await between('integer', 'public.d', plain)).toEqual(['rewrite-type public.t.n: integer → public.d']);
    const strict = domain('d', 'integer', ' CHECK ((VALUE > 0))');
    expect(await between('integer', 'public.d', strict)).toEqual(['rewrite-type public.t.n: integer → public.d']);
    expect(await between('bigint', 'public.d', strict)).toEqual(['narrow-type public.t.n: bigint → public.d']);
    expect(await between('integer', 'public.d', domain('d', 'integer', ' NOT NULL'))).toHaveLength(1);
  });

  it('may be made of an array, or be in one', async () => {
    const list = domain('d', 'integer[]') + domain('e', 'public.d');
    for (const one of ['public.d', 'public.e']) {
      expect(await between(one, 'integer[]', list)).toEqual([]);
      expect(await between(one, 'integer', list)).toEqual([`convert-type public.t.n: ${one} → integer`]);
    }
    const nested = domain('d', 'integer') + domain('e', 'public.d[]') + domain('f', 'public.d');
    expect(await between('public.e', 'integer[]', nested)).toEqual([]);
    expect(await between('public.f[]', 'integer[]', nested)).toEqual([]);
    const plain = domain('d', 'integer');
    expect(await between('public.d[]', 'integer[]', plain)).toEqual([]);
    expect(await between('public.d[]', 'integer', plain)).toEqual(['convert-type public.t.n: public.d[] → integer']);
  });

  it('loses only the constraints that the new domain lacks', async () => {
    const domains = domain('a', 'integer', ' NOT NULL') + domain('b', 'public.a', ' CHECK ((VALUE > 0))');
    expect(await between('public.b', 'public.a', domains)).toEqual([
      'drop-constraint public.t.n: without the checks of public.b',
    ]);
    expect(await between('public.b', 'integer', domains)).toEqual([
      'drop-constraint public.t.n: without the checks of public.b, public.a',
    ]);
  });

  it('ends the review even if it is made of itself', async () => {
    const circle = domain('a', 'public.b') + domain('b', 'public.a');
    expect(await between('public.a', 'integer', circle)).toHaveLength(1);
  });
});

describe('a domain that changes itself', () => {
  it('is not reported again for each column', async () => {
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
  it('is reported with what it loses or gains', async () => {
    const d = (more: string) => `CREATE DOMAIN public.d AS integer${more};\n`;
    const check = (name: string, more = '') =>
      `ALTER DOMAIN public.d\n    ADD CONSTRAINT ${name} CHECK ((VALUE > 0))${more};\n`;
    expect(await found(d(' DEFAULT 1'), d(''))).toEqual(['drop-default public.d: domain']);
    expect(await found(d(' DEFAULT 1'), d(' DEFAULT 2'))).toEqual([]);
    expect(await found(d(' NOT NULL'), d(' NOT NULL'))).toEqual([]);
    expect(await found(d(''), d('') + check('c'))).toEqual(['add-check public.d.c: domain']);
    expect(await found(d(''), d('') + check('c', ' NOT VALID'))).toEqual([]);
    expect(await found(d('') + check('c'), d('') + check('renamed'))).toEqual([]);
    expect(await found(d(' NOT NULL') + check('c'), '')).toEqual(['drop-type public.d']);
  });
});
