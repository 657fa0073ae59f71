import { describe, expect, it } from 'vitest';
import { InputError } from '../../../src/inputs/load.ts';
import { kinds, usualVerbs } from '../../../src/manage/kinds.ts';
import { parseEvent, type RunEvent } from '../../../src/step/event.ts';
import { branch, load, onPush, onSchedule, project } from './loaded.ts';

/** One message for each invalid input. */
function errorsOf(given: Record<string, string>, at?: RunEvent): string[] {
  try {
    load(given, at);
    return [];
  } catch (error) {
    if (error instanceof InputError) return error.errors;
    throw error;
  }
}

describe('a raw DELETE of a branch', () => {
  const given = { method: 'DELETE', path: '/projects/{project_id}/branches/{branch_id}', ...project };
  const closed = parseEvent({
    env: { GITHUB_EVENT_NAME: 'pull_request' },
    payload: { action: 'closed', pull_request: { number: 7 } },
  });

  it.each(['', '?hard_delete=true'])('does not take the branch from an event that ends nothing (%j)', (rest) => {
    expect(errorsOf({ ...given, path: given.path + rest }, onPush)).toEqual([
      'branch_id or branch_name is required: a raw `DELETE` of a branch takes the branch from the event only when a pull request is closed or a git ref is deleted; this run was triggered by "push"',
    ]);
  });

  it('takes it from the inputs, or from an event that ends it', () => {
    expect(errorsOf({ ...given, branch_name: 'x' }, onPush)).toEqual([]);
    expect(errorsOf({ ...given, branch_id: 'br-1' }, onPush)).toEqual([]);
    expect(errorsOf(given, closed)).toEqual([]);
  });

  it('is not what deletes something on the branch', () => {
    expect(errorsOf({ ...given, path: `${given.path}/roles/app` }, onPush)).toEqual([]);
    expect(errorsOf({ ...given, method: 'GET' }, onPush)).toEqual([]);
  });
});

describe('manage accepts', () => {
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
    [{ resource: 'endpoint', verb: 'create', ...branch, body: '{"branch_id":"br-1"}' }],
    [{ resource: 'branch', verb: 'create', ...project, body: '{}' }],
    [{ resource: 'data_api', verb: 'create', ...branch, resource_id: 'neondb', body: '{"settings":{}}' }],
    [{ resource: 'database', verb: 'create', ...branch, resource_id: 'app', body: '{"owner_name":"app"}' }],
    [{ resource: 'clusters', verb: 'query' }],
    [{ resource: 'cluster', verb: 'delete', resource_id: 'c' }],
    [{ resource: 'cluster', verb: 'delete', body: '{"id":"c"}' }],
    [{ resource: 'cluster', verb: 'update', resource_id: 'c', body: '{"size":2}' }],
    [{ resource: 'teams', verb: 'get', resource_id: 't-1' }],
    [{ resource: 'gadgets', verb: 'delete', resource_id: 's' }],
    [{ resource: 'snapshot', verb: 'create', ...branch }],
    [{ resource: 'snapshot', verb: 'create', ...branch, body: '{"name":"s","timestamp":"2026-01-01T00:00:00Z"}' }],
    [{ resource: 'snapshot', verb: 'restore', ...project, resource_id: 'snap-1' }],
    [{ resource: 'snapshot', verb: 'restore', ...project, resource_id: 'snap-1', body: '{"name":"b"}' }],
    [{ resource: 'auth', verb: 'create', ...branch, body: '{"auth_provider":"better_auth"}' }],
    [{ resource: 'auth', verb: 'delete', ...branch }],
    [{ resource: 'data_api', verb: 'create', ...branch, resource_id: 'neondb' }],
    [{ resource: 'data_api', verb: 'query', ...branch, resource_id: 'neondb' }],
    [{ resource: 'api_key', verb: 'create', body: '{"key_name":"ci","org_id":"org-1"}' }],
    [{ resource: 'api_key', verb: 'list', body: '{"org_id":"org-1"}' }],
    [{ resource: 'api_key', verb: 'delete', resource_id: '7', body: '{"org_id":"org-1"}' }],
    [{ method: 'get', path: '/regions' }],
    [{ method: 'POST', path: 'projects/p/endpoints/ep/start' }],
    [{ method: 'PUT', path: '/x', body: '[1]' }],
    [{ method: 'GET', path: '/projects/{project_id}/branches/{branch_id}/schema?db_name=a b', ...branch }],
    [{ method: 'DELETE', path: '/projects/{project_id}/snapshots/{resource_id}', ...project, resource_id: 's/1' }],
  ])('%j', (given) => {
    expect(errorsOf(given)).toEqual([]);
  });

  it('the branch of the event if no input names one', () => {
    const given = { resource: 'role', verb: 'list', ...project };
    expect(errorsOf(given, onPush)).toEqual([]);
    expect(errorsOf(given, onSchedule)).toEqual([
      'branch_id or branch_name is required: a role belongs to a branch, and event "schedule" names none',
    ]);
  });
});

describe('manage rejects', () => {
  it.each([
    [
      'no inputs',
      {},
      ['either resource and verb (such as `resource: role` and `verb: create`) or method and path are required'],
    ],
    [
      'a kind with a typo',
      { resource: 'rolle', verb: 'create' },
      ['resource: unknown kind "rolle"; did you mean "role"? If not, use `method` and `path`'],
    ],
    [
      'a Data API without a database',
      { resource: 'data_api', verb: 'create', ...branch },
      ['resource_id is required: set it to the name of the database that the Data API serves'],
    ],
    [
      'an ID of what a branch has once',
      { resource: 'auth', verb: 'get', ...branch, resource_id: 'x' },
      ['resource_id must be empty to get an auth integration: a branch has at most one'],
    ],
    [
      'a project that only `project_id` names, to delete it',
      { resource: 'project', verb: 'delete', ...project },
      ['resource_id is required: set it to the ID of the project'],
    ],
    [
      'a cluster that nothing names, to delete it',
      { resource: 'cluster', verb: 'delete' },
      ['resource_id is required: set it to the ID of the cluster'],
    ],
    [
      'a restore that would replace a branch that nobody named',
      { resource: 'snapshot', verb: 'restore', ...project, resource_id: 'snap-1', body: '{"finalize_restore": true}' },
      [
        'branch_id or branch_name is required with finalize_restore in body: otherwise the restore would replace the branch that the snapshot was taken from',
      ],
    ],
    [
      'two branches to restore to',
      { resource: 'snapshot', verb: 'restore', ...branch, resource_id: 'snap-1', body: '{"target_branch_id": "br-1"}' },
      [
        "target_branch_id in body can't be combined with branch_id or branch_name: each names the branch that the snapshot is restored to",
      ],
    ],
    [
      'two branches for a new compute endpoint',
      { resource: 'endpoint', verb: 'create', ...project, branch_name: 'x', body: '{"branch_id": "br-2"}' },
      ['branch_id in body and the input branch_name are mutually exclusive: both name a branch'],
    ],
    [
      'a raw DELETE whose last segment is empty',
      { method: 'DELETE', path: '/projects/p/' },
      ['path: "/projects/p/" has an empty segment; check the expressions in it, or remove the slash'],
    ],
    [
      'a raw PATCH with an empty segment',
      { method: 'PATCH', path: '/projects//branches/br-1', body: '{}' },
      ['path: "/projects//branches/br-1" has an empty segment; check the expressions in it, or remove the slash'],
    ],
    [
      'a field that snapshots do not have',
      { resource: 'snapshot', verb: 'create', ...branch, body: '{"name":"a","password":"pw_secret99"}' },
      ['body: unknown field "password"; expected any of name, timestamp, lsn, expires_at'],
    ],
    [
      'several fields that snapshots do not have',
      { resource: 'snapshot', verb: 'create', ...branch, body: '{"a":1,"b":2,"name":"c"}' },
      ['body: unknown fields "a" and "b"; expected any of name, timestamp, lsn, expires_at'],
    ],
    [
      'an organization that is none',
      { resource: 'api_key', verb: 'list', body: '{"org_id":"../x"}' },
      ['org_id in body is invalid; expected the ID of an organization, such as org-quiet-harbor-12345678'],
    ],
    [
      'more than an organization to delete a key',
      { resource: 'api_key', verb: 'delete', resource_id: '7', body: '{"org_id":"org-1","x":1}' },
      ['body is invalid; to delete an API key, it may contain only org_id'],
    ],
    ['no verb', { resource: 'role' }, ['verb is required: roles support create, list, get and delete']],
    ['no kind', { verb: 'get' }, ['resource is required: set it to a kind of object: project, branch,']],
    ['no method', { path: '/regions' }, ['method is required: set it to GET, POST,']],
    ['no path', { method: 'GET' }, ['path is required: set it to a path relative to the base URL, such as /projects']],
    [
      'both pairs',
      { resource: 'user', verb: 'get', method: 'GET', path: '/x' },
      ['`resource` and `verb` are mutually exclusive with `method` and `path`'],
    ],
    [
      'parts of both pairs',
      { resource: 'user', path: '/x' },
      ['`resource` and `verb` are mutually exclusive with `method` and `path`'],
    ],
    [
      'an invalid kind',
      { resource: 'a/b', verb: 'get' },
      ['resource: "a/b" is invalid; expected a kind of object (project, branch,'],
    ],
    [
      'a verb that roles do not support',
      { resource: 'role', verb: 'update', ...branch },
      ['verb: "update" is invalid for roles; expected create, list, get or delete'],
    ],
    [
      'a verb that users do not support',
      { resource: 'user', verb: 'delete' },
      ['verb: "delete" is invalid for users; expected get'],
    ],
    [
      'an ID for a query of keys',
      { resource: 'api_key', verb: 'query', resource_id: 'napi_secret' },
      ['resource_id must be empty to list API keys'],
    ],
    ['an unknown verb', { resource: 'role', verb: 'drop', ...branch }, ['verb: ']],
    ['no project', { resource: 'branch', verb: 'list' }, ['project_id is required: a branch belongs to a project']],
    [
      'no project and no branch',
      { resource: 'role', verb: 'list' },
      ['project_id is required: a role belongs to a branch in a project', 'branch_id or branch_name is required:'],
    ],
    [
      'an endpoint without a branch',
      { resource: 'endpoint', verb: 'create', ...project, body: '{"type":"read_only"}' },
      ['branch_id or branch_name is required: a compute endpoint belongs to a branch'],
    ],
    ...['..', '../../evil', '..\\evil', 'a/../b', '..;/x', '..;', '%2e%2e/x'].map(
      (id): [string, Record<string, string>, string[]] => [
        `dots in the ID of a path (${id})`,
        { method: 'GET', path: '/teams/{resource_id}', resource_id: id },
        ['resource_id: '],
      ],
    ),
    [
      'dots that an ID forms together with its path',
      { method: 'GET', path: '/teams/.{resource_id}', resource_id: './x' },
      ['resource_id: "./x" is invalid; expected a single path segment'],
    ],
    [
      'dots that a segment forms together with its path',
      { method: 'GET', path: '/teams/.{resource_id}', resource_id: ';x' },
      ['resource_id: ";x" is invalid; expected a single path segment'],
    ],
    [
      'dots that are harmless in their path',
      { method: 'GET', path: '/teams/a{resource_id}', resource_id: '..' },
      ['resource_id: ".." is invalid; expected a single path segment'],
    ],
    [
      'dots in the name of an object',
      { resource: 'database', verb: 'get', ...branch, resource_id: '../../evil' },
      ['resource_id: '],
    ],
    ['no ID', { resource: 'team', verb: 'get' }, ['resource_id is required: set it to the ID of the team']],
    [
      'no name',
      { resource: 'role', verb: 'get', ...branch },
      ['resource_id is required: set it to the name of the role'],
    ],
    [
      'no branch ID',
      { resource: 'branch', verb: 'get', ...project },
      ['resource_id is required: set it to the ID of the branch (or set branch_id or branch_name)'],
    ],
    [
      'an ID for a list',
      { resource: 'role', verb: 'list', ...branch, resource_id: 'a' },
      ['resource_id must be empty to list roles; `verb: get` reads one role'],
    ],
    [
      'an ID for a new endpoint',
      { resource: 'endpoint', verb: 'create', ...branch, resource_id: 'ep-1', body: '{}' },
      ['resource_id must be empty to create a compute endpoint: the service chooses the ID'],
    ],
    [
      'a name instead of a branch ID',
      { resource: 'branch', verb: 'get', ...project, resource_id: 'preview/pr-7' },
      [
        'resource_id: "preview/pr-7" is invalid; expected the branch\'s ID, such as br-wispy-meadow-118737 (for a name, set branch_name)',
      ],
    ],
    [
      'a key instead of its ID',
      { resource: 'api_key', verb: 'delete', resource_id: `napi_${'s'.repeat(60)}` },
      ["resource_id: the value (not shown) is invalid; expected the key's ID, such as 165432, never the key itself"],
    ],
    [
      'a connection URI instead of a name',
      { resource: 'database', verb: 'get', ...branch, resource_id: 'postgresql://u:secret@h/d' },
      ['resource_id: a connection URI (not shown) is invalid'],
    ],
    [
      'dots instead of a name',
      { resource: 'role', verb: 'get', ...branch, resource_id: '..' },
      ['resource_id: ".." is invalid; expected the name of the role'],
    ],
    [
      'another user',
      { resource: 'user', verb: 'get', resource_id: 'u-1' },
      ['resource_id: "u-1" is invalid; expected "me" or an empty value'],
    ],
    ['a payload for a read', { resource: 'user', verb: 'get', body: '{}' }, ['body must be empty to get a user']],
    [
      'a payload for a delete',
      { resource: 'role', verb: 'delete', ...branch, resource_id: 'a', body: '{}' },
      ['body must be empty to delete a role'],
    ],
    [
      'no payload for a create',
      { resource: 'api_key', verb: 'create' },
      ['body is required: set it to the payload to create an API key, such as {"key_name": "ci"}'],
    ],
    [
      'no payload for an update',
      { resource: 'team', verb: 'update', resource_id: 't' },
      ['body is required: set it to the payload to update a team'],
    ],
    [
      'a list as payload',
      { resource: 'team', verb: 'create', body: '[]' },
      ['body is invalid; expected a JSON object such as {"name": "app"}'],
    ],
    ['invalid JSON', { resource: 'team', verb: 'create', body: '{' }, ['body: ']],
    [
      'a role without a name',
      { resource: 'role', verb: 'create', ...branch, body: '{}' },
      ['body must contain the name of the new role'],
    ],
    [
      'two names for a role',
      { resource: 'role', verb: 'create', ...branch, resource_id: 'a', body: '{"name":"b"}' },
      ['body and resource_id give different names: "b" and "a"'],
    ],
    [
      'two names for a branch',
      { resource: 'branch', verb: 'create', ...project, branch_name: 'a', body: '{"branch":{"name":"b"}}' },
      ['body and branch_name give different names: "b" and "a"'],
    ],
    [
      'two branches',
      { resource: 'endpoint', verb: 'create', ...branch, body: '{"endpoint":{"branch_id":"br-2"}}' },
      ['body and branch_id refer to different branches: "br-2" and "br-1"'],
    ],
    [
      '`if_exists: reset`',
      { resource: 'user', verb: 'get', if_exists: 'reset' },
      ['if_exists: "reset" is invalid with `command: manage`; expected reuse or fail'],
    ],
    ['a payload for GET', { method: 'GET', path: '/x', body: '{}' }, ['body must be empty with `method: GET`']],
    ['another origin', { method: 'GET', path: 'https://evil.example/x' }, ['path: ']],
    ['another host', { method: 'GET', path: '//evil.example/x' }, ['path: ']],
    ['a path that leaves the base URL', { method: 'GET', path: '/a/../../v1/x' }, ['path: ']],
    ['an encoded path that leaves the base URL', { method: 'GET', path: '/a%3F/%2e%2e/x' }, ['path: ']],
    [
      'an ID that the path does not contain',
      { method: 'GET', path: '/x', resource_id: 'a' },
      ['resource_id must be empty if `path` has no {resource_id}'],
    ],
    [
      'an unknown placeholder',
      { method: 'GET', path: '/x/{name}' },
      ['path: {name} is invalid; expected {project_id}, {branch_id} or {resource_id}'],
    ],
    [
      'several unknown placeholders',
      { method: 'GET', path: '/{foo}/{bar}' },
      ['path: {foo} and {bar} are invalid; expected {project_id}, {branch_id} or {resource_id}'],
    ],
    [
      'placeholders of empty inputs',
      { method: 'GET', path: '/x/{project_id}/{branch_id}/{resource_id}' },
      [
        'project_id is required: `path` contains {project_id}',
        'resource_id is required: `path` contains {resource_id}',
        'project_id is required: `path` contains {branch_id}, which is looked up in the project',
        'branch_id or branch_name is required: `path` contains {branch_id}',
      ],
    ],
  ] as [string, Record<string, string>, string[]][])('%s', (_, given, starts) => {
    const messages = errorsOf(given);
    expect(messages.map((message, index) => message.slice(0, starts[index]?.length))).toEqual(starts);
    expect(messages.join()).not.toMatch(/secret|ssss/);
  });

  it.each([
    [{ resource: 'team', verb: 'get' }, 'resource_id is required: set it to the ID of the team'],
    [{ resource: 'role', verb: 'get', ...branch }, 'resource_id is required: set it to the name of the role'],
    [
      { resource: 'project', verb: 'get' },
      'resource_id is required: set it to the ID of the project (or set project_id)',
    ],
    [
      { resource: 'team', verb: 'update', resource_id: 't' },
      'body is required: set it to the payload to update a team, such as {"name": "app"}',
    ],
    [
      { resource: 'branch', verb: 'update', ...branch },
      'body is required: set it to the payload to update a branch, such as {"name": "app"}',
    ],
    [
      { resource: 'role', verb: 'create', ...branch },
      'body is required: set it to the payload to create a role, such as {"name": "app"}',
    ],
    [
      { resource: 'database', verb: 'create', ...branch, resource_id: 'app' },
      'body is required: set it to the payload to create a database, such as {"name": "app", "owner_name": "app"}',
    ],
    [
      { resource: 'user', verb: 'get', if_exists: 'recreate' },
      'if_exists: "recreate" is invalid with `command: manage`; expected reuse or fail (`command: create` accepts recreate for branches)',
    ],
    // The branch was to be named.
    [
      { resource: 'role', verb: 'list', ...project, branch_id: 'no ID' },
      'branch_id: "no ID" is invalid; expected a branch ID such as br-wispy-meadow-118737; for a name, set branch_name',
    ],
    [
      { resource: 'role', verb: 'list', ...project, branch_name: 'x'.repeat(257) },
      'branch_name: a name of 257 characters is invalid; expected a name of at most 256 characters',
    ],
    ...['7', '"org-1/x"', '"org 1"'].map((id): [Record<string, string>, string] => [
      { resource: 'api_key', verb: 'list', body: `{"org_id":${id}}` },
      'org_id in body is invalid; expected the ID of an organization, such as org-quiet-harbor-12345678',
    ]),
  ] as [Record<string, string>, string][])('%j and says what is expected', (given, message) => {
    expect(errorsOf(given)).toEqual([message]);
  });

  it('every verb that a kind does not support, and names those that it does', () => {
    const wrong = kinds.flatMap((kind) =>
      usualVerbs.filter((verb) => !kind.verbs.includes(verb)).map((verb) => ({ kind, verb })),
    );
    expect(wrong.length).toBeGreaterThan(10);
    for (const { kind, verb } of wrong) {
      const messages = errorsOf({ resource: kind.one, verb, ...branch });
      expect(messages).toHaveLength(1);
      expect(messages[0]).toContain(`"${verb}" is invalid`);
      for (const other of kind.verbs) expect(messages[0]).toContain(other);
    }
  });

  it('a kind without what it belongs to', () => {
    for (const kind of kinds.filter(({ owner }) => owner !== 'account')) {
      const [verb = 'get'] = kind.verbs.filter((one) => one === 'list' || one === 'get');
      const messages = errorsOf({ resource: kind.one, verb });
      expect(messages[0]).toMatch(/^project_id is required/);
      const branch = messages.filter((message) => message.startsWith('branch_id or branch_name is required'));
      expect(branch).toHaveLength(kind.owner === 'branch' ? 1 : 0);
    }
  });

  it('several invalid inputs in one message', () => {
    const messages = errorsOf({
      resource: 'role',
      verb: 'create',
      if_exists: 'reset',
      body: '{"a":',
      project_id: 'br-1',
      timeout: 'x',
    });
    expect(messages.map((message) => message.split(/:| is required/)[0])).toEqual([
      'project_id',
      'body',
      'timeout',
      'if_exists',
      'branch_id or branch_name',
    ]);
  });
});
