import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pullRequest } from '../../../tools/runner/events.ts';
import type { OtherStep, PlayedWorkflow } from '../../../tools/runner/workflow/play.ts';
import { type Service, startService } from '../../../tools/service/index.ts';
import { type Played, scenario } from '../../support/scenario.ts';
import { outcomes, playExample } from '../../support/workflow/example.ts';

/** Roles and databases are real, in the Postgres of the branch. */
const scene = scenario({ compute: 'postgres', operationMs: 5 });

const onPullRequest = pullRequest({ number: 7 });
const manage = (inputs: Record<string, string>) => scene.succeeds({ event: onPullRequest, action: 'manage', inputs });

function response<T>(run: Played): T {
  return JSON.parse(run.outputs.response ?? '') as T;
}

/** The rows of a query, or the error message. */
async function ask(uri: string, sql: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: uri });
  try {
    await client.connect();
    return (await client.query(sql)).rows;
  } catch (error) {
    return (error as Error).message;
  } finally {
    await client.end();
  }
}

describe('a role and a database on a preview branch', () => {
  it('work once their steps have ended, and are gone after the delete', async () => {
    await scene.succeeds({ event: onPullRequest });
    const main = () => scene.service.query('main', "SELECT rolname FROM pg_roles WHERE rolname = 'app'");

    const role = await manage({ resource: 'role', verb: 'create', body: '{"name": "app"}' });
    expect(role.outputs).toMatchObject({ created: 'true', deleted: 'false', status: '201' });
    expect(JSON.parse(role.outputs.operation_ids ?? '')).toHaveLength(1);
    const { password } = response<{ role: { password: string } }>(role).role;
    expect(role.masks).toContain(password);

    const database = await manage({
      resource: 'database',
      verb: 'create',
      body: '{"name": "shop", "owner_name": "app"}',
    });
    expect(database.outputs).toMatchObject({ created: 'true', status: '201' });

    // the connection URI from the service has the password from the response to the create
    const got = await scene.succeeds({
      event: onPullRequest,
      inputs: { command: 'get', role: 'app', database: 'shop', ssl: 'omit' },
    });
    const uri = got.outputs.db_url ?? '';
    expect(new URL(uri).password).toBe(encodeURIComponent(password));
    const asked = new URL(scene.service.uri('preview/pr-7', { role: 'app', database: 'shop' }));
    asked.password = password;
    asked.search = '';
    expect(await ask(asked.href, 'SELECT current_user AS who, current_database() AS at')).toEqual([
      { who: 'app', at: 'shop' },
    ]);
    await ask(asked.href, 'CREATE TABLE items (id int); INSERT INTO items VALUES (1), (2)');
    expect(await ask(asked.href, 'SELECT count(*)::int AS items FROM items')).toEqual([{ items: 2 }]);
    expect(await main()).toEqual([]);

    const renamed = await manage({
      resource: 'database',
      verb: 'update',
      resource_id: 'shop',
      body: '{"name": "store"}',
    });
    expect(renamed.outputs).toMatchObject({ created: 'false', status: '200' });
    asked.pathname = '/store';
    expect(await ask(asked.href, 'SELECT count(*)::int AS items FROM items')).toEqual([{ items: 2 }]);

    expect((await manage({ resource: 'database', verb: 'delete', resource_id: 'store' })).outputs.deleted).toBe('true');
    expect(await ask(asked.href, 'SELECT 1')).toBe('database "store" does not exist');
    expect((await manage({ resource: 'role', verb: 'delete', resource_id: 'app' })).outputs.deleted).toBe('true');
    asked.pathname = '/neondb';
    expect(await ask(asked.href, 'SELECT 1')).toMatch(/password authentication failed|does not exist/);
    const left = await scene.service.query('preview/pr-7', "SELECT rolname FROM pg_roles WHERE rolname = 'app'");
    expect(left).toEqual([]);
  });

  it('may be created by any number of runs at once: one creates them, all succeed', async () => {
    await scene.service.addBranch({ name: 'preview/at-once' });
    const runs = await Promise.all(
      [1, 2, 3, 4].map(() =>
        manage({ resource: 'role', verb: 'create', branch_name: 'preview/at-once', body: '{"name": "crowd"}' }),
      ),
    );
    expect(runs.map((run) => run.outputs.created).toSorted()).toEqual(['false', 'false', 'false', 'true']);
    const names = runs.map((run) => response<{ role: { name: string } }>(run).role.name);
    expect(names).toEqual(['crowd', 'crowd', 'crowd', 'crowd']);
    const found = await scene.service.query('preview/at-once', "SELECT 1 FROM pg_roles WHERE rolname = 'crowd'");
    expect(found).toHaveLength(1);
  });

  it('may have a name that has to be encoded in URLs', async () => {
    await scene.service.addBranch({ name: 'preview/names' });
    const name = 'a/b c?ä%41"#';
    const at = { resource: 'role', branch_name: 'preview/names' };
    const made = await manage({ ...at, verb: 'create', body: JSON.stringify({ name }) });
    expect(response<{ role: { name: string } }>(made).role.name).toBe(name);
    const read = await manage({ ...at, verb: 'get', resource_id: name });
    expect(response<{ role: { name: string } }>(read).role.name).toBe(name);
    expect((await manage({ ...at, verb: 'delete', resource_id: name })).outputs.deleted).toBe('true');
  });
});

describe('manage-role-and-database.yml', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ compute: 'postgres', operationMs: 5, uriParameters: '' });
  });
  afterAll(() => service?.stop());
  const name = 'manage-role-and-database.yml';

  /** What the application does with its connection URI. */
  async function work({ name: step, env }: OtherStep): Promise<void> {
    if (step !== 'Migrate and test') return;
    const uri = new URL(env.DATABASE_URL ?? '');
    uri.search = '';
    const client = new pg.Client({ connectionString: uri.href });
    await client.connect();
    try {
      await client.query('CREATE TABLE IF NOT EXISTS orders (id serial); INSERT INTO orders DEFAULT VALUES');
      const { rows } = await client.query(
        'SELECT current_user AS who, current_database() AS at, count(*)::int FROM orders',
      );
      seen.push(rows[0] as object);
    } finally {
      await client.end();
    }
  }
  const seen: object[] = [];

  it('creates both, works as the role in the database, reuses them, and deletes them with the branch', async () => {
    const on = (action: 'opened' | 'synchronize' | 'closed') =>
      playExample(name, { service, event: pullRequest({ action }), script: work });
    const opened = await on('opened');
    expect(new Set(outcomes(opened).map((line) => line.split(': ')[1]))).toEqual(new Set(['success']));
    const pushed = await on('synchronize');
    expect(seen).toEqual([
      { who: 'app', at: 'shop', count: 1 },
      { who: 'app', at: 'shop', count: 2 },
    ]);
    const made = (played: PlayedWorkflow) => played.jobs[0]?.steps.map((step) => step.outputs.created);
    expect(made(opened)?.slice(0, 3)).toEqual(['true', 'true', 'true']);
    expect(made(pushed)?.slice(0, 3)).toEqual(['false', 'false', 'false']);
    const closed = await on('closed');
    expect(outcomes(closed).filter((line) => line.endsWith('success'))).toHaveLength(1);
    expect(service.branches().map((branch) => branch.name)).toEqual(['main']);
    expect(await service.query('main', "SELECT 1 FROM pg_roles WHERE rolname = 'app'")).toEqual([]);
  });
});
