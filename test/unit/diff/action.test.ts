import { describe, expect, it } from 'vitest';
import { diff as action } from '../../../src/diff/action.ts';
import { schedule } from '../../../tools/runner/events.ts';
import { Account } from '../../support/account.ts';
import { runInProcess } from '../../support/action.ts';
import type { Sent } from '../../support/mock-api.ts';

const name = 'preview/pr-7';
const table = (column: string) => `CREATE TABLE public.t (\n    ${column}\n);\n`;
const before = table('a bigint');
const after = table('a integer');
const changed =
  '--- a/neondb\n+++ b/neondb\n@@ -1,3 +1,3 @@\n CREATE TABLE public.t (\n-    a bigint\n+    a integer\n );\n';

/** Which branch's schemas were read, and with what query. */
const schemasRead = (sent: Sent[]) =>
  sent
    .flatMap((one) => {
      const [, id] = /\/branches\/([^/]+)\/schema\?/.exec(one.path) ?? [];
      return id === undefined ? [] : [[id, queryOf(one)] as const];
    })
    .sort(([a], [b]) => a.localeCompare(b));
const queryOf = ({ path }: Sent) => Object.fromEntries(new URL(path, 'https://h').searchParams);

/** A project with pull request 7's branch, whose column became narrower. Databases by branch ID can differ. */
function account(
  databases: Record<string, string[]> = {},
  fields: object = {},
  schema: Parameters<Account['on']>[1] = (_: Sent, id: string) => ({ body: { sql: id === 'br-1' ? after : before } }),
): Account {
  const made = new Account();
  made.add({ name, ...fields });
  made.on('GET /branches/*/databases', (_, id) => ({
    body: { databases: (databases[id] ?? ['neondb']).map((one) => ({ name: one })) },
  }));
  made.on('GET /branches/*/schema', schema);
  return made;
}

const diff = (inputs: Record<string, string> = {}, on = account()) =>
  runInProcess(action, { name: 'diff', account: on, inputs });

describe('diff', () => {
  it('compares the branch with its parent, and reviews the changes', async () => {
    const { facts, message, sent, warnings } = await diff();
    expect(message).toBeUndefined();
    expect(facts).toMatchObject({
      ...{
        branch: { id: 'br-1' },
        base: { id: 'br-main', name: 'main' },
        basePoint: undefined,
        all: false,
        failOn: [],
      },
    });
    const [database, ...others] = facts.databases ?? [];
    expect(others).toEqual([]);
    expect(database).toMatchObject({
      database: 'neondb',
      isNew: false,
      isGone: false,
      ignored: [],
    });
    expect(database?.text).toBe(changed);
    expect(database?.findings.map(({ rule }) => rule)).toEqual(['narrow-type']);
    expect(warnings).toHaveLength(1);
    expect(schemasRead(sent)).toEqual([
      ['br-1', { db_name: 'neondb' }],
      ['br-main', { db_name: 'neondb' }],
    ]);
  });

  it('neither uses nor shows a branch that belongs to someone else, or that may have real rows', async () => {
    const on = new Account();
    on.add({ name }, { metadata: { 'github-commit-repo': 'octo/api', 'github-pr-number': '7' } });
    const other = await diff({}, on);
    expect(other.message).toContain('belongs to pull request #7 of octo/api');
    const real = await diff({ require: 'masked' });
    expect(real.message).toContain('`require: masked` rejects');
    for (const { calls } of [other, real]) expect(calls.join()).not.toContain('schema');
  });

  it('needs the name of a branch if the event has none', async () => {
    const { message, sent } = await runInProcess(action, { name: 'diff', event: schedule() });
    expect(message).toContain('- branch_name is required, but it is empty: event "schedule" names no');
    expect(sent).toEqual([]);
  });

  it('says in the log what is compared', async () => {
    const { lines } = await diff();
    expect(lines[0]).toBe(`Comparing database "neondb" of branch "${name}" (br-1) with branch "main" (br-main)`);
  });

  it('lists ignored findings by themselves, whether a rule or one object of it is ignored', async () => {
    for (const ignore_rules of ['narrow-type', 'narrow-type:public.t.a', 'drop-table\nnarrow-type']) {
      const { facts } = await diff({ ignore_rules });
      const [database] = facts.databases ?? [];
      expect([database?.findings, database?.ignored.map(({ rule }) => rule)]).toEqual([[], ['narrow-type']]);
    }
    for (const ignore_rules of ['drop-table', 'narrow-type:public.t.b']) {
      const { facts } = await diff({ ignore_rules });
      expect(facts.databases[0]?.findings).toHaveLength(1);
    }
  });

  it('hides passwords before it compares', async () => {
    const secret = (column: string, password: string) =>
      `${table(column)}CREATE USER MAPPING FOR app SERVER s OPTIONS (password '${password}');\n`;
    const on = account({}, {}, (_, id) => ({
      body: { sql: id === 'br-1' ? secret('a integer', 'hunter2hunter2') : secret('a bigint', 'hunter3hunter3') },
    }));
    const { facts } = await diff({}, on);
    expect(JSON.stringify(facts)).not.toContain('hunter');
    const [database] = facts.databases ?? [];
    expect(database?.text.match(/^[+-]/gm)).toHaveLength(4);
    expect(database?.findings.map(({ rule }) => rule)).toEqual(['narrow-type']);
  });

  it('reviews what follows something that looks like a password', async () => {
    const fn = `CREATE FUNCTION public.f() RETURNS boolean LANGUAGE sql AS $$ SELECT password = 'x'::text $$;\n`;
    const on = account({}, {}, (_, id) => ({ body: { sql: id === 'br-1' ? fn : `${fn}${before}` } }));
    const { facts } = await diff({}, on);
    expect(facts.databases[0]?.findings.map(({ rule }) => rule)).toEqual(['drop-table']);
  });

  it('compares no lines that differ between any two dumps', async () => {
    const dump = (key: string) =>
      `-- Dumped from database version 18.${key}\n-- Dumped by pg_dump version ${key}\n\\restrict ${key}\n${before}\\unrestrict ${key}\n`;
    const on = account({}, {}, (_, id) => ({ body: { sql: dump(id) } }));
    expect((await diff({}, on)).facts.databases[0]?.text).toBe('');
  });

  describe('the base', () => {
    it.each(['staging', 'br-staging'])('is the branch that `base_branch` names: %s', async (base_branch) => {
      const on = account();
      on.add({ name: 'staging', id: 'br-staging' });
      const { facts, sent } = await diff({ base_branch }, on);
      expect(facts.base).toMatchObject({ id: 'br-staging', name: 'staging' });
      expect(schemasRead(sent).map(([id]) => id)).toEqual(['br-1', 'br-staging']);
    });

    it('must exist', async () => {
      const { message } = await diff({ base_branch: 'nope' });
      expect(message).toContain(
        'The project has no branch with the name or ID "nope" (`base_branch`). Check its spelling, or remove the input to compare with the parent, if there is one.',
      );
    });

    it.each([
      [{ base_point: '2026-03-01T00:00:00Z' }, { timestamp: '2026-03-01T00:00:00Z' }],
      [{ base_point: '0/1C2D3E' }, { lsn: '0/1C2D3E' }],
    ])('has a point in the past, which the branch does not: %o', async (inputs, point) => {
      const { sent, facts } = await diff(inputs);
      expect(facts.basePoint).toBe(Object.values(point)[0]);
      expect(schemasRead(sent)).toEqual([
        ['br-1', { db_name: 'neondb' }],
        ['br-main', { db_name: 'neondb', ...point }],
      ]);
    });

    it.each<Record<string, string>>([{ base_point: '2026-03-01T00:00:00Z' }, { base_point: '0/1C2D3E' }])(
      'of a root branch with a point in the past is the branch itself: %o',
      async (inputs) => {
        const { facts } = await diff(inputs, account({}, { parent_id: undefined }));
        expect(facts.base).toMatchObject({ id: 'br-1', name });
      },
    );

    it('of a root branch is missing otherwise', async () => {
      const { message, facts } = await diff({}, account({}, { parent_id: undefined }));
      expect(message).toContain('is a root branch and has no parent to compare with. Set `base_branch`');
      expect(facts.branch?.id).toBe('br-1');
    });
  });

  describe('the databases', () => {
    const other = account.bind(undefined, { 'br-1': ['app', 'neondb', 'new'], 'br-main': ['app', 'neondb', 'old'] });

    it('are the chosen one', async () => {
      const { facts } = await diff({ database: 'app' }, other());
      expect(facts.databases.map(({ database }) => database)).toEqual(['app']);
    });

    it('must be on the base too', async () => {
      const { message } = await diff({ database: 'new' }, account({ 'br-1': ['new'], 'br-main': ['old'] }));
      expect(message).toBe(
        'Branch "main" (br-main) has no database "new" to compare with. Set `database` or `base_branch`.',
      );
    });

    it('must be there: nothing to compare is an error', async () => {
      const { message } = await diff({ database: '*', fail_on: 'any' }, account({ 'br-1': [], 'br-main': [] }));
      expect(message).toMatch(/^Neither branch "preview\/pr-7" \(br-1\) nor its base has a database to compare\.$/);
    });

    it('are those of both branches with `*`, and those of only one of them are not compared', async () => {
      const { facts, sent } = await diff({ database: '*' }, other());
      expect(facts.all).toBe(true);
      const databases = facts.databases ?? [];
      expect(databases.map(({ database, isNew, isGone, text }) => [database, isNew, isGone, text !== ''])).toEqual([
        ['app', false, false, true],
        ['neondb', false, false, true],
        ['new', true, false, false],
        ['old', false, true, false],
      ]);
      expect(databases.slice(2).map(({ findings, ignored }) => [findings, ignored])).toEqual([
        [[], []],
        [[], []],
      ]);
      expect(schemasRead(sent)).toHaveLength(5);
    });

    it('are not those that the base has got since the fork point', async () => {
      const databases = { 'br-1': ['app'], 'br-main': ['app', 'fresh'] };
      const on = account(databases, { parent_lsn: '0/1C2D3E' }, (request) =>
        queryOf(request).db_name === 'fresh'
          ? { status: 404, body: { code: '', message: 'no such database' } }
          : { body: { sql: before } },
      );
      const { facts, message } = await diff({ database: '*', fail_on: 'any' }, on);
      expect([message, facts.databases.map(({ database }) => database)]).toEqual([undefined, ['app']]);
    });
  });

  describe('a point in the past that cannot be read', () => {
    const past = { base_point: '0/1C2D3E' };

    function failing(inputs: Record<string, string>, status: number) {
      const on = account({}, {}, (_, id) =>
        id === 'br-main' ? { status, body: { code: '', message: 'no history' } } : { body: { sql: after } },
      );
      return diff(inputs, on);
    }

    it.each([400, 404, 422])('is explained, on status %d', async (status) => {
      const { message, error } = await failing(past, status);
      expect(message).toMatch(
        /[^.]\. Check that the history of the base reaches back to `base_point`, and that it had this database then\.$/,
      );
      expect((error as Error).cause).toMatchObject({ status });
    });

    it('is not explained if no point was given, or on another status', async () => {
      expect((await failing({}, 404)).message).toMatch(/no history/);
      expect((await failing({}, 404)).message).not.toContain('reaches back');
      expect((await failing(past, 403)).message).not.toContain('reaches back');
    });
  });
});

describe('the fork point', () => {
  /** A branch that was made at 0/100; since then its parent has changed to `head`. */
  const forked = (
    head: string,
    own = after,
    fields: object = { parent_lsn: '0/100' },
    lost?: string,
    databases = ['neondb'],
  ) => {
    const on = new Account();
    on.add({ name, ...fields });
    on.on('GET /branches/*/databases', () => ({ body: { databases: databases.map((one) => ({ name: one })) } }));
    on.on('GET /branches/*/schema', (sent, id) => {
      const { lsn, db_name } = queryOf(sent);
      if (id === 'br-1') return { body: { sql: own } };
      if (lsn !== undefined && db_name === lost) return { status: 400, body: { message: 'lsn is out of range' } };
      return { body: { sql: lsn === '0/100' ? before : head } };
    });
    return on;
  };
  const other = 'CREATE TABLE public.other (\n    id integer\n);\n';
  const rules = async (inputs: Record<string, string>, on: Account) =>
    (await diff(inputs, on)).facts.databases[0]?.findings.map(({ rule, object }) => `${rule} ${object}`);

  it('is what the branch is compared with, so that what the parent got since is not missing from it', async () => {
    const { facts, sent } = await diff({}, forked(before + other));
    expect(facts.databases[0]?.findings.map(({ rule }) => rule)).toEqual(['narrow-type']);
    expect(schemasRead(sent)).toContainEqual(['br-main', { db_name: 'neondb', lsn: '0/100' }]);
    expect(await rules({ base_point: 'head' }, forked(before + other))).toEqual([
      'drop-table public.other',
      'narrow-type public.t.a',
    ]);
  });

  it('may be a time, and is the head of a branch without either', async () => {
    const time = '2026-03-01T00:00:00Z';
    const on = (fields: object) => diff({}, forked(before, after, fields));
    const asked = async (fields: object) => schemasRead((await on(fields)).sent)[1]?.[1];
    expect(await asked({ parent_timestamp: time })).toMatchObject({ timestamp: time });
    expect(await asked({})).toEqual({ db_name: 'neondb' });
  });

  it('that is no longer in the history is replaced by the head, with a warning and without a gate', async () => {
    const on = forked(before + other, after, { parent_lsn: '0/100' }, 'neondb');
    const { message, warnings, facts } = await diff({ fail_on: 'any' }, on);
    expect(message).toBeUndefined();
    expect(warnings.join()).toContain('`fail_on` was not checked: Branch "main" was compared as it is now');
    expect(facts.databases[0]?.isForkLost).toBe(true);
    expect(facts.databases[0]?.findings.map(({ rule }) => rule)).toEqual(['drop-table', 'narrow-type']);
  });

  it('that only one of several databases has lost keeps the gate for the others', async () => {
    const on = forked(before, after, { parent_lsn: '0/100' }, 'newer', ['neondb', 'newer']);
    const { facts, message } = await diff({ fail_on: 'any', database: '*' }, on);
    expect(facts.databases.map(({ isForkLost = false }) => isForkLost)).toEqual([false, true]);
    expect(message).toContain('The step fails because of 1 finding ');
  });

  it('is that of the parent only', async () => {
    const on = forked(before);
    on.add({ name: 'staging', id: 'br-staging' });
    const { message } = await diff({ base_branch: 'staging', base_point: 'fork' }, on);
    expect(message).toContain(
      'Branch "staging" (br-staging) is not the parent of branch "preview/pr-7" (br-1), so there is no fork point to compare with (`base_point: fork`). Remove `base_point` to compare with the current state of "staging".',
    );
    const { sent } = await diff({ base_branch: 'staging' }, on);
    expect(schemasRead(sent)[1]).toEqual(['br-staging', { db_name: 'neondb' }]);
  });
});
