import { recordConnection, recordFeatures } from '../branch/connection-details.ts';
import { checkMasking } from '../branch/masking.ts';
import { waitUntilReady } from '../branch/ready.ts';
import { checkRequired } from '../branch/require.ts';
import { checkTarget, requireTarget } from '../branch/target.ts';
import type { Context } from '../context.ts';
import { nameAndId } from '../service/branches.ts';
import { howToAddEndpoint, listEndpoints, readWriteEndpoint } from '../service/endpoints.ts';
import { RefusedError } from '../service/errors.ts';

/** Reads an existing branch and its connection details, once its unfinished operations have ended; changes nothing. */
export async function run(context: Context): Promise<void> {
  const found = await requireTarget(context);
  const branch = await waitUntilReady(context, found);
  checkTarget(context, branch);
  const about = { ...found, branch };
  context.progress({ branch });
  await checkMasking(context, about, { wait: true });
  await checkRequired(context, about);
  const endpoint = readWriteEndpoint(await listEndpoints(about), branch);
  if (!endpoint) {
    throw new RefusedError(
      `Branch ${nameAndId(branch)} has no read-write compute endpoint, so it has no host. ${howToAddEndpoint(branch)}`,
    );
  }
  const connection = await recordConnection(context, about, { endpoint });
  await recordFeatures(context, about, connection);
  context.progress({ action: 'read', done: `Read branch ${nameAndId(branch)}` });
}
