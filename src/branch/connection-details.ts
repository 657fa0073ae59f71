import type { Context } from '../context.ts';
import { isNotFound } from '../http/errors.ts';
import * as shape from '../http/shape.ts';
import type { Inputs } from '../inputs/fields.ts';
import { connectWhenReady, hostOf } from '../postgres/connect.ts';
import {
  type Connection,
  choose,
  connectionFromResponse,
  fetchConnection,
  listChoices,
  type Names,
} from '../service/connection.ts';
import { type About, branchPath, get } from '../service/project.ts';
import type { ConnectionDetails, Endpoint } from '../service/types.ts';
import { ownUri, withPrisma, withSsl } from '../service/uri.ts';
import { count, duration } from '../text/format.ts';
import { show } from '../text/inert.ts';

interface Options {
  endpoint: Endpoint;
  /** Default: the one that the inputs name, if any. */
  database?: string;
  /** Names to choose from, if they are known already. */
  names?: Names;
  /** Connection URIs from the response to a create. */
  connectionUris?: ConnectionDetails[];
}

/** The connection for the chosen database and role, as the service returned it, with its secrets masked. */
export async function findConnection(context: Context, about: About, options: Options): Promise<Connection> {
  const { inputs, mask } = context;
  const { endpoint, connectionUris = [] } = options;
  const { branch } = about;
  const names = options.names ?? (await listChoices(about));
  const wanted = options.database ?? inputs.database;
  const database = choose({ kind: 'database', wanted, names: names.databases, branch });
  const role = choose({ kind: 'role', wanted: inputs.role, names: names.roles, branch });
  const found =
    connectionFromResponse({ details: connectionUris, endpoint, database, role }) ??
    (await fetchConnection({ ...about, endpoint, database, role }));
  for (const secret of [found.password, found.uri, found.pooledUri]) mask(secret);
  return found;
}

/** Records the connection details of a branch for the outputs, with the parameters that the inputs set; with `check_connection`, once they work. */
export async function recordConnection(context: Context, about: About, options: Options): Promise<Connection> {
  const { inputs, mask } = context;
  const found = await findConnection(context, about, options);
  const connection = withInputParameters(found, inputs);
  for (const secret of [connection.uri, connection.pooledUri]) mask(secret);
  if (inputs.check_connection) {
    await checkConnection(
      context,
      [found.uri, found.pooledUri].map((uri) => ownUri(uri, inputs.ssl)),
    );
  }
  context.progress({ connection });
  return connection;
}

/** The connection with what `ssl` and `prisma` ask for; every parameter that the service set is kept. */
function withInputParameters(connection: Connection, inputs: Pick<Inputs, 'ssl' | 'prisma'>): Connection {
  const { ssl, prisma } = inputs;
  const direct = withSsl(connection.uri, ssl);
  const pooled = withSsl(connection.pooledUri, ssl);
  return {
    ...connection,
    uri: prisma ? withPrisma(direct, { pooled: false }) : direct,
    pooledUri: prisma ? withPrisma(pooled, { pooled: true }) : pooled,
  };
}

/** Waits until a real connection with each of the URIs has answered `SELECT 1`. */
export async function checkConnection({ api, log }: Context, uris: string[]): Promise<void> {
  const { deadline, clock } = api;
  await Promise.all(
    [...new Set(uris)].map(async (uri) => {
      const started = clock.now();
      const { attempts, close } = await connectWhenReady({
        ...{ uri, deadline, clock },
        feature: 'check_connection',
        onRetry: log.info,
      });
      const ms = clock.now() - started;
      await close();
      log.info(`${hostOf(uri)} answered SELECT 1 after ${duration(ms)} (${count(attempts, 'attempt')})`);
    }),
  );
}

const features = {
  auth: { field: 'base_url', input: 'get_auth_url', title: 'Neon Auth' },
  'data-api': { field: 'url', input: 'get_data_api_url', title: 'the Data API' },
} as const;

/** Records the URLs of Auth and the Data API that the inputs ask for. */
export async function recordFeatures(
  context: Context,
  about: About,
  { database }: Pick<Connection, 'database'>,
): Promise<void> {
  const { inputs } = context;
  const [authUrl, dataApiUrl] = await Promise.all([
    inputs.get_auth_url ? featureUrl(context, about, 'auth', '/auth') : undefined,
    inputs.get_data_api_url
      ? featureUrl(context, about, 'data-api', `/data-api/${encodeURIComponent(database)}`)
      : undefined,
  ]);
  context.progress({ authUrl, dataApiUrl });
}

/** The URL of a feature of the service; undefined, with a warning, if the feature is off for the branch. */
async function featureUrl(
  { log }: Context,
  { api, projectId, branch }: About,
  feature: keyof typeof features,
  rest: string,
): Promise<string | undefined> {
  const { field, input, title } = features[feature];
  try {
    return await get(api, {
      goal: `read the URL of ${title} for branch ${show(branch.name)}`,
      path: branchPath({ projectId, branchId: branch.id, rest }),
      mayBeNone: true,
      read: (from) => shape.string(from[field], field),
    });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    log.warning(
      `\`${input}\` is set, but ${title} is off for branch ${show(branch.name)}. Enable it in the service's console, for the branch's parent too if new branches should have it, or remove \`${input}\`.`,
    );
    return undefined;
  }
}
