import { connectWhenReady, hostOf } from '../postgres/connect.ts';
import { withPrisma, withSsl } from '../postgres/uri.ts';
import {
  type Connection,
  choose,
  connectionFromResponse,
  fetchConnection,
  listChoices,
  type Names,
} from '../service/connection.ts';
import type { About } from '../service/project.ts';
import type { ConnectionDetails, Endpoint } from '../service/types.ts';
import { duration } from '../text/format.ts';
import type { BranchInputs, BranchStep } from './step.ts';

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
export async function findConnection(step: BranchStep, about: About, options: Options): Promise<Connection> {
  const { inputs, mask } = step;
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
export async function recordConnection(step: BranchStep, about: About, options: Options): Promise<Connection> {
  const { inputs, mask } = step;
  const found = await findConnection(step, about, options);
  const connection = withInputParameters(found, inputs);
  for (const secret of [connection.uri, connection.pooledUri]) mask(secret);
  if (inputs.check_connection) await checkConnection(step, [found.uri, found.pooledUri]);
  step.record({ connection });
  return connection;
}

/** The connection with what `ssl` and `prisma` ask for; every parameter that the service set is kept. */
function withInputParameters(connection: Connection, inputs: Pick<BranchInputs, 'ssl' | 'prisma'>): Connection {
  const { ssl = 'require', prisma = false } = inputs;
  const direct = withSsl(connection.uri, ssl);
  const pooled = withSsl(connection.pooledUri, ssl);
  return {
    ...connection,
    uri: prisma ? withPrisma(direct, { pooled: false }) : direct,
    pooledUri: prisma ? withPrisma(pooled, { pooled: true }) : pooled,
  };
}

/** Waits until a real connection with each of the URIs has answered `SELECT 1`. */
export async function checkConnection({ api, log }: BranchStep, uris: string[]): Promise<void> {
  const { deadline, clock } = api;
  await Promise.all(
    [...new Set(uris)].map(async (uri) => {
      const started = clock.now();
      const { close } = await connectWhenReady({
        ...{ uri, deadline, clock },
        feature: 'check_connection',
        onRetry: log.info,
      });
      const ms = clock.now() - started;
      await close();
      log.info(`${hostOf(uri)} answered SELECT 1 after ${duration(ms)}`);
    }),
  );
}
