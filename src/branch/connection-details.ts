import type { Context } from '../context.ts';
import { isNotFound } from '../http/errors.ts';
import * as shape from '../http/shape.ts';
import type { Inputs } from '../inputs/fields.ts';
import { connectWhenReady, hostOf } from '../postgres/connect.ts';
import { anonymizedStatus } from '../service/anonymize.ts';
import {
  type Connection,
  choose,
  connectionFromResponse,
  conventional,
  fetchConnection,
  fetchUris,
  listChoices,
  type Names,
  type Uris,
} from '../service/connection.ts';
import { createIdKey } from '../service/create.ts';
import { branchPath, get } from '../service/project.ts';
import { propagationMs } from '../service/propagation-window.ts';
import type { ConnectionDetails, Endpoint } from '../service/types.ts';
import { ownUri, withPrisma, withSsl } from '../service/uri.ts';
import { count, duration } from '../text/format.ts';
import { show } from '../text/inert.ts';
import { goneError } from './ready.ts';
import { checkRequired } from './require.ts';
import type { Sighting } from './sighting.ts';

interface Options {
  endpoint: Endpoint;
  /** Default: the one that the inputs name, if any. */
  database?: string;
  /** Names to choose from, if they are known already. */
  names?: Names;
  /** Connection URIs that are already being read, if they are for the chosen database and role. */
  likely?: { database: string; role: string; uris: Promise<Uris> };
  /** Connection URIs from the response to a create. */
  connectionUris?: ConnectionDetails[];
}

/**
 * Records the connection details of a branch for the outputs, with the parameters that the inputs set, and its other URLs, unless
 * `features` is false. With `require`, a branch that is not what is required is refused first.
 */
export async function recordConnection(
  context: Context,
  seen: Sighting,
  options: Options & { found?: Connection; features?: boolean },
): Promise<void> {
  const { inputs, mask } = context;
  const { features = true } = options;
  await checkRequired(context, seen);
  const found = options.found ?? (await findConnection(context, seen, options));
  const connection = withInputParameters(found, inputs);
  for (const secret of [connection.uri, connection.pooledUri]) mask(secret);
  const { database } = connection;
  const [authUrl, dataApiUrl] = await Promise.all([
    features && inputs.get_auth_url ? featureUrl(context, seen, { feature: 'auth', database }) : undefined,
    features && inputs.get_data_api_url ? featureUrl(context, seen, { feature: 'data-api', database }) : undefined,
  ]);
  if (inputs.check_connection) {
    await checkConnection(
      context,
      [found.uri, found.pooledUri].map((uri) => ownUri(uri, inputs.ssl)),
    );
  }
  context.progress({ connection, authUrl, dataApiUrl });
}

/** The connection for the chosen database and role, as the service returned it, with its secrets masked. */
export async function findConnection(context: Context, seen: Sighting, options: Options): Promise<Connection> {
  const { inputs, mask } = context;
  const { endpoint, likely, connectionUris = [] } = options;
  const { branch } = seen;
  const names = options.names ?? (await listChoices(seen));
  const wanted = options.database ?? inputs.database;
  const database = choose({ kind: 'database', wanted, names: names.databases, branch });
  const role = choose({ kind: 'role', wanted: inputs.role, names: names.roles, branch });
  const found =
    connectionFromResponse({ details: connectionUris, endpoint, database, role }) ??
    (await fetchConnection({
      ...{ ...seen, endpoint, database, role },
      uris: likely?.database === database && likely.role === role ? likely.uris : undefined,
    }));
  for (const secret of [found.password, found.uri, found.pooledUri]) mask(secret);
  return found;
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

const features = {
  auth: { field: 'base_url', input: 'get_auth_url', title: 'Neon Auth' },
  'data-api': { field: 'url', input: 'get_data_api_url', title: 'the Data API' },
} as const;

/** The URL of a feature of the service; undefined, with a warning, if the feature is off for the branch. */
async function featureUrl(
  context: Context,
  seen: Sighting,
  options: { feature: keyof typeof features; database: string },
): Promise<string | undefined> {
  const { feature, database } = options;
  const { api, projectId, branch, window } = seen;
  const { field, input, title } = features[feature];
  const rest = feature === 'auth' ? '/auth' : `/data-api/${encodeURIComponent(database)}`;
  try {
    return await get(api, {
      goal: `read the URL of ${title} for branch ${show(branch.name)}`,
      path: branchPath({ projectId, branchId: branch.id, rest }),
      window: window && { ...window, until: Math.min(window.until, api.clock.now() + propagationMs.feature) },
      read: (from) => shape.string(from[field], field),
    });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const gone = await goneError(seen, error);
    if (gone) throw gone;
    context.log.warning(
      `\`${input}\` is set, but ${title} is off for branch ${show(branch.name)}. Enable it for the branch in the service's console, and for its parent if new branches should have it too, or remove \`${input}\`.`,
    );
    return undefined;
  }
}

/** `check_connection`: waits until a real connection with each of the URIs has answered `SELECT 1`. */
export async function checkConnection(context: Context, uris: string[]): Promise<void> {
  const { api, log } = context;
  const { deadline, clock } = api;
  await Promise.all(
    [...new Set(uris)].map(async (uri) => {
      const started = clock.now();
      const { attempts, close } = await connectWhenReady({
        uri,
        feature: 'check_connection',
        deadline,
        clock,
        onRetry: log.info,
      });
      const ms = clock.now() - started;
      await close();
      log.info(`${hostOf(uri)} answered SELECT 1 after ${duration(ms)} (${count(attempts, 'attempt')})`);
    }),
  );
}

/**
 * Begins to read at once what would otherwise be read one after another; a read that fails does so where it is used. Undefined for a branch that this action did not create: such a branch may
 * have no endpoint, and all would have to be read again after one was added.
 */
export function readAhead({ inputs }: Context, { api, projectId, branch }: Sighting, { masking = false } = {}) {
  if (branch.metadata[createIdKey] === undefined) return undefined;
  const about = { api, projectId, branch };
  const { database = conventional.database, role = conventional.role } = inputs;
  const ahead = {
    masking: masking ? anonymizedStatus(about) : undefined,
    names: listChoices(about),
    // For the database and the role that will most likely be chosen.
    likely: { database, role, uris: fetchUris({ ...about, database, role }) },
  };
  for (const read of [ahead.masking, ahead.names, ahead.likely.uris]) read?.catch(() => {});
  return ahead;
}
