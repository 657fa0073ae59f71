import { describe, expect, it } from 'vitest';
import type { Context } from '../../../src/context.ts';
import { InputError, loadInputs } from '../../../src/inputs/load.ts';
import { planOf } from '../../../src/inputs/plan.ts';
import { outline } from '../../../src/manage/locate.ts';
import { kinds, verbs } from '../../../src/objects/kinds.ts';
import { parseEvent, type RunEvent } from '../../../src/runner/event.ts';

const event = (env: NodeJS.ProcessEnv = {}): RunEvent => parseEvent({ env, payload: {} });
const onPush = event({ GITHUB_EVENT_NAME: 'push', GITHUB_REF: 'refs/heads/feature/x' });
const onSchedule = event({ GITHUB_EVENT_NAME: 'schedule' });

function load(given: Record<string, string>, at: RunEvent = onSchedule) {
  const inputs: Record<string, string> = { api_key: 'k', command: 'manage', ...given };
  const source = {
    getInput: (name: string) => inputs[name] ?? '',
    getBooleanInput: (name: string) => inputs[name] === 'true',
  };
  const loaded = loadInputs({ source, event: at, now: 0, mask: () => {} });
  if ('skip' in loaded) throw new Error('it was skipped');
  return loaded.inputs;
}

/** What is said against the inputs, one line each; none where they are good. */
function faults(given: Record<string, string>, at?: RunEvent): string[] {
  try {
    load(given, at);
    return [];
  } catch (error) {
    if (error instanceof InputError) return error.faults;
    throw error;
  }
}

const project = { project_id: 'shiny-wind-028834' };
const branch = { ...project, branch_id: 'br-1' };

describe('manage takes', () => {
  it.each([
    [{ resource: 'role', verb: 'create', ...branch, body: '{"name":"app"}' }],
    [{ resource: 'role', verb: 'create', ...branch, resource_id: 'app' }],
    [{ resource: 'role', verb: 'create', ...branch, resource_id: 'app', body: '{"role":{"name":"app"}}' }],
    [{ resource: 'role', verb: 'list', ...project, branch_name: 'preview/x' }],
    [{ resource: 'database', verb: 'update', ...branch, resource_id: 'a b/ü', body: '{"name":"c"}' }],
    [{ resource: 'branch', verb: 'create', ...project }],
    [{ resource: 'branch', verb: 'get', ...branch }],
    [{ resource: 'branch', verb: 'delete', ...project, branch_name: 'x' }],
    [{ resource: 'project', verb: 'create' }],
    [{ resource: 'project', verb: 'get', ...project }],
    [{ resource: 'project', verb: 'list' }],
    [{ resource: 'project', verb: 'update', resource_id: 'other-1', body: '{"name":"c"}' }],
    [{ resource: 'API keys', verb: 'create', body: '{"key_name":"ci"}' }],
    [{ resource: 'api-key', verb: 'delete', resource_id: '165432' }],
    [{ resource: 'user', verb: 'get' }],
    [{ resource: 'users', verb: 'query' }],
    [{ resource: 'users', verb: 'get', resource_id: 'me' }],
    [{ resource: 'operation', verb: 'get', ...project, resource_id: 'a05ba9c2-9f34-4b22-9d6e-6c5b0a4b3f2d' }],
    [{ resource: 'compute endpoint', verb: 'create', ...branch, body: '{"type":"read_only"}' }],
    [{ resource: 'endpoint', verb: 'create', ...project, body: '{"type":"read_only","branch_id":"br-2"}' }],
    [{ resource: 'clusters', verb: 'query' }],
    [{ resource: 'cluster', verb: 'delete', body: '{"id":"c"}' }],
    [{ resource: 'cluster', verb: 'update', resource_id: 'c', body: '{"size":2}' }],
    [{ resource: 'teams', verb: 'get', resource_id: 't-1' }],
    [{ resource: 'snapshots', verb: 'delete', resource_id: 's' }],
    [{ method: 'get', path: '/regions' }],
    [{ method: 'POST', path: 'projects/p/endpoints/ep/start' }],
    [{ method: 'PUT', path: '/x', body: '[1]' }],
    [{ method: 'GET', path: '/projects/{project_id}/branches/{branch_id}/schema?db_name=a b', ...branch }],
    [{ method: 'DELETE', path: '/projects/{project_id}/snapshots/{resource_id}', ...project, resource_id: 's/1' }],
  ])('%j', (given) => {
    expect(faults(given)).toEqual([]);
  });

  it('the branch from the event where no input names one', () => {
    const given = { resource: 'role', verb: 'list', ...project };
    expect(faults(given, onPush)).toEqual([]);
    expect(faults(given, onSchedule)).toEqual([
      'branch_id and branch_name: are empty, and event "schedule" names no branch, but a role belongs to one; takes one of the two',
    ]);
  });
});

describe('manage refuses', () => {
  it.each([
    ['nothing at all', {}, ['resource and verb: are empty, as are method and path']],
    [
      'no verb',
      { resource: 'role' },
      ['verb: is empty, takes one of those that a role has: create, list, get and delete'],
    ],
    ['no kind', { verb: 'get' }, ['resource: is empty, takes a kind of object with `verb`: project, branch,']],
    ['no method', { path: '/regions' }, ['method: is empty']],
    ['no path', { method: 'GET' }, ['path: is empty']],
    [
      'both pairs',
      { resource: 'user', verb: 'get', method: 'GET', path: '/x' },
      ['resource / verb and method / path:'],
    ],
    ['some of both', { resource: 'user', path: '/x' }, ['resource / verb and method / path:']],
    [
      'no kind that could be',
      { resource: 'a/b', verb: 'get' },
      ['resource: got "a/b", takes a kind of object: project,'],
    ],
    [
      'a verb that a role has not',
      { resource: 'role', verb: 'update', ...branch },
      ['verb: got update, but a role has create, list, get and delete only'],
    ],
    ['a verb that users have not', { resource: 'user', verb: 'delete' }, ['verb: got delete, but a user has get only']],
    [
      'a verb that keys have not',
      { resource: 'api_key', verb: 'query', resource_id: '1' },
      ['resource_id: got "1", but `list` of API keys takes none'],
    ],
    [
      'no verb that there is',
      { resource: 'role', verb: 'drop', ...branch },
      ['verb: got "drop", takes one of create,'],
    ],
    ['no project', { resource: 'branch', verb: 'list' }, ['project_id: is empty, but a branch belongs to a project;']],
    [
      'no project and no branch',
      { resource: 'role', verb: 'list' },
      ['project_id: is empty, but a role belongs to a branch of a project;', 'branch_id and branch_name: are empty'],
    ],
    [
      'an endpoint of no branch',
      { resource: 'endpoint', verb: 'create', ...project, body: '{"type":"read_only"}' },
      ['branch_id and branch_name: are empty'],
    ],
    ['no ID', { resource: 'team', verb: 'get' }, ['resource_id: is empty, takes the id of the team']],
    ['no name', { resource: 'role', verb: 'get', ...branch }, ['resource_id: is empty, takes the name of the role']],
    [
      'no branch ID',
      { resource: 'branch', verb: 'get', ...project },
      ['resource_id: is empty, takes the id of the branch, or'],
    ],
    [
      'an ID for all',
      { resource: 'role', verb: 'list', ...branch, resource_id: 'a' },
      ['resource_id: got "a", but `list` of roles'],
    ],
    [
      'an ID for a new one',
      { resource: 'endpoint', verb: 'create', ...branch, resource_id: 'ep-1', body: '{}' },
      ['resource_id: got "ep-1", but the service chooses the ID of a new compute endpoint'],
    ],
    [
      'a name for a branch’s ID',
      { resource: 'branch', verb: 'get', ...project, resource_id: 'preview/pr-7' },
      [
        'resource_id: got "preview/pr-7", takes the branch\'s ID, such as br-wispy-meadow-118737; a name goes into branch_name',
      ],
    ],
    [
      'a key for its ID',
      { resource: 'api_key', verb: 'delete', resource_id: `napi_${'s'.repeat(60)}` },
      ["resource_id: got something else (not shown), takes the key's ID, such as 165432, and never the key itself"],
    ],
    [
      'a connection string for a name',
      { resource: 'database', verb: 'get', ...branch, resource_id: 'postgresql://u:secret@h/d' },
      ['resource_id: got a connection string (not shown)'],
    ],
    ['dots for a name', { resource: 'role', verb: 'get', ...branch, resource_id: '..' }, ['resource_id: got ".."']],
    [
      'another user',
      { resource: 'user', verb: 'get', resource_id: 'u-1' },
      ['resource_id: got "u-1", takes nothing, or me'],
    ],
    [
      'a payload for a read',
      { resource: 'user', verb: 'get', body: '{}' },
      ['body: got a payload, but `get` of a user'],
    ],
    [
      'a payload for a delete',
      { resource: 'role', verb: 'delete', ...branch, resource_id: 'a', body: '{}' },
      ['body: got a payload, but `delete` of a role sends none'],
    ],
    [
      'no payload',
      { resource: 'api_key', verb: 'create' },
      ['body: is empty, but `create` of an API key needs a payload: {"key_name": "ci"}'],
    ],
    ['no change', { resource: 'team', verb: 'update', resource_id: 't' }, ['body: is empty, but `update` of a team']],
    ['a list', { resource: 'team', verb: 'create', body: '[]' }, ['body: got other JSON, takes a JSON object']],
    ['no JSON', { resource: 'team', verb: 'create', body: '{' }, ['body: got what is no JSON']],
    [
      'no name for a role',
      { resource: 'role', verb: 'create', ...branch, body: '{}' },
      ['body: has no name for the new role'],
    ],
    [
      'two names',
      { resource: 'role', verb: 'create', ...branch, resource_id: 'a', body: '{"name":"b"}' },
      ['body and resource_id: got the names "b" and "a", takes one'],
    ],
    [
      'two names for a branch',
      { resource: 'branch', verb: 'create', ...project, branch_name: 'a', body: '{"branch":{"name":"b"}}' },
      ['body and branch_name: got the names "b" and "a", takes one'],
    ],
    [
      'two branches',
      { resource: 'endpoint', verb: 'create', ...branch, body: '{"endpoint":{"branch_id":"br-2"}}' },
      ['body and branch_id: got the branches "br-2" and br-1, takes one'],
    ],
    [
      'a reset',
      { resource: 'user', verb: 'get', if_exists: 'reset' },
      ['if_exists: got reset, takes reuse or fail with'],
    ],
    [
      'a payload for GET',
      { method: 'GET', path: '/x', body: '{}' },
      ['body: got a payload, but `method: GET` sends none'],
    ],
    [
      'another origin',
      { method: 'GET', path: 'https://evil.example/x' },
      ['path: got "https://evil.example/x", takes a path'],
    ],
    ['another host', { method: 'GET', path: '//evil.example/x' }, ['path: got']],
    ['a way out', { method: 'GET', path: '/a/../../v1/x' }, ['path: got']],
    ['a hidden way out', { method: 'GET', path: '/a%3F/%2e%2e/x' }, ['path: got']],
    [
      'an ID that goes nowhere',
      { method: 'GET', path: '/x', resource_id: 'a' },
      ['resource_id: got an ID, but path has no'],
    ],
    [
      'an unknown name in a path',
      { method: 'GET', path: '/x/{name}' },
      ['path: has {name}, takes {project_id}, {branch_id}, {resource_id}'],
    ],
    [
      'names in a path that are empty',
      { method: 'GET', path: '/x/{project_id}/{branch_id}/{resource_id}' },
      [
        'project_id: is empty, but path',
        'resource_id: is empty, but path',
        'project_id: is empty, but',
        'branch_id and branch_name:',
      ],
    ],
  ] as [string, Record<string, string>, string[]][])('%s', (_, given, starts) => {
    const said = faults(given);
    expect(said.map((fault, index) => fault.startsWith(starts[index] ?? '?'))).toEqual(starts.map(() => true));
    expect(said).toHaveLength(starts.length);
    expect(said.join()).not.toMatch(/secret|ssss/);
  });

  it('every verb that a kind does not have, and names those that it has', () => {
    const wrong = kinds.flatMap((kind) =>
      verbs.filter((verb) => !kind.verbs.includes(verb)).map((verb) => ({ kind, verb })),
    );
    expect(wrong).toHaveLength(10);
    for (const { kind, verb } of wrong) {
      const said = faults({ resource: kind.one, verb, ...branch });
      expect(said).toHaveLength(1);
      expect(said[0]).toContain(`got ${verb}`);
      for (const other of kind.verbs) expect(said[0]).toContain(other);
    }
  });

  it('all that is wrong in one message, with the faults of single inputs', () => {
    const said = faults({
      resource: 'role',
      verb: 'create',
      if_exists: 'reset',
      body: '{"a":',
      project_id: 'br-1',
      timeout: 'x',
    });
    expect(said.map((fault) => fault.split(':')[0])).toEqual([
      'project_id',
      'body',
      'timeout',
      'if_exists',
      'branch_id and branch_name',
    ]);
  });
});

describe('a plan', () => {
  const sent = (given: Record<string, string>, at?: RunEvent) => {
    const inputs = load(given, at);
    const plan = planOf(inputs);
    if (!plan) throw new Error('there is no plan');
    const { method, path, payload } = outline({ inputs, event: at ?? onSchedule } as Context, plan);
    return [`${method} ${path}`, ...(payload === undefined ? [] : [payload])];
  };

  it.each([
    [
      { resource: 'role', verb: 'create', ...branch, resource_id: 'app' },
      'POST /projects/shiny-wind-028834/branches/br-1/roles',
      { role: { name: 'app' } },
    ],
    [
      { resource: 'branch', verb: 'create', ...project, branch_name: 'x' },
      'POST /projects/shiny-wind-028834/branches',
      { branch: { name: 'x' } },
    ],
    [{ resource: 'project', verb: 'create', resource_id: 'mine' }, 'POST /projects', { project: { id: 'mine' } }],
    [
      { resource: 'endpoint', verb: 'create', ...branch, body: '{"type":"read_only"}' },
      'POST /projects/shiny-wind-028834/endpoints',
      { endpoint: { branch_id: 'br-1', type: 'read_only' } },
    ],
    [{ resource: 'api_key', verb: 'create', body: '{"key_name":"ci"}' }, 'POST /api_keys', { key_name: 'ci' }],
    [
      { resource: 'cluster', verb: 'update', resource_id: 'c 1', body: '{"size":2}' },
      'PATCH /clusters?id=c+1',
      { cluster: { size: 2 } },
    ],
    [{ resource: 'cluster', verb: 'query', resource_id: 'c' }, 'GET /clusters?id=c'],
    [{ resource: 'cluster', verb: 'query' }, 'GET /clusters'],
    [{ resource: 'project', verb: 'get', ...project }, 'GET /projects/shiny-wind-028834'],
    [{ resource: 'project', verb: 'query', ...project }, 'GET /projects'],
    [{ resource: 'project', verb: 'query', resource_id: 'other' }, 'GET /projects/other'],
    [{ resource: 'branch', verb: 'query', ...branch }, 'GET /projects/shiny-wind-028834/branches/br-1'],
    [
      { resource: 'branch', verb: 'delete', ...project, branch_name: 'x' },
      'DELETE /projects/shiny-wind-028834/branches/{branch_id}',
    ],
    [
      { resource: 'role', verb: 'get', ...project, branch_name: 'x', resource_id: 'a/b' },
      'GET /projects/shiny-wind-028834/branches/{branch_id}/roles/a%2Fb',
    ],
    [{ resource: 'operations', verb: 'query', ...project }, 'GET /projects/shiny-wind-028834/operations'],
    [{ resource: 'users', verb: 'query' }, 'GET /users/me'],
  ] as [Record<string, string>, string, unknown?][])('%j is %s', (given, line, payload) => {
    expect(sent(given)).toEqual(payload === undefined ? [line] : [line, payload]);
  });

  it('leaves the branch of the event to be looked up', () => {
    const given = { resource: 'endpoint', verb: 'create', ...project, body: '{"type":"read_only"}' };
    expect(sent(given, onPush)).toEqual([
      'POST /projects/shiny-wind-028834/endpoints',
      { endpoint: { branch_id: '{branch_id}', type: 'read_only' } },
    ]);
  });
});
