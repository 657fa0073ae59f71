import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GitHub, startGitHub } from '../../tools/github/index.ts';
import { pullRequest, push } from '../../tools/runner/events.ts';
import { held, releasing } from '../support/held.ts';
import { livingIn, rendered, seen } from '../support/rendered.ts';
import { type Played, scenario, withScenario } from '../support/scenario.ts';

const token = 'ghs_secretTokenOfThisRun';
const seed = `
  CREATE TABLE users (id integer PRIMARY KEY, email text, name varchar(100));
  INSERT INTO users VALUES (1, 'a@b.c', 'Ada');
  CREATE TABLE drafts (id integer PRIMARY KEY, body text);`;

const step = (branch_name: string, inputs: Record<string, string> = {}) => ({
  event: push(),
  action: 'diff' as const,
  inputs: { branch_name, ...inputs },
});

interface Found {
  rule: string;
  level: string;
  database: string;
  object: string;
  detail: string;
}

const findingsOf = ({ outputs }: Played) => JSON.parse(outputs.findings ?? '') as Found[];
/** `drop-table public.users`, sorted. */
const found = (run: Played) =>
  findingsOf(run)
    .map(({ rule, object }) => `${rule} ${object}`)
    .sort();

describe('with real schemas', () => {
  const scene = scenario({ seed, databases: ['other'] });

  it('shows and reviews the changes since the parent', async () => {
    await scene.service.addBranch({ name: 'changed' });
    await scene.service.query(
      'changed',
      `ALTER TABLE users ADD COLUMN tenant uuid;
       ALTER TABLE users ALTER COLUMN name TYPE varchar(20), DROP COLUMN email;
       CREATE INDEX by_name ON users (name);
       DROP TABLE drafts;
       CREATE TABLE notes (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text NOT NULL);`,
    );
    const run = await scene.succeeds(step('changed'));
    const { schema_diff = '', ...outputs } = run.outputs;
    expect(outputs).toMatchObject({
      schema_changed: 'true',
      destructive: 'true',
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
    expect(found(run)).toEqual([
      'add-index public.by_name',
      'drop-column public.users.email',
      'drop-table public.drafts',
      'narrow-type public.users.name',
    ]);
    const all = findingsOf(run);
    expect(all.map(({ level }) => level)).toEqual(['destructive', 'destructive', 'destructive', 'locking']);
    expect([...new Set(all.map(({ database }) => database))]).toEqual(['neondb']);
    expect(run.annotations.warning).toEqual([expect.stringContaining('drop-column public.users.email')]);
    expect(run.annotations.notice.join()).toMatch(
      /The schema differs in database "neondb" between branch "changed" and branch "main"; findings: 3 destructive, 1 locking/,
    );
    expect(run.summary).toMatch(/> \[!CAUTION\]\n> \*\*3 destructive, 1 locking\*\*, first `drop-\S+ public\.\S+/);
    expect(run.summary).toContain('<br>drop-table | `public.drafts` |');
    expect(run.summary).toMatch(/<details>\n<summary>Diff \(\d+ lines\)<\/summary>\n\n```diff/);
    expect(run.outputs.db_url).toBeUndefined();
  });

  it('leaves small tables out of the locking findings with `ignore_below`, and connects only then', async () => {
    await scene.service.addBranch({ name: 'sized' });
    await scene.service.query(
      'sized',
      `CREATE INDEX by_mail ON users (email);
       INSERT INTO drafts SELECT i, repeat('x', 100) FROM generate_series(1, 20000) i;
       ALTER TABLE drafts ALTER COLUMN id TYPE bigint;
       ANALYZE drafts;`,
    );
    const without = await scene.succeeds(step('sized'));
    expect(found(without)).toEqual(['add-index public.by_mail', 'rewrite-type public.drafts.id']);
    expect(without.calls.filter((call) => /endpoints|connection_uri/.test(call))).toEqual([]);
    const run = await scene.succeeds(step('sized', { ignore_below: '1MB', fail_on: 'destructive' }));
    expect(found(run)).toEqual(['rewrite-type public.drafts.id']);
    expect(findingsOf(run)[0]?.detail).toMatch(/^integer → bigint; rebuilds drafts_pkey; \d(\.\d)? MB$/);
    expect(run.summary).toMatch(/`public\.drafts\.id`: integer → bigint; rebuilds drafts_pkey; \d(\.\d)? MB/);
    expect(run.summary).toContain('<summary>1 ignored finding</summary>');
    expect(run.summary).toMatch(
      /`public\.by_mail`: on public\.users \(email\); blocks writes unless created CONCURRENTLY; \d+ kB/,
    );
    const all = await scene.succeeds(step('sized', { ignore_below: '1GB', fail_on: 'any', database: '*' }));
    expect(found(all)).toEqual([]);
    expect(all.summary).toContain('The schema review has no findings (2 ignored).');
  });

  it('compares the requested database, or all of them', async () => {
    await scene.service.addBranch({ name: 'two' });
    await scene.service.query('two', 'CREATE TABLE here (id integer)', { database: 'other' });
    const other = await scene.succeeds(step('two', { database: 'other' }));
    expect(other.outputs.schema_diff).toContain('+CREATE TABLE public.here');
    const neondb = await scene.succeeds(step('two'));
    expect(neondb.outputs.schema_changed).toBe('false');
    await scene.service.query('two', 'DROP TABLE drafts');
    const all = await scene.succeeds(step('two', { database: '*' }));
    expect(all.outputs.schema_diff).toMatch(/^--- a\/neondb\n[\s\S]*^--- a\/other\n/m);
    expect(findingsOf(all)).toMatchObject([{ rule: 'drop-table', object: 'public.drafts', database: 'neondb' }]);
    expect(all.annotations.notice.join()).toContain('The schema differs in 2 of 2 databases');
    expect(all.annotations.warning.join()).toContain('drop-table public.drafts in database "neondb"');
    expect(all.summary).toMatch(/#### Database `neondb`\n\n\| Rule [\s\S]*#### Database `other`\n\n/);
  });

  it('compares with a point in the past of the base, or of a root branch', async () => {
    await scene.service.addBranch({ name: 'at' });
    await new Promise((resolve) => setTimeout(resolve, 20));
    const before = new Date().toISOString();
    await new Promise((resolve) => setTimeout(resolve, 20));
    await scene.service.query('at', 'CREATE TABLE later (id integer); ALTER TABLE users DROP COLUMN email');
    const [{ lsn } = {}] = await scene.service.query('at', 'SELECT pg_current_wal_insert_lsn() AS lsn');
    const own = await scene.succeeds(step('at', { base_branch: 'at', base_point: before }));
    expect(own.outputs.schema_diff).toContain('+CREATE TABLE public.later');
    expect(found(own)).toEqual(['drop-column public.users.email']);
    expect(own.summary).toContain(`| Compared with | \`at\` as of ${before} |`);
    const now = await scene.succeeds(step('at', { base_branch: 'at', base_point: String(lsn) }));
    expect(now.outputs.schema_diff).toBe('');
    const root = await scene.succeeds(step('main', { base_point: before }));
    expect(root.outputs.schema_changed).toBe('false');
    expect(root.annotations.notice.join()).toContain(`between branch "main" and branch "main" as of ${before}`);
  });
});

describe('the gate', () => {
  const scene = scenario({ compute: 'none', databases: ['app'] });
  let github: GitHub;
  beforeAll(async () => {
    github = await startGitHub({ token });
    scene.service.setSchema('main', 'CREATE TABLE public.a (x integer, y text);\nCREATE TABLE public.b (x integer);\n');
  });
  afterAll(() => github.close());

  let number = 0;
  /** Runs a step for a pull request that drops a column and a table and adds an index. */
  const gated = async (inputs: Record<string, string>) => {
    number++;
    github.state.addPull({ number });
    await scene.service.addBranch({ name: `preview/pr-${number}` });
    scene.service.setSchema(
      `preview/pr-${number}`,
      'CREATE TABLE public.a (x integer);\nCREATE INDEX i ON public.a USING btree (x);\n',
    );
    return {
      event: pullRequest({ number }),
      action: 'diff' as const,
      inputs: { database: 'neondb', comment: 'true', ...inputs },
      env: github.env,
    };
  };
  const comment = () => github.state.comments.find(({ issue }) => issue === number)?.body ?? '';

  it('fails the step after comment, summary and outputs are written', async () => {
    const run = await scene.fails(await gated({ fail_on: 'destructive' }));
    expect(run.message).toMatch(
      /^The step fails because of 2 findings \(`fail_on: destructive`\): drop-.*; drop-.* Change the migration, or accept a finding with `ignore_rules`\.$/,
    );
    expect(found(run)).toEqual(['add-index public.i', 'drop-column public.a.y', 'drop-table public.b']);
    expect(run.outputs).toMatchObject({ destructive: 'true', schema_changed: 'true' });
    expect(run.outputs.comment_url).toMatch(/issuecomment/);
    expect(comment()).toContain(
      '> **2 destructive, 1 locking**: the step fails (`fail_on: destructive`), first `drop-',
    );
    expect(comment()).toContain('```diff\n');
    expect(run.summary).toContain('❌ **Failed**');
    expect(run.summary).toContain('> **2 destructive, 1 locking**: the step fails');
  });

  it.each([
    ['locking', /1 finding \(`fail_on: locking`\): add-index public\.i/],
    ['locking, exposing', /\(`fail_on: exposing, locking`\): add-index/],
    ['any', /3 findings \(`fail_on: any`\)/],
  ])('fails on %s', async (fail_on, said) => {
    expect((await scene.fails(await gated({ fail_on }))).message).toMatch(said);
  });

  it.each(['never', '', 'exposing'])('does not fail on %j', async (fail_on) => {
    const run = await scene.succeeds(await gated({ fail_on }));
    expect(comment()).toContain('> **2 destructive, 1 locking**, first `drop-');
    expect(run.annotations.warning).toHaveLength(1);
  });

  it('does not count ignored findings, and lists them', async () => {
    const one = await scene.fails(await gated({ fail_on: 'destructive', ignore_rules: 'drop-column:public.a.y' }));
    expect(one.message).toMatch(/1 finding .*: drop-table public\.b\. /);
    expect(one.summary).toContain('<summary>1 ignored finding</summary>');
    const other = await scene.fails(await gated({ fail_on: 'destructive', ignore_rules: 'drop-column:public.a.z' }));
    expect(other.message).toMatch(/2 findings/);
    const all = await scene.succeeds(
      await gated({ fail_on: 'any', ignore_rules: 'drop-column:public.a.y, drop-table\nadd-index' }),
    );
    expect(all.outputs).toMatchObject({ schema_changed: 'true', findings: '[]', destructive: 'false' });
    expect(all.annotations.warning).toEqual([]);
    for (const text of [all.summary, comment()]) {
      expect(text).toContain('The schema review has no findings (3 ignored).');
      expect(text).toContain('`public.a.y`');
    }
  });

  it('rejects unknown levels and rules before any request', async () => {
    const run = await scene.fails(await gated({ fail_on: 'destructive, lockin', ignore_rules: 'drop-colum' }));
    expect(run.message).toContain(
      'fail_on: "lockin" is invalid; expected `never` alone, or a list of destructive, exposing, breaking, locking, any',
    );
    expect(run.message).toMatch(/ignore_rules: "drop-colum" is invalid; .*the rules are drop-schema, /m);
    expect(run.calls).toEqual([]);
  });
});

describe('the comment', () => {
  const scene = scenario({ compute: 'none', databases: ['app'] });
  let github: GitHub;
  beforeAll(async () => {
    github = await startGitHub({ token });
    github.state.addPull({ number: 7 });
    await scene.service.addBranch({ name: 'preview/pr-7' });
  });
  afterAll(() => github.close());
  const inPull = (database: string) => ({
    event: pullRequest({ number: 7 }),
    action: 'diff' as const,
    inputs: { comment: 'true', database },
    env: github.env,
  });

  it.each(['app', '*'])('is not new for an empty diff, but kept up to date (database %s)', async (database) => {
    github.state.comments.length = 0;
    const first = await scene.succeeds(inPull(database));
    expect(github.state.comments).toEqual([]);
    expect(first.outputs.comment_url).toBeUndefined();
    scene.service.setSchema('preview/pr-7', 'CREATE TABLE public.t (a text);\n');
    const second = await scene.succeeds(inPull(database));
    expect(github.state.comments.map(({ body }) => body.includes('+CREATE TABLE public.t'))).toEqual([true]);
    scene.service.setSchema('preview/pr-7', '');
    const third = await scene.succeeds(inPull(database));
    expect(third.outputs.comment_url).toBe(second.outputs.comment_url);
    expect(github.state.comments.map(({ body }) => body.includes('No schema difference in'))).toEqual([true]);
  });
});

describe('without real schemas', () => {
  const scene = scenario({ compute: 'none', databases: ['a', 'b'] });

  it('waits for a reset that is still running', async () => {
    await withScenario({ operationMs: { create_timeline: held } }, async (slow) => {
      await slow.service.addBranch({ name: 'changed' });
      await slow.succeeds({ inputs: { command: 'reset', branch_name: 'changed', wait: 'false' } });
      const run = await releasing(slow.service, 1, () => slow.succeeds(step('changed')));
      expect(run.outputs).toMatchObject({ schema_changed: 'false', schema_diff: '' });
      expect(run.maskedLog()).toContain('Branch "changed" is not ready yet; waiting for its operations');
    });
  });

  it('compares with `base_branch`, by name or ID, in both directions', () =>
    withScenario({}, async (two) => {
      const { id } = await two.service.addBranch({ name: 'newer' });
      two.service.setSchema('newer', 'CREATE TABLE public.only_newer (\n    id integer\n);\n');
      const back = await two.succeeds(step('main', { base_branch: 'newer' }));
      expect(back.outputs.schema_diff).toContain('-CREATE TABLE public.only_newer');
      expect(found(back)).toEqual(['drop-table public.only_newer']);
      const same = await two.succeeds(step('newer', { base_branch: id, fail_on: 'any' }));
      expect(same.outputs).toMatchObject({
        schema_diff: '',
        schema_changed: 'false',
        findings: '[]',
        destructive: 'false',
      });
      expect(same.annotations.warning).toEqual([]);
    }));

  it('says what to do if `ignore_below` needs an endpoint that the branch does not have', () =>
    withScenario({}, async (two) => {
      const table = 'CREATE TABLE public.t (\n    id integer\n);\n';
      two.service.setSchema('main', table);
      await two.service.addBranch({ name: 'asleep', endpoint: false });
      const same = await two.succeeds(step('asleep', { ignore_below: '1MB' }));
      expect(found(same)).toEqual([]);
      two.service.setSchema('asleep', `${table}CREATE INDEX i ON public.t USING btree (id);\n`);
      const run = await two.fails(step('asleep', { ignore_below: '1MB' }));
      expect(run.message).toContain("has no read-write compute endpoint, so the sizes of its tables can't be read");
      expect(run.message).toContain(
        'Add one with the action `manage`, `resource: compute endpoint` and `verb: create`.',
      );
    }));

  it('reads both branches, their databases and schemas', async () => {
    await scene.service.addBranch({ name: 'preview/pr-7' });
    const run = await scene.succeeds({ event: pullRequest({ number: 7 }), action: 'diff' as const });
    expect(run.calls.sort()).toEqual([
      'GET /branches 200',
      'GET /branches/{branch} 200',
      'GET /branches/{branch}/databases 200',
      'GET /branches/{branch}/databases 200',
      'GET /branches/{branch}/schema 200',
      'GET /branches/{branch}/schema 200',
      'GET /operations 200',
    ]);
  });

  it('asks for the point in the past of the base only', async () => {
    await scene.service.addBranch({ name: 'past' });
    const base_point = '2026-03-01T00:00:00.123456Z';
    const run = await scene.succeeds(step('past', { base_point, database: 'a' }));
    const queries = run.requests
      .filter(({ template }) => /schema$/.test(template ?? ''))
      .map(({ path, query }) => [path.includes(scene.service.main.id) ? 'base' : 'branch', query]);
    // They are sent at once.
    const text = (query: unknown) => JSON.stringify(query);
    expect(queries.sort((a, b) => text(a).localeCompare(text(b)))).toEqual([
      ['base', { db_name: 'a', timestamp: base_point }],
      ['branch', { db_name: 'a' }],
    ]);
  });

  it('says that a root branch has no parent', async () => {
    const run = await scene.fails(step('main'));
    expect(run.message).toMatch(
      /"main" .* is a root branch and has no parent to compare with\. Set `base_branch`; or set `base_point` to a time/,
    );
  });

  it('names a base that does not exist', async () => {
    await scene.service.addBranch({ name: 'x' });
    const run = await scene.fails(step('x', { base_branch: 'nowhere' }));
    expect(run.message).toContain('The project has no branch with the name or ID "nowhere" (`base_branch`)');
  });

  it('lists the databases', async () => {
    await scene.service.addBranch({ name: 'y' });
    const run = await scene.fails(step('y', { database: 'c' }));
    expect(run.message).toMatch(/has no database "c".*"a".*"b"/);
  });

  it('says what may be wrong with a point in the past', async () => {
    const { service } = scene;
    await service.addBranch({ name: 'unknown', createdAt: Date.parse('2026-01-01T00:00:00Z') });
    const { id, created_at } = service.branch('main') ?? {};
    const fault = service.faults.add({ path: new RegExp(`${id}/schema$`), status: 404 });
    // What is missing on a new branch may be there in a moment.
    Object.assign(service.branch('main') ?? {}, { created_at: '2026-01-01T00:00:00Z' });
    const run = await scene.fails(step('unknown', { base_point: '0/1DE2850', database: 'a' }));
    Object.assign(service.branch('main') ?? {}, { created_at });
    fault.remove();
    expect(run.message).toMatch(
      /Could not read the schema of database "a" of branch "main": 404.*\. Check that the history of the base reaches back to `base_point`/,
    );
  });

  it('names a database that only one side has', () =>
    withScenario({ databases: ['shared'] }, async (other) => {
      const manage = (verb: string, inputs: Record<string, string>) =>
        other.succeeds({ action: 'manage', inputs: { resource: 'database', verb, branch_name: 'z', ...inputs } });
      await other.service.addBranch({ name: 'z' });
      await manage('create', { body: '{"name": "fresh", "owner_name": "neondb_owner"}' });
      await manage('delete', { resource_id: 'shared' });
      const all = await other.succeeds(step('z', { database: '*' }));
      expect(all.summary).toContain('#### Database `fresh`\n\nOnly the branch has it.');
      expect(all.summary).toContain('#### Database `shared`\n\nOnly the base has it.');
      expect(all.annotations.warning).toEqual(['The branch lacks database "shared" of the base.']);
      expect(all.outputs).toMatchObject({ schema_changed: 'true', schema_diff: '', findings: '[]' });
      const gated = await other.fails(step('z', { database: '*', fail_on: 'destructive' }));
      expect(gated.message).toMatch(/^The branch lacks database "shared" of the base\./);
      const one = await other.fails(step('z', { database: 'fresh' }));
      expect(one.message).toMatch(/Branch "main" .* has no database "fresh" to compare with\./);
    }));

  it.each(['for example postgresql://user:password@host/db', 'x://a:TABLE@h'])(
    'reviews and shows a schema whole, whatever a comment in it says: %s',
    (comment) =>
      withScenario({}, async (alone) => {
        const users = (columns: string) => `CREATE TABLE public.users (\n${columns}    id integer\n);\n`;
        const says = `COMMENT ON TABLE public.users IS '${comment}';\n`;
        alone.service.setSchema(
          'main',
          `${users('    password text,\n')}CREATE TABLE public.old (\n    id integer\n);\n`,
        );
        await alone.service.addBranch({ name: 'hiding' });
        alone.service.setSchema('hiding', users('') + says);
        const run = await alone.succeeds(step('hiding', { summary: 'true' }));
        expect(found(run)).toEqual(['drop-column public.users.password', 'drop-table public.old']);
        const shown = `+${says.replace(/:\/\/[^@]+/, '://***')}`;
        expect(run.outputs.schema_diff).toContain(shown);
        expect(run.summary).toContain(shown);
        expect(run.masks.filter((mask) => !/napi|ghs_/.test(mask))).toEqual([]);
      }),
  );

  it('is inert, whatever the names in the schema', () =>
    withScenario({}, async (other) => {
      const evil = [
        'x| <img src=x> @octocat #1',
        '`code` [a](https://evil.example)',
        '::error::evil',
        'a\u202eb',
        '</details>',
        'two\nlines',
      ];
      other.service.setSchema(
        'main',
        evil.map((name) => `CREATE TABLE public."${name}" ("${name}" integer);\n`).join(''),
      );
      await other.service.addBranch({ name: 'z' });
      other.service.setSchema('z', '');
      const run = await other.fails(step('z', { fail_on: 'any' }));
      expect(findingsOf(run)).toHaveLength(evil.length);
      expect(run.annotations.warning).toHaveLength(1);
      expect(run.annotations.error).toHaveLength(1);
      const html = rendered(run.summary);
      expect(
        livingIn(html.replace(/<(pre|code)\b[\s\S]*?<\/\1>/g, '').replace(/href="[^"]*diff\.md#[^"]*"/g, '')),
      ).toEqual([]);
      expect(html).not.toMatch(/<img|evil\.example"/);
      expect(html.match(/<tr>/g)).toHaveLength(2 + 4);
      expect(seen(html)).not.toMatch(/\u202e/);
    }));

  it('hides passwords in the diff and in the findings', () =>
    withScenario({}, async (other) => {
      const server = (password: string, name = 's') =>
        `CREATE SERVER ${name} FOREIGN DATA WRAPPER w;\nCREATE USER MAPPING FOR public SERVER ${name} OPTIONS (password '${password}');\n`;
      other.service.setSchema('main', server('hunter2hunter2'));
      await other.service.addBranch({ name: 'z' });
      other.service.setSchema('z', server('geheim99geheim') + server('geheim88geheim', 't'));
      const run = await other.succeeds({ ...step('z'), secrets: ['hunter2hunter2', 'geheim99geheim'] });
      expect(run.outputs.schema_diff).toContain("OPTIONS (password '***')");
      expect(JSON.stringify(run.outputs)).not.toMatch(/hunter2|geheim/);
    }));

  it('cuts a summary over the limit at a line, and puts the whole diff into a file', () =>
    withScenario({}, async (other) => {
      // Long lines, so that they are few: a diff of many takes long enough to be given up on a busy machine.
      const lines = Array.from({ length: 2_500 }, (_, i) => `-- line ${i} ${'`'.repeat(3)} ${'ä'.repeat(220)}`);
      await other.service.addBranch({ name: 'z' });
      other.service.setSchema('z', `${lines.join('\n')}\n`);
      const run = await other.succeeds(step('z'));
      const size = Buffer.byteLength(run.summary);
      expect(size).toBeLessThanOrEqual(1024 * 1024);
      expect(size).toBeGreaterThan(1024 * 1024 - 700);
      expect(run.summary).toMatch(/ä\n````\n\n<\/details>\n\n_[^\n]*1 MiB[^\n]*_\s*$/);
      expect(run.outputs).toMatchObject({ schema_diff: '', schema_changed: 'true' });
      const file = run.files[run.outputs.schema_diff_path ?? ''] ?? '';
      expect(file.split('\n')).toHaveLength(lines.length + 4);
    }));
});
