import { type Settling, setExpiry } from '../api/branches.ts';
import type { Branch, Operation } from '../api/types.ts';
import { type Context, projectOf } from '../context.ts';
import { longestExpiryMs } from '../inputs/combinations.ts';
import type { Inputs } from '../inputs/fields.ts';
import { toSeconds } from '../inputs/parse.ts';
import { show } from '../text/inert.ts';
import { sameBranch, settle } from './ready.ts';

/** By how much the runner's clock may be ahead of the service's, which refuses whatever is more than its 30 days ahead. */
const clockSlackMs = 60_000;

/** The time at which the service is to delete the branch, from either input. */
export function expiryOf(inputs: Pick<Inputs, 'expires_at' | 'expires_in'>, now: number): string | undefined {
  const span =
    inputs.expires_in === undefined ? undefined : Math.min(inputs.expires_in, longestExpiryMs - clockSlackMs);
  const at = inputs.expires_at ?? (span === undefined ? undefined : now + span);
  return at === undefined ? undefined : toSeconds(at);
}

/** Sets the expiry that is asked for anew on a branch that is there; one that it has already is left as it is. */
export async function renewExpiry(options: {
  context: Context;
  branch: Branch;
  settling: Settling | undefined;
}): Promise<{ branch: Branch; started: string[]; done: Operation[] }> {
  const { context, branch, settling } = options;
  const expiresAt = expiryOf(context.inputs, context.api.clock.now());
  if (expiresAt === undefined || Date.parse(branch.expires_at ?? '') === Date.parse(expiresAt)) {
    return { branch, started: [], done: [] };
  }
  const changed = await setExpiry({ ...projectOf(context), branch, expiresAt, settling });
  sameBranch(context, branch, changed.branch);
  const done = context.inputs.wait ? await settle(context, changed.operations) : [];
  const renewed = { ...branch, expires_at: changed.branch.expires_at ?? expiresAt };
  context.log.info(`Branch ${show(branch.name)} now lives until ${renewed.expires_at}`);
  return { branch: renewed, started: changed.operations.map((one) => one.id), done };
}
