import { beforeEach, describe, expect, it } from 'vitest';
import { pullRequest } from '../support/events.ts';
import { scenario, withScenario } from '../support/scenario.ts';

/** An error says what was tried, what came back, and what to do. */
const scene = scenario({ compute: 'none', operationMs: 5, protected: true });
const manage = (inputs: Record<string, string>) => ({ inputs: { command: 'manage', timeout: '20s', ...inputs } });
const main = () => ({ branch_id: scene.service.main.id });
beforeEach(() => scene.service.faults.clear());

describe('what is not there', () => {
  it.each(['get', 'update'])('is an error for %s, with a way to see what there is', async (verb) => {
    const body: Record<string, string> = verb === 'update' ? { body: '{"name": "x"}' } : {};
    const run = await scene.fails(manage({ resource: 'database', verb, ...main(), resource_id: 'nope', ...body }));
    expect(run.message).toMatch(/Could not \w+ database "nope": \w+ \/projects\/[^ ]+\/databases\/nope answered 404/);
    expect(run.message).toMatch(
      /\[request id [\w-]+\]\. There is no database "nope", .*`verb: list` shows what there is/,
    );
    expect(run.outputs).toMatchObject({ status: '404', created: 'false', deleted: 'false' });
    expect(JSON.parse(run.outputs.response ?? '')).toMatchObject({ message: 'database not found' });
  });

  it('is told from a project that is not there', async () => {
    for (const verb of ['get', 'delete']) {
      const where = { ...main(), project_id: 'no-such-project-1' };
      const run = await scene.fails(manage({ resource: 'role', verb, resource_id: 'app', ...where }));
      expect(run.message).toContain(
        'Could not read project no-such-project-1: GET /projects/no-such-project-1 answered 404',
      );
      expect(run.message).toContain('Is `project_id` right (no-such-project-1)');
      expect(run.outputs.deleted).toBe('false');
    }
  });

  it('is told from a branch that is not there', async () => {
    const run = await scene.fails(manage({ resource: 'role', verb: 'list', branch_id: 'br-no-such' }));
    expect(run.message).toContain('There is no branch with the ID br-no-such in the project');
    const named = await scene.fails(manage({ resource: 'role', verb: 'list', branch_name: 'nope' }));
    expect(named.message).toContain('There is no branch named "nope" in the project');
    expect(named.message).toContain('`command: create` makes it');
    const event = pullRequest({ number: 404 });
    const byEvent = await scene.fails({ event, ...manage({ resource: 'role', verb: 'list' }) });
    expect(byEvent.message).toContain('There is no branch named "preview/pr-404"');
  });

  it('counts as deleted before, together with a branch that is gone; a warning says which', async () => {
    for (const by of [{ branch_id: 'br-gone' }, { branch_name: 'gone' }] as Record<string, string>[]) {
      const run = await scene.succeeds(manage({ resource: 'role', verb: 'delete', resource_id: 'app', ...by }));
      expect(run.outputs).toMatchObject({ deleted: 'false', operation_ids: '[]' });
      expect(run.annotations.warning.join()).toMatch(
        /There is no branch .*gone"? in the project, and so nothing of it/,
      );
    }
    const branch = await scene.succeeds(manage({ resource: 'branch', verb: 'delete', branch_name: 'gone' }));
    expect(branch.outputs.deleted).toBe('false');
  });

  it('may be what a payload names', async () => {
    const body = '{"name": "shop", "owner_name": "nobody"}';
    const run = await scene.fails(manage({ resource: 'database', verb: 'create', ...main(), body }));
    expect(run.message).toContain('answered 404: role \\"nobody\\" not found'.replaceAll('\\', ''));
    expect(run.message).toContain('The project and the branch are there, but something that `body` names is not');
  });

  it.each([
    ['teams', 'The paths of teams are not published'],
    ['gizmos', 'The kind gizmos is not in the table'],
  ])('may be a path that nobody has published: that of %s', async (resource, why) => {
    await withScenario({ check: false }, async (other) => {
      other.service.faults.add({ path: new RegExp(`^/${resource}`), status: 404, body: { code: '', message: 'no' } });
      const listed = await other.fails(manage({ resource, verb: 'list' }));
      expect(listed.message).toContain(`${why}, so that this went by convention to /${resource}. Where that is not it`);
      const deleted = await other.succeeds(manage({ resource, verb: 'delete', resource_id: 'x' }));
      expect(deleted.annotations.warning.join()).toContain(`DELETE /${resource}/x answered 404`);
    });
  });
});

describe('a refusal', () => {
  it('to delete the default branch is the service’s own, and it is still there', async () => {
    const run = await scene.fails(manage({ resource: 'branch', verb: 'delete', ...main() }));
    expect(run.message).toMatch(/Could not delete branch br-[\w-]+: DELETE .* answered 4\d\d.*(protected|default)/i);
    expect(run.outputs.deleted).toBe('false');
    expect(scene.service.branch('main')).toBeDefined();
  });

  it('to make a second read-write endpoint says why `reuse` does not help', async () => {
    const body = '{"type": "read_write"}';
    const run = await scene.fails(manage({ resource: 'endpoint', verb: 'create', ...main(), body }));
    expect(run.message).toMatch(
      /answered 409 .*`if_exists: reuse` cannot find the one that is there.*`verb: list` shows/,
    );
    expect(run.outputs.status).toBe('409');
  });

  it('by a body that the service does not take is shown in its own words', async () => {
    // not what the description asks for, which is what this is about
    await withScenario({ check: false }, async (other) => {
      const { id } = other.service.main;
      const body = '{"name": "x"}';
      const run = await other.fails(manage({ resource: 'database', verb: 'create', branch_id: id, body }));
      expect(run.message).toMatch(/answered 400: .*owner_name/);
    });
  });

  it.each([
    [403, 'Use a key of an account or organization that may'],
    [412, "The project's plan does not allow this"],
    [500, 'It may have taken effect all the same'],
  ])('with %i comes with advice', async (status, advice) => {
    scene.service.faults.add({ method: 'POST', path: /^\/api_keys$/, status, body: { code: 'C', message: 'no' } });
    const run = await scene.fails(manage({ resource: 'api_key', verb: 'create', body: '{"key_name": "x"}' }));
    expect(run.message).toContain(`answered ${status} C: no`);
    expect(run.message).toContain(advice);
    expect(run.outputs.status).toBe(String(status));
  });
});

describe('the step', () => {
  it('reads the inputs before anything is sent, and says all that is wrong at once', async () => {
    const run = await scene.fails(
      manage({ project_id: '', resource: 'role', verb: 'create', body: '[]', if_exists: 'reset', branch_id: 'main!' }),
    );
    expect(run.requests).toEqual([]);
    for (const part of ['branch_id: got', 'if_exists: got reset', 'project_id: is empty', 'body: got other JSON'])
      expect(run.message).toContain(part);
  });

  it('tells in log and summary what it did', async () => {
    const run = await scene.succeeds(manage({ resource: 'role', verb: 'create', ...main(), resource_id: 'told' }));
    const at = `POST /projects/${scene.service.projectId}/branches/${scene.service.main.id}/roles`;
    expect(run.stdout).toContain(`Sending ${at}`);
    expect(run.summary).toContain(`\`${at}\``);
    expect(run.summary).toContain('| Status | 201 |');
    expect(run.summary).toContain('apply_config');
    expect(run.annotations.notice.join()).toContain(`Created role "told" on branch ${scene.service.main.id}`);
  });

  it('lets no name from outside do anything', async () => {
    const name = '::set-output name=x::y\n##[error]boo `|<b>@team</b>';
    await scene.succeeds(manage({ resource: 'role', verb: 'create', ...main(), body: JSON.stringify({ name }) }));
    const run = await scene.fails(
      manage({ resource: 'role', verb: 'create', ...main(), body: JSON.stringify({ name }), if_exists: 'fail' }),
    );
    expect(run.outputs).not.toHaveProperty('x');
    expect(run.annotations.error).toHaveLength(1);
    expect(run.summary).not.toMatch(/<b>|@team/);
  });

  it('with `on_missing_key: skip` ends well without a key', async () => {
    const run = await scene.succeeds(manage({ resource: 'user', verb: 'get', api_key: '', on_missing_key: 'skip' }));
    expect(run.outputs).toMatchObject({ skipped: 'true', command: 'manage' });
    expect(run.requests).toEqual([]);
  });
});
