import { beforeEach, describe, expect, it } from 'vitest';
import { pullRequest } from '../../../tools/runner/events.ts';
import { scenario, withScenario } from '../../support/scenario.ts';

/** An error says what was attempted, what the response was, and what to do. */
const scene = scenario({ compute: 'none', operationMs: 5, protected: true });
const manage = (inputs: Record<string, string>) => ({ inputs: { command: 'manage', timeout: '20s', ...inputs } });
const main = () => ({ branch_id: scene.service.main.id });
beforeEach(() => scene.service.faults.clear());

describe('an object that does not exist', () => {
  it.each(['get', 'update'])('fails %s, and the error says how to list what exists', async (verb) => {
    const body: Record<string, string> = verb === 'update' ? { body: '{"name": "x"}' } : {};
    const run = await scene.fails(manage({ resource: 'database', verb, ...main(), resource_id: 'nope', ...body }));
    expect(run.message).toMatch(
      /Could not \w+ database "nope": 404, database not found \((\d+ attempts, )?request id [\w-]+\)\./,
    );
    expect(run.message).toMatch(
      /\. The database does not exist, or the key has no access to it; `verb: list` shows the databases that exist/,
    );
    expect(run.outputs).toMatchObject({ status: '404', created: 'false', deleted: 'false' });
    expect(JSON.parse(run.outputs.response ?? '')).toMatchObject({ message: 'database not found' });
  });

  it.each([
    ['auth', 'get', 'auth integration'],
    ['data_api', 'update', 'Data API'],
  ])('is not confused with its branch: %s', async (resource, verb, name) => {
    const more: Record<string, string> = resource === 'auth' ? {} : { resource_id: 'neondb', body: '{"settings": {}}' };
    const run = await scene.fails(manage({ resource, verb, ...main(), ...more }));
    expect(run.message).toContain(`The branch exists, but the ${name} does not; \`verb: create\` creates it.`);
    expect(run.message).not.toContain('Run the step again');
  });

  it('is not confused with a project that does not exist', async () => {
    for (const verb of ['get', 'delete']) {
      const where = { ...main(), project_id: 'no-such-project-1' };
      const run = await scene.fails(manage({ resource: 'role', verb, resource_id: 'app', ...where }));
      expect(run.message).toContain('Could not read project no-such-project-1: 404, project not found');
      expect(run.message).toContain(
        "Check that `project_id` (no-such-project-1) is the project's ID, not its name, that `api_host` is correct",
      );
      expect(run.outputs.deleted).toBe('false');
    }
  });

  it('is not confused with a branch that does not exist', async () => {
    const run = await scene.fails(manage({ resource: 'role', verb: 'list', branch_id: 'br-no-such' }));
    expect(run.message).toContain('The project has no branch with the ID br-no-such');
    const named = await scene.fails(manage({ resource: 'role', verb: 'list', branch_name: 'nope' }));
    expect(named.message).toContain('The project has no branch "nope"');
    expect(named.message).toContain('`command: create` creates it');
    const event = pullRequest({ number: 404 });
    const byEvent = await scene.fails({ event, ...manage({ resource: 'role', verb: 'list' }) });
    expect(byEvent.message).toContain('The project has no branch "preview/pr-404"');
  });

  it('counts as deleted if its branch does not exist, with a warning', async () => {
    for (const by of [{ branch_id: 'br-gone' }, { branch_name: 'gone' }] as Record<string, string>[]) {
      const run = await scene.succeeds(manage({ resource: 'role', verb: 'delete', resource_id: 'app', ...by }));
      expect(run.outputs).toMatchObject({ deleted: 'false', operation_ids: '[]' });
      expect(run.annotations.warning.join()).toMatch(
        /The project has no branch .*gone"?, so there is nothing to delete on it/,
      );
    }
    const branch = await scene.succeeds(manage({ resource: 'branch', verb: 'delete', branch_name: 'gone' }));
    expect(branch.outputs.deleted).toBe('false');
  });

  it('may be one that the payload names', async () => {
    const body = '{"name": "shop", "owner_name": "nobody"}';
    const run = await scene.fails(manage({ resource: 'database', verb: 'create', ...main(), body }));
    expect(run.message).toContain('404, role "nobody" not found');
    expect(run.message).toContain('The project and the branch exist, but something that `body` names does not');
  });

  it.each([
    [
      'teams',
      'The API does not document the path of teams, so the action assumed /teams. If that is wrong, use `method`',
    ],
    ['gizmos', 'Unknown kind "gizmos", so the action assumed /gizmos. If that is wrong, use `method` and `path`.'],
  ])('may be due to an unpublished path: %s', async (resource, why) => {
    await withScenario({ check: false }, async (other) => {
      other.service.faults.add({ path: new RegExp(`^/${resource}`), status: 404, body: { code: '', message: 'no' } });
      const listed = await other.fails(manage({ resource, verb: 'list' }));
      expect(listed.message).toContain(why);
      const deleted = await other.succeeds(manage({ resource, verb: 'delete', resource_id: 'x' }));
      expect(deleted.annotations.warning.join()).toContain(`DELETE /${resource}/x returned 404. ${why}`);
    });
  });
});

describe('a rejected request', () => {
  it('to delete the default branch changes nothing', async () => {
    const run = await scene.fails(manage({ resource: 'branch', verb: 'delete', ...main() }));
    expect(run.message).toMatch(/Could not delete branch br-[\w-]+: 4\d\d.*(protected|default)/i);
    expect(run.outputs.deleted).toBe('false');
    expect(scene.service.branch('main')).toBeDefined();
  });

  it('for an object that cannot be looked up says why `reuse` does not help', async () => {
    const team = { resource: 'team', verb: 'create', body: '{"name": "twice"}' };
    await scene.succeeds(manage(team));
    const run = await scene.fails(manage(team));
    expect(run.message).toMatch(
      /: 409 .*Look for the team with `verb: list`: the action can't look it up itself, because it knows no field by which to recognize the team\.$/,
    );
    expect(run.outputs.status).toBe('409');
  });

  it('with an invalid body is reported in the words of the service', async () => {
    // on purpose not what the API's description requires
    await withScenario({ check: false }, async (other) => {
      const { id } = other.service.main;
      const body = '{"name": "x"}';
      const run = await other.fails(manage({ resource: 'database', verb: 'create', branch_id: id, body }));
      expect(run.message).toMatch(/: 400, .*owner_name/);
    });
  });

  it.each([
    [403, 'Use a key that may do this; a project-scoped key has access only to its project'],
    [412, 'The plan may not allow this.'],
    [500, 'The request may have taken effect'],
  ])('with %i is reported with advice', async (status, advice) => {
    scene.service.faults.add({ method: 'POST', path: /^\/api_keys$/, status, body: { code: 'C', message: 'no' } });
    const run = await scene.fails(manage({ resource: 'api_key', verb: 'create', body: '{"key_name": "x"}' }));
    expect(run.message).toContain(`: ${status} C, no`);
    expect(run.message).toContain(advice);
    expect(run.outputs.status).toBe(String(status));
  });
});

describe('the step', () => {
  it('reports all invalid inputs at once, before it sends anything', async () => {
    const run = await scene.fails(
      manage({ project_id: '', resource: 'role', verb: 'create', body: '[]', if_exists: 'reset', branch_id: 'main!' }),
    );
    expect(run.requests).toEqual([]);
    for (const part of ['branch_id: ', 'if_exists: "reset" is invalid', 'project_id is required', 'body is invalid'])
      expect(run.message).toContain(part);
  });

  it('reports what it did in log and summary', async () => {
    const run = await scene.succeeds(manage({ resource: 'role', verb: 'create', ...main(), resource_id: 'told' }));
    const at = `POST /projects/${scene.service.projectId}/branches/${scene.service.main.id}/roles`;
    expect(run.stdout).toContain(`Sending ${at}`);
    expect(run.summary).toContain(`\`${at}\``);
    expect(run.summary).toContain('| Status | 201 |');
    expect(run.summary).toContain('apply_config');
    expect(run.annotations.notice.join()).toContain(`Created role "told" on branch ${scene.service.main.id}`);
  });

  it('shows a hostile name as plain text', async () => {
    const name = '::set-output name=x::y\n##[error]boo `|<b>@team</b>';
    await scene.succeeds(manage({ resource: 'role', verb: 'create', ...main(), body: JSON.stringify({ name }) }));
    const run = await scene.fails(
      manage({ resource: 'role', verb: 'create', ...main(), body: JSON.stringify({ name }), if_exists: 'fail' }),
    );
    expect(run.outputs).not.toHaveProperty('x');
    expect(run.annotations.error).toHaveLength(1);
    expect(run.summary).not.toMatch(/<b>|@team/);
  });

  it('succeeds without a key if `on_missing_key` is skip', async () => {
    const run = await scene.succeeds(manage({ resource: 'user', verb: 'get', api_key: '', on_missing_key: 'skip' }));
    expect(run.outputs).toMatchObject({ skipped: 'true', command: 'manage' });
    expect(run.requests).toEqual([]);
  });
});
