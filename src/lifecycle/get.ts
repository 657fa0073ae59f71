import { waitUntilReady } from '../branch/ready.ts';
import { checkRows } from '../branch/rows.ts';
import { checkTarget, requireTarget } from '../branch/target.ts';
import { nameAndId } from '../service/branches.ts';
import { requireEndpoint } from '../service/endpoints.ts';
import { recordConnection } from './connection.ts';
import type { Outcome, Step } from './facts.ts';

/** Reads an existing branch and its connection details, once its unfinished operations have ended; changes nothing. */
export async function get(step: Step): Promise<Outcome> {
  const found = await requireTarget(step);
  const branch = await waitUntilReady(step, found);
  checkTarget(step, branch);
  const about = { ...found, branch };
  step.record({ branch });
  const { columns: masked } = await checkRows(step, about, { wait: true });
  const endpoint = await requireEndpoint(about, 'it has no host');
  const connection = await recordConnection(step, about, { endpoint });
  return { action: 'read', branch, connection, masked, done: `Read branch ${nameAndId(branch)}` };
}
