import * as shape from '../http/shape.ts';
import { parseUri, withHost } from '../postgres/uri.ts';
import { show } from '../text/inert.ts';
import { listNames } from './branches.ts';
import { RefusedError } from './errors.ts';
import { type About, get, projectPath } from './project.ts';
import type { Branch, ConnectionDetails, Endpoint } from './types.ts';

/** Connection details of one database of one branch for one role, as the service returns them. */
export interface Connection {
  /** The ID of the compute endpoint. */
  endpointId: string;
  /** Direct connection URI. Secret. */
  uri: string;
  /** Connection URI through the pooler. Secret. */
  pooledUri: string;
  host: string;
  pooledHost: string;
  port: string;
  database: string;
  role: string;
  /** Secret. */
  password: string;
}

/** The choice if the branch has several databases or roles and the step names none. */
const conventional = { database: 'neondb', role: 'neondb_owner' };

/** Chooses a database or role: the requested one, else the only one, else the usual one. The error lists the choices. */
export function choose(options: {
  kind: 'database' | 'role';
  wanted: string | undefined;
  names: string[];
  branch: Branch;
}): string {
  const { kind, wanted, names, branch } = options;
  const chosen = wanted ?? (names.length === 1 ? names[0] : conventional[kind]);
  if (chosen !== undefined && names.includes(chosen)) return chosen;
  const problem =
    wanted !== undefined ? `no ${kind} ${show(wanted)}` : names.length === 0 ? `no ${kind}s` : `several ${kind}s`;
  const next =
    names.length === 0
      ? `Create a ${kind} first, for example with the action \`manage\``
      : `Set \`${kind}\` to one of these: ${names.map((name) => show(name)).join(', ')}`;
  throw new RefusedError(`Branch ${show(branch.name)} has ${problem}. ${next}.`);
}

interface Purpose {
  endpoint: Endpoint;
  database: string;
  role: string;
}

/** The connection in the response to a create, or undefined if it has none for this choice. */
export function connectionFromResponse(options: Purpose & { details: ConnectionDetails[] }): Connection | undefined {
  const { details, database, role } = options;
  const match = details.find((one) => one.database === database && one.role === role);
  if (!match) return undefined;
  return toConnection({ uri: match.uri, pooledUri: withHost(match.uri, match.poolerHost) }, options);
}

export async function fetchConnection(options: About & Purpose): Promise<Connection> {
  const { api, projectId, branch, endpoint, database, role } = options;
  const ask = (pooled: boolean) =>
    get(api, {
      goal: `read the ${pooled ? 'pooled ' : ''}connection URI of branch ${show(branch.name)}`,
      path: projectPath(projectId, '/connection_uri'),
      query: { branch_id: branch.id, endpoint_id: endpoint.id, database_name: database, role_name: role, pooled },
      read: (from) => shape.string(from.uri, 'uri'),
    });
  const [uri, pooledUri] = await Promise.all([ask(false), ask(true)]);
  return toConnection({ uri, pooledUri }, options);
}

export interface Names {
  databases: string[];
  roles: string[];
}

export async function listChoices(about: About): Promise<Names> {
  const [databases, roles] = await Promise.all([listNames(about, 'databases'), listNames(about, 'roles')]);
  return { databases, roles };
}

/** Parameters that lead a client elsewhere than the rest of the URI says. */
const redirecting = /^(host|hostaddr|port|dbname|user|password|service)$/i;

/** Checks that both URIs lead to the endpoint, database and role that they are for, and parses them. */
function toConnection(
  { uri, pooledUri }: Pick<Connection, 'uri' | 'pooledUri'>,
  { endpoint, database, role }: Purpose,
): Connection {
  const host = endpoint.host.replace(/:\d+$/, '');
  const [direct, pooled] = [parseUri(uri), parseUri(pooledUri)];
  // The host of the pooler is that of the endpoint, with `-pooler` after its first label.
  const isHost = direct.host === host && [host, host.replace(/^[^.]+/, '$&-pooler')].includes(pooled.host);
  const leadsElsewhere = (parts: typeof direct) =>
    parts.database !== database || parts.user !== role || parts.parameters.some(([name]) => redirecting.test(name));
  if (!isHost || leadsElsewhere(direct) || leadsElsewhere(pooled)) {
    throw new RefusedError(
      `The service returned a connection URI that does not lead to endpoint ${endpoint.id}, database ${show(database)} and role ${show(role)}. Run the step again.`,
    );
  }
  if (direct.password === '' || pooled.password === '') {
    throw new RefusedError(
      `The service returned a connection URI without a password for role ${show(role)}. Reset the role's password, set \`role\` to another role, or let the project store passwords.`,
    );
  }
  return {
    endpointId: endpoint.id,
    uri,
    pooledUri,
    host: direct.host,
    pooledHost: pooled.host,
    port: direct.port,
    database,
    role,
    password: direct.password,
  };
}
