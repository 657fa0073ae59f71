import { recordConnection } from '../branch/connection-details.ts';
import { checkMasking } from '../branch/masking.ts';
import { waitUntilReady } from '../branch/ready.ts';
import { checkRequired } from '../branch/require.ts';
import { checkTarget, requireTarget } from '../branch/target.ts';
import { nameAndId } from '../service/branches.ts';
import { listChoices } from '../service/connection.ts';
import { howToAddEndpoint, listEndpoints, readWriteEndpoint } from '../service/endpoints.ts';
import { RefusedError } from '../service/errors.ts';
import type { Outcome, Step } from './facts.ts';
import { recordFeatures } from './features.ts';

/** Reads an existing branch and its connection details, once its unfinished operations have ended; changes nothing. */
export async function get(step: Step): Promise<Outcome> {
  const found = await requireTarget(step);
  const branch = await waitUntilReady(step, found);
  checkTarget(step, branch);
  const about = { ...found, branch };
  step.record({ branch });
  const { columns: masked } = await checkMasking(step, about, { wait: true });
  await checkRequired(step, about);
  const [endpoints, names] = await Promise.all([listEndpoints(about), listChoices(about)]);
  const endpoint = readWriteEndpoint(endpoints, branch);
  if (!endpoint) {
    throw new RefusedError(
      `Branch ${nameAndId(branch)} has no read-write compute endpoint, so it has no host. ${howToAddEndpoint(branch)}`,
    );
  }
  const connection = await recordConnection(step, about, { endpoint, names });
  await recordFeatures(step, about, connection);
  return { action: 'read', branch, connection, masked, done: `Read branch ${nameAndId(branch)}` };
}
