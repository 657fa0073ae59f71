import { describe, expect, it } from 'vitest';
import { ruleTexts } from '../../../src/schema/rule-texts.ts';
import { found } from './found.ts';

const table = (...columns: string[]) => `CREATE TABLE public.t (\n    ${columns.join(',\n    ')}\n);\n`;
const constraint = (text: string, name = 'c', on = 't') =>
  `ALTER TABLE ONLY public.${on}\n    ADD CONSTRAINT ${name} ${text};\n`;
const index = (text: string, name = 'i', on = 't') => `CREATE INDEX ${name} ON public.${on} USING btree ${text};\n`;
const unique = (text: string, name = 'i') => index(text, name).replace('INDEX', 'UNIQUE INDEX');
const both = table('id integer', 'n integer');

describe('a new constraint', () => {
  it.each([
    ['UNIQUE (n, id)', 'add-unique public.t.c: (n, id)'],
    ['CHECK ((n > 0))', 'add-check public.t.c: (n)'],
    ['CHECK (true)', 'add-check public.t.c'],
  ])('is reported with its columns: %s', async (text, finding) => {
    expect(await found(both, both + constraint(text))).toEqual([finding]);
  });

  it('is not reported if it is the old one under another name, or not yet validated', async () => {
    const [old, renamed] = [constraint('CHECK ((n > 0))'), constraint('CHECK ((n > 0))', 'other')];
    expect(await found(both + old, both + renamed)).toEqual([]);
    const unvalidated = constraint('CHECK ((n > 0)) NOT VALID');
    expect(await found(both, both + unvalidated)).toEqual([]);
    // Validation reads the rows without a lock that blocks anyone.
    expect(await found(both + unvalidated, both + old)).toEqual([]);
  });

  it('may use a unique index that is there, but no other index', async () => {
    const keys = [
      constraint('UNIQUE (n)'),
      constraint('PRIMARY KEY (n)'),
      constraint('EXCLUDE USING btree (n WITH =)'),
    ];
    // The constraint takes the index over, which has its name then.
    const rules = async (before: string) =>
      Promise.all(keys.map(async (key) => (await found(both + before, both + key)).join().split(' ')[0]));
    expect(await rules(unique('(n)', 'c'))).toEqual(['', 'set-not-null', 'add-exclusion']);
    expect(await found(both + unique('(n)'), both + constraint('UNIQUE (n)'))).toEqual([
      'add-unique public.t.c: (n); built anew unless it took over the index i',
    ]);
    expect(await rules(index('(n)'))).toEqual(['add-unique', 'set-not-null', 'add-exclusion']);
    // One that is still there was not taken over.
    expect(await found(both + unique('(n)'), both + unique('(n)') + constraint('UNIQUE (n)'))).toEqual([
      'add-unique public.t.c: (n)',
    ]);
    const foreign = constraint('FOREIGN KEY (n) REFERENCES public.u(id)');
    expect(await found(both + unique('(n)'), both + unique('(n)') + foreign)).toEqual([
      'add-foreign-key public.t.c: (n)',
    ]);
    expect(await rules(unique('(id)'))).toEqual(['add-unique', 'set-not-null', 'add-exclusion']);
  });
});

describe('a constraint that is gone', () => {
  it.each([
    ['UNIQUE (n)', 'drop-constraint public.t.c: unique'],
    ['EXCLUDE USING btree (n WITH =)', 'drop-constraint public.t.c: exclusion'],
    ['FOREIGN KEY (n) REFERENCES public.u(id)', 'drop-foreign-key public.t.c: foreign key'],
  ])('is reported with its kind: %s', async (text, finding) => {
    expect(await found(both + constraint(text), both)).toEqual([finding]);
  });

  it('is one finding with what replaced it', async () => {
    expect(await found(both + constraint('CHECK ((n > 0))'), both + constraint('CHECK ((n > 1))'))).toEqual([
      'add-check public.t.c: (n); changed',
    ]);
  });
});

describe('an index', () => {
  it.each([
    ['(id, n)', 'on public.t (id, n)'],
    ['(id) INCLUDE (n)', 'on public.t (id, n)'],
    ['(lower(n))', 'on public.t'],
  ])('is reported with its table and columns: %s', async (columns, on) => {
    expect(await found(both, both + index(columns))).toEqual([
      `add-index public.i: ${on}; blocks writes unless created CONCURRENTLY`,
    ]);
    expect(await found(both, both + unique(columns))).toEqual([
      `add-unique public.i: ${on}; blocks writes unless created CONCURRENTLY`,
    ]);
    expect(await found(both + index(columns), both)).toEqual([`drop-index public.i: ${on}`]);
  });

  it('that a constraint replaces is no loss if the constraint is on the same columns', async () => {
    expect(await found(both + unique('(n)'), both + constraint('UNIQUE (n)', 'i'))).toEqual([]);
    expect(await found(both + unique('(n)'), both + constraint('PRIMARY KEY (n)', 'i'))).toEqual([
      'set-not-null public.t.n',
    ]);
    for (const replaced of [constraint('UNIQUE (id, n)'), constraint('FOREIGN KEY (n) REFERENCES public.u(id)')])
      expect(await found(both + unique('(n)'), both + replaced)).toContain(
        'drop-index public.i: on public.t (n); duplicates are now allowed',
      );
    expect(await found(both + index('(n)'), both + constraint('UNIQUE (n)'))).toEqual([
      'add-unique public.t.c: (n)',
      'drop-index public.i: on public.t (n)',
    ]);
  });
});

describe('the index of a materialized view', () => {
  const view = 'CREATE MATERIALIZED VIEW public.m AS\n SELECT 1 AS a\n  WITH NO DATA;\n';
  const on = index('(a)', 'i', 'm');

  it('is reported like that of a table', async () => {
    expect(await found(view, view + on)).toEqual([
      'add-index public.i: on public.m (a); blocks writes unless created CONCURRENTLY',
    ]);
    expect(await found(view + on, view)).toEqual(['drop-index public.i: on public.m (a)']);
    expect(await found(view + on, view + on.replace('INDEX i', 'INDEX j'))).toEqual([]);
  });

  it('comes and goes with the view', async () => {
    expect(await found('', view + on)).toEqual([]);
    expect(await found(view + on, '')).toEqual(['drop-materialized-view public.m']);
  });
});

describe('a column', () => {
  const parts = (column: string) => [
    constraint(`UNIQUE (${column})`),
    constraint(`CHECK ((${column} > 0))`),
    constraint(`FOREIGN KEY (${column}) REFERENCES public.u(id)`),
    index(`(${column})`),
  ];

  it.each(['n', '"userId"', '"a""b"', '"order"'])(
    '%s that is gone takes its constraints and indexes along',
    async (n) => {
      const before = table('id integer', `${n} integer`);
      for (const part of parts(n))
        expect(await found(before + part, table('id integer'))).toEqual([`drop-column public.t.${n}: integer`]);
    },
  );

  it.each([
    ['n', 'm'],
    ['"userId"', '"authorId"'],
    ['"a""b"', '"c""d"'],
  ])('%s that is renamed keeps them', async (old, fresh) => {
    const before = table('id integer', `${old} integer`, 'last integer');
    const after = table('id integer', `${fresh} integer`, 'last integer');
    for (const [position, part] of parts(old).entries())
      expect(await found(before + part, after + parts(fresh)[position])).toEqual([
        `rename-column public.t.${old}: now public.t.${fresh}`,
      ]);
  });

  it('that is renamed may lose them nevertheless', async () => {
    const [before, after] = [table('n integer', 'id integer'), table('m integer', 'id integer')];
    const lost = await found(before + index('(n)') + constraint('UNIQUE (n)'), after);
    expect(lost.slice(1)).toEqual(['drop-constraint public.t.c: unique', 'drop-index public.i: on public.t (m)']);
  });

  it('that is gone is not all of a composite key or index', async () => {
    const key = constraint('PRIMARY KEY (id, n)') + index('(id, n)');
    expect(await found(table('id integer NOT NULL', 'n integer NOT NULL') + key, table('id integer NOT NULL'))).toEqual(
      [
        'drop-column public.t.n: integer',
        'drop-constraint public.t.c: primary key',
        'drop-index public.i: on public.t (id, n)',
      ],
    );
  });
});

describe('a partition', () => {
  const named = (name: string) => table('id integer').replace('.t', `.${name}`);
  const parted = (name: string) => named(name).replace(');', ')\nPARTITION BY RANGE (id);');
  const attach = (parent: string, part: string) =>
    `ALTER TABLE ONLY public.${parent} ATTACH PARTITION public.${part} FOR VALUES FROM (1) TO (2);\n`;
  const check = (on: string) => constraint('CHECK ((id > 0))', 'c', on);
  const tables = parted('a') + parted('b') + named('c');
  const attached = tables + attach('a', 'b') + attach('b', 'c');

  it('that is detached has the constraints of every table above as its own, which are not new', async () => {
    const detached = tables + attach('a', 'b');
    expect(await found(attached + check('a'), detached + check('a') + check('c'))).toEqual([
      'detach-partition public.c: detached from public.b',
    ]);
    expect(await found(tables + check('a'), tables + check('a') + check('c'))).toEqual(['add-check public.c.c: (id)']);
  });

  it('has no findings of its own about what changes for the whole table', async () => {
    const all = check('a') + check('b') + check('c');
    expect(await found(attached, attached + all)).toEqual(['add-check public.a.c: (id)']);
    expect(await found(attached + all, attached)).toEqual(['drop-constraint public.a.c: check']);
    expect(await found(attached, attached + check('b') + check('c'))).toEqual(['add-check public.b.c: (id)']);
    expect(await found(attached, attached + check('c'))).toEqual(['add-check public.c.c: (id)']);
    expect(await found(attached, attached + check('a') + check('c').replace('> 0', '> 1'))).toEqual([
      'add-check public.a.c: (id)',
      'add-check public.c.c: (id)',
    ]);
  });

  it('has indexes that are parts of those of the whole table, and are reported with them', async () => {
    const indexes = index('(id)', 'ia', 'a') + index('(id)', 'ib', 'b');
    const part = 'ALTER INDEX public.ia ATTACH PARTITION public.ib;\n';
    expect(await found(attached, attached + indexes + part)).toEqual([
      'add-index public.ia: on public.a (id); blocks writes unless created CONCURRENTLY',
    ]);
    expect(await found(attached + indexes + part, attached)).toEqual(['drop-index public.ia: on public.a (id)']);
    // ON ONLY the partitioned table, each is empty.
    expect(await found(attached, attached + indexes)).toEqual([]);
    const whole = index('(id)', 'ia', 'a');
    expect(await found(attached + whole, attached + indexes + part)).toEqual([]);
    expect(await found(attached + indexes + part, attached + whole)).toEqual([
      'drop-index public.ib: on public.b (id)',
    ]);
  });

  it('of a table that the parser does not know has its own findings', async () => {
    const orphan = named('c') + attach('unknown', 'c');
    expect(await found(orphan, orphan + check('c'))).toEqual(['add-check public.c.c: (id)']);
  });

  it('ends the review even if it is a partition of itself', async () => {
    const circle = attached + attach('b', 'a');
    expect(await found(circle, circle + check('c'))).toEqual(['add-check public.c.c: (id)']);
  });
});

describe('a new index', () => {
  it('is said once to block no writes if created CONCURRENTLY: in the detail, not in why that matters', () => {
    for (const rule of ['add-index', 'add-unique'] as const) {
      expect(ruleTexts[rule].why).not.toContain('CONCURRENTLY');
    }
  });
});
