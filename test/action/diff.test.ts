import { describe, expect, it } from 'vitest';
import { pullRequest, push } from '../support/events.ts';
import { scenario, withScenario } from '../support/scenario.ts';

const seed = `
  CREATE TABLE users (id integer PRIMARY KEY, email text, name varchar(100));
  INSERT INTO users VALUES (1, 'a@b.c', 'Ada');
  CREATE TABLE drafts (id integer PRIMARY KEY, body text);`;

describe('with real schemas', () => {
  const scene = scenario({ seed, databases: ['other'] });
  const step = (branch_name: string, inputs: Record<string, string> = {}) => ({
    event: push(),
    inputs: { command: 'diff', branch_name, ...inputs },
  });

  it('shows the changes since the parent, and warns of destructive ones', async () => {
    await scene.service.addBranch({ name: 'changed' });
    await scene.service.query(
      'changed',
      `ALTER TABLE users ADD COLUMN tenant uuid;
       ALTER TABLE users ALTER COLUMN name TYPE varchar(20), DROP COLUMN email;
       DROP TABLE drafts;
       CREATE TABLE notes (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text NOT NULL);`,
    );
    const run = await scene.succeeds(step('changed'));
    const { schema_diff = '', ...outputs } = run.outputs;
    expect(outputs).toMatchObject({
      command: 'diff',
      schema_changed: 'true',
      branch_name: 'changed',
      branch_id: scene.service.branch('changed')?.id,
      parent_id: scene.service.main.id,
    });
    expect(schema_diff).toMatch(/^--- .*\n\+\+\+ .*\n@@ /);
    expect(schema_diff.split('\n').filter((line) => /^[+-]\s+(email|tenant|name)/.test(line))).toEqual([
      '-    email text,',
      '-    name character varying(100)',
      '+    name character varying(20),',
      '+    tenant uuid',
    ]);
    expect(schema_diff).toContain('-CREATE TABLE public.drafts (');
    expect(schema_diff).toContain('+CREATE TABLE public.notes (');
    expect(run.annotations.warning.join()).toMatch(
      /drops table public\.drafts; drops column public\.users\.email; narrows public\.users\.name/,
    );
    expect(run.annotations.notice.join()).toMatch(
      /The schema differs in database "neondb" between branches "changed" and "main": \d+ lines added, \d+ removed/,
    );
    expect(run.summary).toContain('```diff');
    expect(run.outputs.db_url).toBeUndefined();
  });

  it('is empty if the schemas are the same, whatever the rows', async () => {
    await scene.service.addBranch({ name: 'same' });
    await scene.service.query('same', "INSERT INTO users VALUES (2, 'x', 'y'); DELETE FROM drafts");
    const run = await scene.succeeds(step('same'));
    expect(run.outputs).toMatchObject({ schema_diff: '', schema_changed: 'false' });
    expect(run.annotations.warning).toEqual([]);
  });

  it('compares with `base_branch`, by name or ID, in both directions', async () => {
    await scene.service.addBranch({ name: 'newer' });
    await scene.service.query('newer', 'CREATE TABLE only_newer (id integer)');
    const back = await scene.succeeds(step('main', { base_branch: 'newer' }));
    expect(back.outputs.schema_diff).toContain('-CREATE TABLE public.only_newer');
    const id = scene.service.branch('newer')?.id ?? '';
    const same = await scene.succeeds(step('newer', { base_branch: id }));
    expect(same.outputs.schema_changed).toBe('false');
  });

  it('compares the requested database', async () => {
    await scene.service.addBranch({ name: 'two' });
    await scene.service.query('two', 'CREATE TABLE here (id integer)', { database: 'other' });
    const other = await scene.succeeds(step('two', { database: 'other' }));
    expect(other.outputs.schema_diff).toContain('+CREATE TABLE public.here');
    const neondb = await scene.succeeds(step('two'));
    expect(neondb.outputs.schema_changed).toBe('false');
  });
});

describe('without real schemas', () => {
  const scene = scenario({ compute: 'none', databases: ['a', 'b'] });

  it('reads the branch, its parent, its databases and the comparison', async () => {
    await scene.service.addBranch({ name: 'preview/pr-7' });
    const run = await scene.succeeds({ event: pullRequest({ number: 7 }), inputs: { command: 'diff' } });
    expect(run.calls.sort()).toEqual([
      'GET /branches 200',
      'GET /branches/{branch} 200',
      'GET /branches/{branch}/compare_schema 200',
      'GET /branches/{branch}/databases 200',
    ]);
  });

  it('says that a root branch has no parent', async () => {
    const run = await scene.fails({ event: push(), inputs: { command: 'diff', branch_name: 'main' } });
    expect(run.message).toMatch(/"main" .* is a root branch and has no parent to compare with\. Set `base_branch`/);
  });

  it('names a base that does not exist', async () => {
    await scene.service.addBranch({ name: 'x' });
    const run = await scene.fails({
      event: push(),
      inputs: { command: 'diff', branch_name: 'x', base_branch: 'nowhere' },
    });
    expect(run.message).toContain('The project has no branch with the name or ID "nowhere" (`base_branch`)');
  });

  it('lists the databases', async () => {
    await scene.service.addBranch({ name: 'y' });
    const run = await scene.fails({ event: push(), inputs: { command: 'diff', branch_name: 'y', database: 'c' } });
    expect(run.message).toMatch(/has no database "c"; it has .*"a".*"b"/);
  });

  it('retries if the parent is too new to be known', () =>
    withScenario({}, async (young) => {
      const parent = await young.service.addBranch({ name: 'young-parent' });
      await young.service.addBranch({ name: 'young-child', parent: 'young-parent' });
      young.service.faults.add({ path: new RegExp(`branches/${parent.id}$`), status: 404, times: 2 });
      const run = await young.succeeds({ inputs: { command: 'diff', branch_name: 'young-child' } });
      expect(run.outputs).toMatchObject({ schema_changed: 'false', parent_id: parent.id });
    }));

  it('names the table if the diff begins in the middle of it', () =>
    withScenario({}, async (other) => {
      const columns = Array.from({ length: 20 }, (_, i) => `    c${i} integer`);
      const table = (list: string[]) => `CREATE TABLE public.wide (\n${list.join(',\n')}\n);\n`;
      other.service.setSchema('main', table(columns));
      await other.service.addBranch({ name: 'z' });
      other.service.setSchema('z', table(columns.filter((one) => !one.includes('c10 '))));
      const run = await other.succeeds({ event: push(), inputs: { command: 'diff', branch_name: 'z' } });
      expect(run.annotations.warning.join()).toContain('drops column public.wide.c10');
    }));

  it.each(['for example postgresql://user:password@host/db', 'x://a:TABLE@h', 'x://a:e@h', 'x://a:%0A@h'])(
    'reviews and shows a schema whole, whatever a comment in it says: %s',
    (comment) =>
      withScenario({ compute: 'none' }, async (alone) => {
        await alone.service.addBranch({ name: 'hiding' });
        const diff = `--- a/neondb\n+++ b/neondb\n@@ -1,7 +1,4 @@\n CREATE TABLE public.users (\n-    password text,\n     id integer\n );\n-CREATE TABLE public.old (\n-    id integer\n-);\n+COMMENT ON TABLE public.users IS '${comment}';\n`;
        alone.service.faults.add({ method: 'GET', path: /compare_schema$/, status: 200, body: { diff } });
        const run = await alone.succeeds({ inputs: { command: 'diff', branch_name: 'hiding', summary: 'true' } });
        expect(run.annotations.warning.join()).toContain('drops column public.users.password; drops table public.old');
        const shown = diff.replace(/(:\/\/\w+:)[^@]+@/, '$1***@');
        expect(run.outputs.schema_diff).toBe(shown);
        expect(run.summary).toContain(shown);
        expect(run.masks.filter((mask) => !/napi|ghs_/.test(mask))).toEqual([]);
      }),
  );

  it('cuts a summary over the limit at a line, and keeps the output complete', () =>
    withScenario({}, async (other) => {
      const lines = Array.from({ length: 25_000 }, (_, i) => `-- line ${i} ${'`'.repeat(3)} ${'ä'.repeat(20)}`);
      await other.service.addBranch({ name: 'z' });
      other.service.setSchema('z', `${lines.join('\n')}\n`);
      const run = await other.succeeds({ event: push(), inputs: { command: 'diff', branch_name: 'z' } });
      const size = Buffer.byteLength(run.summary);
      expect(size).toBeLessThanOrEqual(1024 * 1024);
      expect(size).toBeGreaterThan(1024 * 1024 - 200);
      expect(run.summary).toMatch(/ä\n````\n\n<\/details>\n\n_[^\n]*1 MiB[^\n]*_\s*$/);
      expect(run.outputs.schema_diff?.split('\n')).toHaveLength(lines.length + 4);
    }));
});
