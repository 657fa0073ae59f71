import { type Good, type HttpRequest, main, other, projectId, responseTo, toOther, wanted } from './account.ts';
import type { Strange } from './changes.ts';

/** Secrets, each in one place of a response or an input. None may be shown before it is masked. */
export const secrets = {
  password: 'npg_Secret99',
  newKey: 'napi_NewKey7700',
  token: 'tok_Thing4400',
  nested: 'sk_Nested3300',
  inPath: 'tok_Query5500',
  inBody: 'pw_Body2200',
};

const keys: Record<string, string> = {
  projects: projectId,
  branches: wanted.id,
  endpoints: wanted.endpoint,
  databases: 'neondb',
  roles: 'neondb_owner',
  operations: 'op-9',
  api_keys: '165432',
  snapshots: 'snap-1',
  auth: '',
  'data-api': 'neondb',
};

/** The ID of the object of a kind, or its name if it has no ID. */
export function keyOf(segment: string): string {
  return keys[segment] ?? 'thing-1';
}

const uri = `postgresql://neondb_owner:${secrets.password}@${wanted.endpoint}.eu.db.test/neondb`;
/** A URI in free text is redacted there, and never a mask. */
const uriInText = uri.replace(secrets.password, 'npg_InText00');
const started = { project_id: projectId, branch_id: wanted.id, action: 'apply_config', failures_count: 0 };
const running = ['op-1', 'op-2'].map((id) => ({ ...started, id, status: 'running' }));

/** An object of a kind as the service returns it; if the kind's responses are not published, one full of secrets. */
function objectOf(segment: string, created_at: string): Record<string, unknown> {
  const id = keyOf(segment);
  const ofBranch = { branch_id: wanted.id, created_at };
  const ofProject = { id, project_id: projectId, created_at };
  const known: Record<string, Record<string, unknown>> = {
    projects: { id, name: 'shop', created_at },
    branches: { ...ofProject, name: wanted.name, parent_id: main.id, current_state: 'ready' },
    endpoints: { ...ofProject, branch_id: wanted.id, host: `${wanted.endpoint}.eu.db.test`, type: 'read_write' },
    databases: { id: 7, name: id, owner_name: 'neondb_owner', ...ofBranch },
    roles: { name: id, password: secrets.password, ...ofBranch },
    operations: { ...started, id, status: 'running' },
    api_keys: { id: Number(id), name: 'ci', created_at },
    snapshots: { id, name: 'before', source_branch_id: wanted.id, created_at },
    auth: { auth_provider: 'better_auth', secret_server_key: secrets.token, ...ofBranch },
    'data-api': { url: 'https://host.test/rest/v1', status: 'active' },
    users: { id: 'someone', email: 'someone@host.test' },
  };
  const other = {
    id,
    name: 'thing',
    token: secrets.token,
    secret: { value: secrets.nested },
    connection_uri: uri,
    created_at,
  };
  return known[segment] ?? other;
}

const wraps: Record<string, string> = {
  ...{ projects: 'project', branches: 'branch', endpoints: 'endpoint', databases: 'database', roles: 'role' },
  ...{
    snapshots: 'snapshot',
    operations: 'operation',
    clusters: 'cluster',
    instances: 'instance',
    teams: 'team',
    workspaces: 'workspace',
  },
};

/** The key under which a response has the object of a kind; undefined if the response is the object. */
export function wrapOf(segment: string): string | undefined {
  return wraps[segment];
}

/** What exists before a step begins. */
export interface Account {
  /** The kind of object that the step is about. */
  segment: string;
  /** Whether such an object already exists. */
  taken: boolean;
}

const collectionPath = /^(?:\/projects\/[^/]+(?:\/branches\/[^/]+)?)?\/([a-z_-]+)$/;
const objectPath = /^(?:\/projects\/[^/]+(?:\/branches\/[^/]+)?)?\/([a-z_-]+)\/([^/]+)$/;
/** What is created elsewhere than where it is listed: `snapshot` → `snapshots`. */
const listedAs: Record<string, string> = { snapshot: 'snapshots' };

/** The service's correct responses to any request for a kind or a path. */
export function serviceOf(account: Account): (request: HttpRequest) => Good {
  const created = account.taken ? '2026-01-04T05:06:07Z' : '2026-03-04T05:06:08Z';
  const ok = (body: unknown, status = 200): Good => ({ status, body });
  const none = ok({ code: '', message: 'not found' }, 404);
  const gone = new Set(account.taken ? [] : [account.segment]);

  let looks = 0;
  const about = (segment: string) => {
    const wrap = wrapOf(segment);
    const object = objectOf(segment, created);
    if (segment === 'operations' && looks++ > 0) object.status = 'finished';
    return wrap === undefined ? object : { [wrap]: object };
  };
  /** An object with what a change returns beside it. */
  const changed = (segment: string) => ({
    ...about(segment),
    ...(segment === 'api_keys' ? { key: secrets.newKey } : { operations: running }),
    ...(['projects', 'branches'].includes(segment) ? { connection_uris: [{ connection_uri: uri }] } : {}),
  });
  const toAll = (segment: string, { method, query }: HttpRequest): Good => {
    if (method === 'POST' && !gone.has(segment)) return ok({ code: 'ALREADY_EXISTS', message: 'exists already' }, 409);
    if (method === 'POST') {
      gone.delete(segment);
      return ok(changed(segment), 201);
    }
    if (method !== 'GET') return ok(changed(segment));
    if (query.has('id')) return ok(about(segment));
    const object = objectOf(segment, created);
    const last = query.get('cursor') === 'c1';
    const page = [last ? { ...object, id: 'thing-2', branch_id: other.id } : object];
    if (segment === 'api_keys') return ok(page);
    return ok({ [segment]: page, pagination: last ? {} : { next: 'c1' } });
  };
  const toOne = (segment: string, request: HttpRequest): Good => {
    const { method } = request;
    if (method === 'GET') return gone.has(segment) ? none : ok(about(segment));
    if (method === 'POST') return toAll(segment, request);
    if (method !== 'DELETE') return ok(changed(segment));
    const is404 = ['api_keys', 'snapshots', 'auth', 'data-api'].includes(segment);
    if (gone.has(segment)) return is404 ? none : { status: 204, body: undefined };
    gone.add(segment);
    return ok(changed(segment));
  };

  return (request) => {
    const [, collection] = collectionPath.exec(request.path) ?? [];
    const [, segment = '', key = ''] = objectPath.exec(request.path) ?? [];
    // Requests beside that of the step: the lookup of a branch by name, or the poll of an operation.
    if (request.query.has('search')) return responseTo(request, { there: !gone.has('branches'), endpoint: true });
    if (segment === 'operations' && key !== keyOf(segment)) return responseTo(request, { there: true, endpoint: true });
    if (collection === 'auth') return toOne(collection, request);
    if (collection !== undefined) return toAll(listedAs[collection] ?? collection, request);
    if (segment === 'users') return ok(objectOf(segment, created));
    if (segment === '') return ok({ ...changed('roles'), thing: objectOf('things', created) });
    return toOne(segment, request);
  };
}

export const strange: Strange = {
  values: [
    ...[other.id, other.name, main.id, wanted.id, wanted.name, projectId, 'neondb', 'thing-2', uriInText, 'op-1', 'c1'],
    ...['running', 'finished', 'failed', 'error', 'cancelled', '2026-03-04T05:06:08Z', '../../x', '', ' ', '0', 'a\nb'],
    ...[null, true, false, 0, -1, 1e308, [], {}, [null], [[]], { id: other.id }, [{ name: 'neondb' }]],
    ...[{ password: secrets.password }, [{ secret: secrets.nested }], { api_key: { value: secrets.newKey } }],
  ],
  swaps: [
    ...toOther,
    ['neondb_owner', 'someone'],
    ['thing-1', 'thing-2'],
    ['"running"', '"finished"'],
    ['"finished"', '"failed"'],
    ['"finished"', '"error"'],
    ['"next":', '"cursor":'],
    ['"pagination":{}', '"pagination":{"next":"c1"}'],
    ['2026-03-04', '2025-03-04'],
  ],
  routes: ['branches', 'projects', 'roles', 'operations', 'POST', 'GET', 'PATCH', 'DELETE'],
  messages: [`cannot reach ${uriInText}`, 'https://host.test/?token=npg_InText00', 'exists already'],
};
