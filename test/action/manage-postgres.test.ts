import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { pullRequest } from '../support/events.ts';
import { type Played, scenario } from '../support/scenario.ts';

/** Roles and databases are real ones, in the Postgres of the branch. */
const scene = scenario({ compute: 'postgres', operationMs: 5 });

const onPullRequest = pullRequest({ number: 7 });
const manage = (inputs: Record<string, string>) =>
  scene.succeeds({ event: onPullRequest, inputs: { command: 'manage', ...inputs } });

function response<T>(run: Played): T {
  return JSON.parse(run.outputs.response ?? '') as T;
}

/** What a connection gives, or with what it is refused. */
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
  it('are there to work with once the steps are over, and gone after the last ones', async () => {
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

    // the address as the service hands it out, and with the password that came with the role
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

  it('may be made by any number of runs at once: one makes them, all go on', async () => {
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

  it('has a new password after `reset_password`, and the old one no longer works', async () => {
    await scene.service.addBranch({ name: 'preview/reset' });
    const made = await manage({ resource: 'role', verb: 'create', branch_name: 'preview/reset', resource_id: 'app' });
    const before = response<{ role: { password: string } }>(made).role.password;
    const path = '/projects/{project_id}/branches/{branch_id}/roles/app';
    const reset = await manage({ method: 'POST', path: `${path}/reset_password`, branch_name: 'preview/reset' });
    const after = response<{ role: { password: string } }>(reset).role.password;
    expect(after).not.toBe(before);
    const shown = await manage({ method: 'GET', path: `${path}/reveal_password`, branch_name: 'preview/reset' });
    expect(response(shown)).toEqual({ password: after });
    expect([...reset.masks, ...shown.masks]).toEqual(expect.arrayContaining([after]));
    const uri = new URL(scene.service.uri('preview/reset', { role: 'app' }));
    uri.search = '';
    uri.password = after;
    expect(await ask(uri.href, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    uri.password = before;
    expect(await ask(uri.href, 'SELECT 1')).toMatch(/password authentication failed/);
  });

  it('may have a name that has to be encoded everywhere', async () => {
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
