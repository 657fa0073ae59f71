import { connectWhenReady, describeError } from '../postgres/connect.ts';
import { readCatalog, sessionSettings, sizesBefore } from '../rehearse/catalog.ts';
import type { TableSizes } from '../schema/review.ts';
import { nameAndId } from '../service/branches.ts';
import { howToAddEndpoint, listEndpoints, readWriteEndpoint } from '../service/endpoints.ts';
import { RefusedError } from '../service/errors.ts';
import type { About } from '../service/project.ts';
import { ownUri } from '../service/uri.ts';
import { findConnection } from './connection-details.ts';
import type { BranchStep } from './step.ts';

/** Connects to a database of the branch and reads how large its tables are. The password is masked before anything else. */
export async function readTableSizes(step: BranchStep, seen: About, database: string): Promise<TableSizes> {
  const { api, inputs, log, mask } = step;
  const endpoint = readWriteEndpoint(await listEndpoints(seen), seen.branch);
  if (!endpoint) {
    throw new RefusedError(
      `Branch ${nameAndId(seen.branch)} has no read-write compute endpoint, so the sizes of its tables can't be read (\`ignore_below\`). ${howToAddEndpoint(seen.branch)} Or remove \`ignore_below\`.`,
    );
  }
  const found = await findConnection(step, seen, { endpoint, database });
  const uri = ownUri(found.uri, inputs.ssl ?? 'require');
  mask(uri);
  const { deadline, clock } = api;
  const { client, close } = await connectWhenReady({
    ...{ uri, deadline, clock },
    feature: 'ignore_below',
    onRetry: log.info,
  });
  try {
    await client.query(`${sessionSettings}; SET lock_timeout = '10s'`);
    const now = await readCatalog(client, { counts: false });
    return sizesBefore(now, now);
  } catch (error) {
    if (deadline.signal.aborted) throw deadline.signal.reason;
    throw new Error(`Could not read the sizes of the tables (\`ignore_below\`): ${describeError(error)}`, {
      cause: error,
    });
  } finally {
    await close();
  }
}
