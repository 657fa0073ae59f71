import { once } from 'node:events';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { scenario, withScenario } from '../support/scenario.ts';

const scene = scenario();
const real = scenario({
  compute: 'postgres',
  seed: "CREATE TABLE items (name text); INSERT INTO items VALUES ('first')",
});
const reset = (name: string, inputs: Record<string, string> = {}) => ({
  inputs: { command: 'reset', branch_name: name, ...inputs },
});
const restores = (run: { calls: string[] }) => run.calls.filter((call) => call.includes('/restore')).length;
const names = async (branch: string) =>
  (await real.service.query(branch, 'SELECT name FROM items ORDER BY name')).map((row) => row.name);

describe('the data of a reset branch', () => {
  it("is the parent's again, and the same connection URIs still work", async () => {
    const { service } = real;
    const made = await real.succeeds({ inputs: { branch_name: 'head' } });
    await service.query('head', "INSERT INTO items VALUES ('mine'); CREATE TABLE extra ()");
    await service.query('main', "INSERT INTO items VALUES ('later')");
    const run = await real.succeeds(reset('head', { check_connection: 'true' }));
    expect(await names('head')).toEqual(['first', 'later']);
    expect(await service.query('head', "SELECT to_regclass('extra') AS extra")).toEqual([{ extra: null }]);
    for (const output of ['branch_id', 'parent_id', 'db_url', 'db_url_pooled', 'db_host', 'password', 'role'])
      expect(run.outputs[output]).toBe(made.outputs[output]);
    expect(run.outputs).toMatchObject({ command: 'reset', created: 'false', deleted: 'false' });
    expect(JSON.parse(run.outputs.operation_ids ?? '').length).toBeGreaterThan(0);
  });

  it("is the parent's at an LSN or a timestamp", async () => {
    const { service } = real;
    await service.addBranch({ name: 'past' });
    const [before] = await service.query('main', 'SELECT pg_current_wal_lsn() AS lsn, now() AS time');
    const rows = await names('main');
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await service.query('main', "INSERT INTO items VALUES ('too late')");
    await real.succeeds(reset('past', { parent_point: String(before?.lsn) }));
    expect(await names('past')).toEqual(rows);
    await real.succeeds(reset('past'));
    expect(await names('past')).toContain('too late');
    const time = new Date(new Date(String(before?.time)).getTime() + 1_000).toISOString();
    await real.succeeds(reset('past', { parent_point: time }));
    expect(await names('past')).toEqual(rows);
  });

  it('is kept under another name, along with the children', async () => {
    const { service } = real;
    const { id } = await service.addBranch({ name: 'kept' });
    await service.query('kept', "INSERT INTO items VALUES ('old')");
    await service.addBranch({ name: 'kept/child', parent: 'kept' });
    await real.succeeds(reset('kept', { preserve_under_name: 'kept/before' }));
    expect(await names('kept')).not.toContain('old');
    expect(await names('kept/before')).toContain('old');
    expect(service.branch('kept')?.id).toBe(id);
    expect(service.branch('kept/child')?.parent_id).toBe(service.branch('kept/before')?.id);
  });

  it('is reset even if a connection is open, and that connection is closed', async () => {
    const { service } = real;
    const { outputs } = await real.succeeds({ inputs: { branch_name: 'in use' } });
    const client = new pg.Client({ connectionString: outputs.db_url?.replace(/[?].*/, ''), ssl: false });
    const ended = once(client, 'error');
    await client.connect();
    await client.query("BEGIN; INSERT INTO items VALUES ('under way')");
    await real.succeeds(reset('in use', { check_connection: 'true' }));
    expect(String(await ended)).toMatch(/terminat|ECONNRESET/i);
    expect(await names('in use')).not.toContain('under way');
    expect(service.endpoints('in use')).toHaveLength(1);
    await client.end().catch(() => {});
  });

  it('is that of a point in history with `if_exists: reset` too', async () => {
    const { service } = real;
    const [before] = await service.query('main', 'SELECT pg_current_wal_lsn() AS lsn');
    const rows = await names('main');
    await real.succeeds({ inputs: { branch_name: 'again past' } });
    await service.query('main', "INSERT INTO items VALUES ('later than that')");
    const play = { branch_name: 'again past', if_exists: 'reset', parent_point: String(before?.lsn) };
    const run = await real.succeeds({ inputs: play });
    expect([run.outputs.created, restores(run)]).toEqual(['false', 1]);
    expect(await names('again past')).toEqual(rows);
  });

  it('is reset with `if_exists: reset`, and a new branch is only created', async () => {
    const play = { inputs: { branch_name: 'again', if_exists: 'reset' } };
    const made = await real.succeeds(play);
    expect([made.outputs.created, restores(made)]).toEqual(['true', 0]);
    await real.service.query('again', 'DELETE FROM items');
    const run = await real.succeeds(play);
    expect([run.outputs.created, restores(run)]).toEqual(['false', 1]);
    expect(run.outputs.db_url).toBe(made.outputs.db_url);
    expect(await names('again')).toContain('first');
  });
});

describe('a reset', () => {
  it.each(['reset', 'create'])('refuses default and protected branches before any change (%s)', async (command) => {
    const name = `guarded-${command}`;
    await scene.service.addBranch({ name, protected: true, endpoint: false });
    for (const branch_name of ['main', name]) {
      const run = await scene.fails({ inputs: { command, branch_name, if_exists: 'reset' } });
      expect(run.message).toMatch(/it is protected|is the default branch/);
      expect(run.requests.filter(({ method, status }) => method !== 'GET' && status < 400)).toEqual([]);
    }
  });

  it('outputs no connection URI if the branch was renamed in the meantime', async () => {
    const branch = await scene.service.addBranch({ name: 'renamed-from' });
    const fault = scene.service.faults.add({
      method: 'GET',
      path: new RegExp(`/branches/${branch.id}$`),
      when: () => Object.assign(scene.service.branch(branch.id) ?? {}, { name: 'renamed-to' }) !== undefined,
      delay: 0,
    });
    const run = await scene.fails(reset('renamed-from'));
    expect(run.message).toContain(`Branch "renamed-from" (${branch.id}) was renamed to "renamed-to" in the meantime`);
    expect(run.outputs.db_url).toBeUndefined();
    await scene.succeeds({ inputs: { command: 'reset', branch_id: branch.id } });
    fault.remove();
  });

  it('never copies rows into a schema-only branch', async () => {
    const play = { branch_name: 'bare', branch_type: 'schema-only' };
    await real.succeeds({ inputs: play });
    const ways: Record<string, string>[] = [{ command: 'reset' }, { if_exists: 'reset' }];
    for (const inputs of ways) {
      const run = await real.fails({ inputs: { branch_name: 'bare', parent_branch: 'main', ...inputs } });
      expect(run.message).toContain('is a schema-only branch, and a reset would copy');
      expect(restores(run)).toBe(0);
    }
    const invalid = await real.fails({ inputs: { ...play, if_exists: 'reset', parent_branch: 'main' } });
    expect(invalid.message).toContain('are mutually exclusive');
    expect(await names('bare')).toEqual([]);
  });

  it('says what is missing: the branch, or the named parent', async () => {
    expect((await scene.fails(reset('nowhere'))).message).toContain('The project has no branch "nowhere"');
    await scene.service.addBranch({ name: 'orphan' });
    const run = await scene.fails(reset('orphan', { parent_branch: 'nobody' }));
    expect(run.message).toContain('(`parent_branch`). Nothing was changed');
    expect(restores(run)).toBe(0);
  });

  it('uses the named parent, and finds the branch by ID', async () => {
    const source = await scene.service.addBranch({ name: 'source' });
    const { id } = await scene.service.addBranch({ name: 'by-id' });
    const run = await scene.succeeds({ inputs: { command: 'reset', branch_id: id, parent_branch: 'source' } });
    expect(run.requests.find(({ method }) => method === 'POST')?.body).toEqual({ source_branch_id: source.id });
    expect(run.outputs).toMatchObject({ branch_id: id, branch_name: 'by-id', parent_id: source.id });
    expect(run.annotations.notice).toEqual([`Reset branch "by-id" (${id}) to the head of branch "source"`]);
    expect(run.summary).toContain('Reset branch "by-id"');
  });

  it('names the children that require `preserve_under_name`', async () => {
    const hour = Date.now() - 3_600_000;
    await scene.service.addBranch({ name: 'parent', createdAt: hour });
    await scene.service.addBranch({ name: 'parent/child', parent: 'parent' });
    expect((await scene.fails(reset('parent'))).message).toContain(
      'so it was not reset. To keep its old state for them, set `preserve_under_name`.',
    );
  });

  it('sets a given expiry, and otherwise reports the existing one', async () => {
    await scene.succeeds({ inputs: { branch_name: 'expiring', expires_in: '2h' } });
    const kept = await scene.succeeds(reset('expiring'));
    expect(kept.outputs.expires_at).toBe(scene.service.branch('expiring')?.expires_at);
    expect(kept.calls.filter((call) => call.startsWith('PATCH'))).toEqual([]);
    const anew = await scene.succeeds(reset('expiring', { expires_in: '9h' }));
    expect(anew.outputs.expires_at).toBe(scene.service.branch('expiring')?.expires_at);
    const hours = (Date.parse(anew.outputs.expires_at ?? '') - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(8.9);
  });

  it('creates an endpoint for a branch without one', async () => {
    const { id } = await scene.service.addBranch({ name: 'endless', endpoint: false });
    const run = await scene.succeeds(reset('endless'));
    expect(run.outputs.branch_id).toBe(id);
    expect(run.outputs.db_url).toBe(scene.service.uri('endless'));
    expect(scene.service.endpoints('endless')).toHaveLength(1);
  });

  it.concurrent('sets the expiry with `wait: false`, while the reset is still running', async () => {
    await withScenario({ operationMs: 300 }, async (slow) => {
      await slow.service.addBranch({ name: 'slow', createdAt: Date.now() - 3_600_000 });
      const run = await slow.succeeds(reset('slow', { wait: 'false', expires_in: '9h' }));
      expect(run.calls.filter((call) => /^PATCH .* 200/.test(call))).toHaveLength(1);
      await slow.service.idle();
      expect(run.outputs.expires_at).toBe(slow.service.branch('slow')?.expires_at);
    });
  });

  it.concurrent.each(['before', 'after'] as const)(
    'happens once if its response is lost %s it acted',
    async (close) => {
      await withScenario({ operationMs: 100 }, async (lost) => {
        await lost.service.addBranch({ name: 'lost', createdAt: Date.now() - 3_600_000 });
        const fault = lost.service.faults.add({ method: 'POST', path: /restore$/, close, nth: 1 });
        const run = await lost.succeeds(reset('lost'));
        expect([fault.fired(), restores(run)]).toEqual([1, close === 'before' ? 2 : 1]);
        const timelines = lost.service.operations().filter(({ action }) => action === 'create_timeline');
        expect(timelines.filter(({ branch_id }) => branch_id === run.outputs.branch_id)).toHaveLength(1);
      });
    },
  );

  it.concurrent('is not mistaken for done while the compute starts', async () => {
    await withScenario({ operationMs: 700, conflicts: 'queue' }, async (lost) => {
      const { baseUrl, projectId, apiKey } = lost.service;
      await lost.service.addBranch({ name: 'awake', createdAt: Date.now() - 3_600_000 });
      const [endpoint] = lost.service.endpoints('awake');
      lost.service.faults.add({
        method: 'POST',
        path: /restore$/,
        nth: 1,
        close: 'after',
        delay: 300,
        when: () => {
          // Someone connects or restarts the compute at that moment.
          void fetch(`${baseUrl}/projects/${projectId}/endpoints/${endpoint?.id}/restart`, {
            method: 'POST',
            headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
          });
          return true;
        },
      });
      const run = await lost.succeeds(reset('awake'));
      expect(restores(run)).toBe(1);
      expect(lost.service.branch('awake')?.last_reset_at).toMatch(/^20/);
      const timelines = lost.service.operations().filter(({ action }) => action === 'create_timeline');
      expect(timelines.filter(({ branch_id }) => branch_id === run.outputs.branch_id)).toHaveLength(1);
    });
  });

  it.concurrent('is not mistaken for done because the branch is new', async () => {
    await withScenario({ operationMs: 700, conflicts: 'queue' }, async (lost) => {
      await lost.succeeds({ inputs: { command: 'create', branch_name: 'new', wait: 'false' } });
      lost.service.faults.add({ method: 'POST', path: /restore$/, close: 'before', nth: 1 });
      const run = await lost.succeeds(reset('new'));
      expect(restores(run)).toBe(2);
      expect(lost.service.branch('new')?.last_reset_at).toMatch(/^20/);
    });
  });
});
