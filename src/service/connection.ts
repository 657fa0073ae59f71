import * as shape from '../http/shape.ts';
import { show } from '../text/inert.ts';
import { listNames } from './branches.ts';
import { MismatchError, RefusedError } from './errors.ts';
import { type About, get, projectPath } from './project.ts';
import type { Branch, ConnectionDetails, Endpoint } from './types.ts';
import { parameters, parseUri, withHost } from './uri.ts';

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
export const conventional = { database: 'neondb', role: 'neondb_owner' };

/**
 * Chooses a database or role: the requested one, else the only one, else the conventional one.
 * Throws a `RefusedError` that lists the choices.
 */
export function choose(options: {
  kind: 'database' | 'role';
  wanted: string | undefined;
  names: string[];
  branch: Branch;
}): string {
  const { kind, wanted, names, branch } = options;
  const list = names.map((name) => show(name)).join(', ');
  if (wanted !== undefined) {
    if (names.includes(wanted)) return wanted;
    const next =
      names.length === 0
        ? `, because it has no ${kind}s. Create one first, for example with \`command: manage\` and \`resource: ${kind}\`.`
        : names.length === 1
          ? `, only ${list}. Set the input \`${kind}\` to ${list}, or leave it empty.`
          : `; it has ${list}. Set \`${kind}\` to one of them.`;
    throw new RefusedError(`Branch ${show(branch.name)} has no ${kind} ${show(wanted)}${next}`);
  }
  const [only] = names;
  if (only === undefined) {
    throw new RefusedError(
      `Branch ${show(branch.name)} has no ${kind}s. Create one first, for example with \`command: manage\` and \`resource: ${kind}\`.`,
    );
  }
  if (names.length === 1) return only;
  if (names.includes(conventional[kind])) return conventional[kind];
  throw new RefusedError(`Branch ${show(branch.name)} has several ${kind}s: ${list}. Set \`${kind}\` to one of them.`);
}

/** What a connection is for. */
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

/** Both connection URIs of a branch's read-write endpoint, as the service returned them. Secret. */
export interface Uris {
  uri: string;
  pooledUri: string;
}

/** Asks the service for both connection URIs, direct and pooled, in parallel; `uris` if they are already being read. */
export async function fetchConnection(options: About & Purpose & { uris?: Promise<Uris> }): Promise<Connection> {
  return toConnection(await (options.uris ?? fetchUris(options)), options);
}

/** The same without a check of what they lead to, for an endpoint that may not be known yet. */
export async function fetchUris(options: About & Omit<Purpose, 'endpoint'> & Partial<Purpose>): Promise<Uris> {
  const { api, projectId, branch, endpoint, database, role, window } = options;
  const ask = (pooled: boolean) =>
    get(api, {
      goal: `read the ${pooled ? 'pooled ' : ''}connection URI of branch ${show(branch.name)}`,
      path: projectPath(projectId, '/connection_uri'),
      query: { branch_id: branch.id, endpoint_id: endpoint?.id, database_name: database, role_name: role, pooled },
      window,
      read: (from) => shape.string(from.uri, 'uri'),
    });
  const [uri, pooledUri] = await Promise.all([ask(false), ask(true)]);
  return { uri, pooledUri };
}

/** Names of the databases and roles of a branch. */
export interface Names {
  databases: string[];
  roles: string[];
}

export async function listChoices(about: About): Promise<Names> {
  const branchId = about.branch.id;
  const [databases, roles] = await Promise.all([
    listNames({ ...about, branchId, kind: 'databases' }),
    listNames({ ...about, branchId, kind: 'roles' }),
  ]);
  return { databases, roles };
}

/**
 * Parameters that lead a client elsewhere than the authority of the URI says, or have it run code: those of libpq, of clients in
 * other languages, and of the JVM's driver. Some clients ignore case.
 */
const redirecting =
  /^(host|hostaddr|port|dbname|database|user|username|password|pass|passfile|sslpassword|service|servicefile|socket|path|pghost|pgport|pgdbname|pgdatabase|pguser|pgpassword|socketfactory(arg)?|sslfactory(arg)?|sslhostnameverifier|sslpasswordcallback|authenticationpluginclassname|localsocketaddress|kerberosservername|jaasapplicationname|loggerfile|requirepeer)$/i;

/** Checks both URIs against the endpoint, database and role that they are for, and parses them. */
function toConnection({ uri, pooledUri }: Uris, { endpoint, database, role }: Purpose): Connection {
  const direct = parseUri(uri);
  const pooled = parseUri(pooledUri);
  const whose = `endpoint ${endpoint.id} has host ${show(endpoint.host)}`;
  if (direct.host !== hostOf(endpoint.host)) {
    throw new MismatchError(`The service returned a connection URI with host ${show(direct.host)}, but ${whose}`);
  }
  const [label = ''] = endpoint.host.split('.');
  if (label.startsWith('ep-') && withoutPooler(label) !== endpoint.id) {
    throw new MismatchError(
      `The service returned host ${show(endpoint.host)} for endpoint ${endpoint.id}; that is the host of another endpoint`,
    );
  }
  for (const address of [uri, pooledUri]) {
    // Clients don't agree on which `@` ends the credentials; libpq would take what follows the first one for a list of hosts.
    const authority = /^[^:]+:\/\/([^/?#]*)/.exec(address)?.[1] ?? '';
    if (/@.*@|[\\\s,]/s.test(authority)) {
      throw new MismatchError(
        'The service returned a connection URI that clients parse in different ways, because a character before the host is not percent-encoded',
      );
    }
    const elsewhere = parameters(address).find(([name]) => redirecting.test(name));
    if (elsewhere) {
      throw new MismatchError(`The service returned a connection URI with an unexpected parameter: ${elsewhere[0]}`);
    }
    // The service's proxy accepts `project` too. Some clients decode a `+` as a space.
    const options = parameters(address)
      .filter(([name]) => name.toLowerCase() === 'options')
      .flatMap(([, value]) => value.split(/[\s+]+/));
    const named = options.flatMap((option) => /^(?:endpoint|project)=(.*)$/.exec(option)?.[1] ?? []);
    const other = named.find((name) => withoutPooler(name) !== endpoint.id);
    if (other !== undefined) {
      throw new MismatchError(
        `The service returned a connection URI for endpoint ${endpoint.id}, but its \`options\` parameter names endpoint ${show(other)}`,
      );
    }
  }
  if (withoutPooler(pooled.host) !== withoutPooler(direct.host)) {
    throw new MismatchError(
      `The service returned a pooled connection URI with host ${show(pooled.host)}, but ${whose}`,
    );
  }
  for (const parts of [direct, pooled]) {
    if (parts.database !== database || parts.user !== role) {
      throw new MismatchError(
        `The service returned a connection URI for database ${show(parts.database)} and role ${show(parts.user)} instead of database ${show(database)} and role ${show(role)}`,
      );
    }
  }
  if (direct.password === '' || pooled.password === '') {
    throw new RefusedError(
      `The service returned a connection URI without a password for role ${show(role)}. Either the role has no password (reset the role's password, or set \`role\` to another role), or the project doesn't store passwords (the action needs a project that does).`,
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

/** A host with the `-pooler` of its first label removed. */
function withoutPooler(host: string): string {
  return host.replace(/^([^.]+?)-pooler(?=\.|$)/, '$1');
}

function hostOf(hostAndPort: string): string {
  return hostAndPort.replace(/:\d+$/, '');
}
