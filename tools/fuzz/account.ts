import type { Strange } from './changes.ts';

/** The branch that a run is about, in a project with the branch `main` as its parent. */
export const wanted = { id: 'br-wanted-meadow-118737', name: 'preview/pr-7', endpoint: 'ep-wanted-sun-123456' };
export const other = { id: 'br-other-river-445566', name: 'preview/pr-70', endpoint: 'ep-other-moon-654321' };
export const main = { id: 'br-main-hill-000001', name: 'main' };
/** Replacements that turn a response into one about the other branch. */
export const toOther: [from: string, to: string][] = [
  [wanted.id, other.id],
  [wanted.name, other.name],
  [wanted.endpoint, other.endpoint],
];
export const projectId = 'shiny-wind-028834';

const hostOf = (endpoint: string, pooled = false) => `${endpoint}${pooled ? '-pooler' : ''}.eu.db.test`;
const uriOf = (endpoint: string, pooled = false) =>
  `postgresql://neondb_owner:npg_Secret99@${hostOf(endpoint, pooled)}/neondb?sslmode=require`;

/** Values that may replace any value of a response. */
const values: unknown[] = [
  ...[other.id, other.name, other.endpoint, main.id, main.name, wanted.id, wanted.name, projectId],
  ...[hostOf(other.endpoint), uriOf(other.endpoint), uriOf(other.endpoint, true), uriOf(wanted.endpoint)],
  ...['read_only', 'init', 'active', 'archived', 'resetting', 'failed', 'error', 'cancelled', 'running', 'finished'],
  ...[
    'postgresql://host',
    'postgresql://neondb_owner@host/neondb',
    'postgresql://:@/',
    '../../x',
    '',
    ' ',
    '0',
    'a\nb',
  ],
  ...[null, true, false, 0, -1, 1e308, [], {}, [null], [[]], { id: other.id }, [{ name: 'neondb' }]],
];

/** Includes responses without the password, about another branch, or with another host. */
export const strange: Strange = {
  values,
  swaps: [
    ...toOther,
    [':npg_Secret99@', '@'],
    [':npg_Secret99@', ':@'],
    ['"read_write"', '"read_only"'],
    ['"finished"', '"running"'],
    ['"finished"', '"failed"'],
    ['"pagination":{}', '"pagination":{"next":"abc"}'],
    ['neondb?', 'neondb?host=elsewhere.test&'],
  ],
  routes: ['branches', 'endpoints', 'databases', 'roles', 'connection_uri', 'operations', 'restore', 'POST', 'GET'],
};

function branch(of: { id: string; name: string }, more: object = {}) {
  return {
    id: of.id,
    project_id: projectId,
    parent_id: main.id,
    name: of.name,
    current_state: 'ready',
    default: false,
    protected: false,
    created_at: '2026-01-04T05:06:07Z',
    ...more,
  };
}

const mainBranch = { ...branch(main, { default: true }), parent_id: undefined };

function operation(branchId: string, id: string, status: string, action = 'start_compute') {
  return { id, project_id: projectId, branch_id: branchId, action, status, failures_count: 0, total_duration_ms: 5 };
}

const endpoint = (of: typeof wanted) => ({
  id: of.endpoint,
  branch_id: of.id,
  project_id: projectId,
  host: hostOf(of.endpoint),
  type: 'read_write',
  current_state: 'idle',
});

const named = (name: string) => ({ name, branch_id: wanted.id });

const changed = () => ({
  branch: branch(wanted),
  endpoints: [endpoint(wanted)],
  operations: [operation(wanted.id, 'op-1', 'running', 'create_branch'), operation(wanted.id, 'op-2', 'scheduling')],
});

const created = () => ({
  ...changed(),
  roles: [named('neondb_owner')],
  databases: [named('neondb')],
  connection_uris: [
    {
      connection_uri: uriOf(wanted.endpoint),
      connection_parameters: {
        database: 'neondb',
        role: 'neondb_owner',
        password: 'npg_Secret99',
        host: hostOf(wanted.endpoint),
        pooler_host: hostOf(wanted.endpoint, true),
      },
    },
  ],
});

export interface HttpRequest {
  method: string;
  /** Below the base URL, without its query. */
  path: string;
  query: URLSearchParams;
  /** The body as it was sent; empty if there is none. */
  body: string;
}

/** The state that affects what a command does. */
export interface Account {
  /** Whether the wanted branch exists. */
  there: boolean;
  /** Whether it has a compute endpoint. */
  endpoint: boolean;
}

export interface Good {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

/** The correct response, before any change. */
export function responseTo({ method, path, query }: HttpRequest, account: Account): Good {
  const route = `${method} ${path.replace(`/projects/${projectId}`, '').replace(/^\/branches\/[^/]+/, '/branches/*')}`;
  const found = path.includes(other.id) ? other : wanted;
  const ok = (body: unknown, status = 200): Good => ({ status, body });
  const notFound: Good = { status: 404, body: { code: '', message: 'not found' } };
  const list = [...(account.there ? [branch(wanted)] : []), branch(other)];
  switch (route) {
    case 'GET ':
      return ok({ project: { id: projectId, name: 'shop' } });
    case 'GET /branches':
      return ok({ branches: query.get('search') === main.name ? [mainBranch] : list, metadata: {}, pagination: {} });
    case 'POST /branches':
      return account.there ? ok({ code: 'BRANCH_ALREADY_EXISTS', message: 'exists' }, 409) : ok(created(), 201);
    case 'GET /branches/*':
      return path.includes(main.id) ? ok({ branch: mainBranch }) : ok({ branch: branch(found) });
    case 'PATCH /branches/*':
    case 'DELETE /branches/*':
    case 'POST /branches/*/restore':
      return ok(changed());
    case 'GET /branches/*/endpoints':
      return ok({ endpoints: account.endpoint ? [endpoint(found)] : [] });
    case 'POST /endpoints':
      return ok({ endpoint: endpoint(wanted), operations: [operation(wanted.id, 'op-3', 'running')] }, 201);
    case 'GET /branches/*/databases':
      return ok({ databases: [named('neondb')] });
    case 'GET /branches/*/roles':
      return ok({ roles: [named('neondb_owner')] });
    case 'GET /connection_uri':
      return ok({ uri: uriOf(wanted.endpoint, query.get('pooled') === 'true') });
    case 'GET /operations':
      return ok({ operations: [operation(wanted.id, 'op-9', 'finished')] });
    case 'GET /branches/*/compare_schema':
      return ok({
        diff: '--- a/neondb\n+++ b/neondb\n@@ -1,2 +1,2 @@\n CREATE TABLE a (\n-  b integer,\n+  c text\n );\n',
      });
    case 'GET /branches/*/schema':
      return ok({ sql: 'CREATE TABLE a (\n  c text\n);\n' });
    default: {
      const id = /^GET \/operations\/([\w-]+)$/.exec(route)?.[1];
      return id === undefined ? notFound : ok({ operation: operation(wanted.id, id, 'finished') });
    }
  }
}
