import * as shape from '../http/shape.ts';
import { decode } from '../secrets/fields.ts';
import { show } from '../text/inert.ts';
import { listNames, type Project, projectPath, type Settling } from './branches.ts';
import { MismatchError, NotFoundError } from './errors.ts';
import type { Branch, ConnectionDetails, Endpoint } from './types.ts';
import { parameter, parseUri, withHost } from './uri.ts';

/** The addresses of one database of one branch for one role, as the service hands them out. */
export interface Connection {
  /** Direct connection URI. Secret. */
  uri: string;
  /** Connection URI by way of the pooler. Secret. */
  pooledUri: string;
  host: string;
  pooledHost: string;
  port: string;
  database: string;
  role: string;
  /** Secret. */
  password: string;
}

/** What is taken where the branch has several databases or roles and nobody has said which. */
const conventional = { database: 'neondb', role: 'neondb_owner' };

/**
 * Chooses a database or role: the one that is asked for, else the only one, else the conventional one.
 * Throws a `NotFoundError` that lists what there is.
 */
export function choose(options: {
  kind: 'database' | 'role';
  wanted: string | undefined;
  names: string[];
  branch: Branch;
}): string {
  const { kind, wanted, names, branch } = options;
  const list = names.length > 0 ? `it has ${names.map((name) => show(name)).join(', ')}` : `it has none`;
  if (wanted !== undefined) {
    if (names.includes(wanted)) return wanted;
    throw new NotFoundError(
      `Branch ${show(branch.name)} has no ${kind} ${show(wanted)}: ${list}. Set the input \`${kind}\` to one of them.`,
    );
  }
  const [only] = names;
  if (only !== undefined && names.length === 1) return only;
  if (names.includes(conventional[kind])) return conventional[kind];
  throw new NotFoundError(
    `Which ${kind} of branch ${show(branch.name)}? ${list[0]?.toUpperCase()}${list.slice(1)}. Set the input \`${kind}\`.`,
  );
}

/** The connection that came with the answer to a create, or undefined where it carries none for this choice. */
export function connectionFromAnswer(options: {
  details: ConnectionDetails[];
  endpoint: Endpoint;
  database: string;
  role: string;
}): Connection | undefined {
  const { details, endpoint, database, role } = options;
  const match = details.find((one) => one.database === database && one.role === role);
  if (!match) return undefined;
  return toConnection({ uri: match.uri, pooledUri: withHost(match.uri, match.poolerHost), endpoint, database, role });
}

/** Asks the service for both addresses, direct and pooled, at the same time. */
export async function fetchConnection(
  options: Project & {
    branch: Branch;
    endpoint: Endpoint;
    database: string;
    role: string;
    settling?: Settling | undefined;
  },
): Promise<Connection> {
  const { api, projectId, branch, endpoint, database, role, settling } = options;
  const ask = async (pooled: boolean) => {
    const answer = await api.request({
      goal: `read the ${pooled ? 'pooled ' : ''}connection URI of branch ${show(branch.name)}`,
      method: 'GET',
      path: projectPath(projectId, '/connection_uri'),
      query: { branch_id: branch.id, endpoint_id: endpoint.id, database_name: database, role_name: role, pooled },
      ...(settling ? { settling } : {}),
      read: (body) => shape.string(shape.object(body, 'the answer').uri, 'uri'),
    });
    return answer.value;
  };
  const [uri, pooledUri] = await Promise.all([ask(false), ask(true)]);
  return toConnection({ uri, pooledUri, endpoint, database, role });
}

/** Names of the databases and roles of a branch. */
export interface Names {
  databases: string[];
  roles: string[];
}

export async function listChoices(
  options: Project & { branch: Branch; settling?: Settling | undefined },
): Promise<Names> {
  const { branch, ...rest } = options;
  const [databases, roles] = await Promise.all([
    listNames({ ...rest, branchId: branch.id, kind: 'databases' }),
    listNames({ ...rest, branchId: branch.id, kind: 'roles' }),
  ]);
  return { databases, roles };
}

/** Parameters with which a URI leads elsewhere than its first part says. */
const redirecting = ['host', 'hostaddr', 'port', 'dbname', 'user', 'password', 'passfile', 'service', 'servicefile'];

/** Checks both addresses against the endpoint, database and role they are meant for, and takes them apart. */
function toConnection(options: {
  uri: string;
  pooledUri: string;
  endpoint: Endpoint;
  database: string;
  role: string;
}): Connection {
  const { uri, pooledUri, endpoint, database, role } = options;
  const direct = parseUri(uri);
  const pooled = parseUri(pooledUri);
  const whose = (host: string) =>
    `The service answered with an address at ${show(host)} for endpoint ${endpoint.id} at ${show(endpoint.host)}`;
  if (direct.host !== hostOf(endpoint.host)) throw new MismatchError(`${whose(direct.host)}, which is another one`);
  for (const address of [uri, pooledUri]) {
    const elsewhere = redirecting.find((name) => parameter(address, name) !== undefined);
    if (elsewhere)
      throw new MismatchError(`${whose(direct.host)}, which leads elsewhere by its parameter ${elsewhere}`);
    const named = /^endpoint=(.*)$/.exec(parameter(address, 'options') ?? '')?.[1];
    if (named !== undefined && withoutPooler(named) !== endpoint.id) {
      throw new MismatchError(`${whose(direct.host)}, whose options name endpoint ${show(named)}`);
    }
  }
  if (withoutPooler(pooled.host) !== withoutPooler(direct.host)) {
    throw new MismatchError(`${whose(pooled.host)}, which is the pooler of another one`);
  }
  for (const parts of [direct, pooled]) {
    if (decode(parts.database) !== database || decode(parts.user) !== role) {
      throw new MismatchError(
        `Asked for database ${show(database)} and role ${show(role)}, and the service answered with an address for ${show(decode(parts.database))} and ${show(decode(parts.user))}`,
      );
    }
  }
  if (direct.password === '' || pooled.password === '') {
    throw new NotFoundError(
      `The service handed out an address without a password for role ${show(role)}: the project may not store passwords, or the role may have none. Reset the role's password, or choose another one with the input \`role\`.`,
    );
  }
  return {
    uri,
    pooledUri,
    host: direct.host,
    pooledHost: pooled.host,
    port: direct.port,
    database,
    role,
    password: decode(direct.password),
  };
}

/** An endpoint's host as its pooler has it too: the first label without `-pooler`. */
function withoutPooler(host: string): string {
  return host.replace(/^([^.]+?)-pooler(?=\.|$)/, '$1');
}

function hostOf(hostAndPort: string): string {
  return hostAndPort.replace(/:\d+$/, '');
}
