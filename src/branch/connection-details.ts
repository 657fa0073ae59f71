import { branchPath, type Settling } from '../api/branches.ts';
import {
  type Connection,
  choose,
  connectionFromAnswer,
  fetchConnection,
  listChoices,
  type Names,
} from '../api/connection.ts';
import { NotFoundError } from '../api/errors.ts';
import type { Branch, ConnectionDetails, Endpoint } from '../api/types.ts';
import { withPrisma, withSsl } from '../api/uri.ts';
import { type Context, projectOf } from '../context.ts';
import { ApiError } from '../http/errors.ts';
import * as shape from '../http/shape.ts';
import type { Inputs } from '../inputs/fields.ts';
import type { Result } from '../result.ts';
import { show } from '../text/inert.ts';
import { checkConnection } from './check-connection.ts';
import { goneError } from './ready.ts';

/** Names to choose from, where they are known, and addresses that came with the answer to a create. */
interface Known {
  names?: Names | undefined;
  connectionUris?: ConnectionDetails[];
}

interface AddressOptions extends Known {
  context: Context;
  branch: Branch;
  endpoint: Endpoint;
  settling: Settling | undefined;
}

/** Connection details of a branch, with the parameters that the inputs ask for, and its other addresses. */
export async function addresses(
  options: AddressOptions,
): Promise<Pick<Result, 'connection' | 'authUrl' | 'dataApiUrl'>> {
  const { context } = options;
  const connection = await findConnection(options);
  for (const secret of [connection.password, connection.uri, connection.pooledUri]) context.mask(secret);
  const dressed = dress(connection, context.inputs);
  for (const secret of [dressed.uri, dressed.pooledUri]) context.mask(secret);
  const [authUrl, dataApiUrl] = await Promise.all([
    context.inputs.get_auth_url ? otherUrl({ ...options, kind: 'auth', database: dressed.database }) : undefined,
    context.inputs.get_data_api_url
      ? otherUrl({ ...options, kind: 'data-api', database: dressed.database })
      : undefined,
  ]);
  if (context.inputs.check_connection) await checkConnection(context, dressed);
  return {
    connection: dressed,
    ...(authUrl === undefined ? {} : { authUrl }),
    ...(dataApiUrl === undefined ? {} : { dataApiUrl }),
  };
}

async function findConnection(options: AddressOptions): Promise<Connection> {
  const { context, branch, endpoint, settling, connectionUris = [] } = options;
  const project = projectOf(context);
  const choice = { database: context.inputs.database, role: context.inputs.role };
  const names = options.names ?? (await listChoices({ ...project, branch, settling }));
  const database = choose({ kind: 'database', wanted: choice.database, names: names.databases, branch });
  const role = choose({ kind: 'role', wanted: choice.role, names: names.roles, branch });
  return (
    connectionFromAnswer({ details: connectionUris, endpoint, database, role }) ??
    fetchConnection({ ...project, branch, endpoint, database, role, settling })
  );
}

/** The addresses with `ssl` and `prisma`; every parameter that the service gave stays. */
export function dress(connection: Connection, inputs: Pick<Inputs, 'ssl' | 'prisma'>): Connection {
  const { ssl, prisma } = inputs;
  const direct = withSsl(connection.uri, ssl);
  const pooled = withSsl(connection.pooledUri, ssl);
  return {
    ...connection,
    uri: prisma ? withPrisma(direct, { pooled: false }) : direct,
    pooledUri: prisma ? withPrisma(pooled, { pooled: true }) : pooled,
  };
}

const others = {
  auth: { field: 'base_url', input: 'get_auth_url', title: 'authentication' },
  'data-api': { field: 'url', input: 'get_data_api_url', title: 'the Data API' },
} as const;

async function otherUrl(options: {
  context: Context;
  branch: Branch;
  settling: Settling | undefined;
  kind: keyof typeof others;
  database: string;
}): Promise<string> {
  const { context, branch, settling, kind, database } = options;
  const { api, projectId } = projectOf(context);
  const { field, input, title } = others[kind];
  const rest = kind === 'auth' ? '/auth' : `/data-api/${encodeURIComponent(database)}`;
  try {
    const answer = await api.request({
      goal: `read the address of ${title} of branch ${show(branch.name)}`,
      method: 'GET',
      path: branchPath({ projectId, branchId: branch.id, rest }),
      // A 404 says that it is off; only a branch that was made a moment ago is worth a second look, and a short one.
      ...(settling ? { settling: { ...settling, until: Math.min(settling.until, api.clock.now() + 2_000) } } : {}),
      read: (body) => shape.string(shape.object(body, 'the answer')[field], field),
    });
    return answer.value;
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
    const gone = await goneError({ context, branch, error });
    if (gone) throw gone;
    throw new NotFoundError(
      `\`${input}\` asks for the address of ${title}, and ${title} is off for branch ${show(branch.name)}. Switch it on for the parent in the service's console, or leave \`${input}\` out.`,
    );
  }
}
