import { setExpiry } from '../api/branch-updates.ts';
import { nameAndId } from '../api/branches.ts';
import { RefusedError } from '../api/errors.ts';
import type { Branch } from '../api/types.ts';
import { type Context, projectOf } from '../context.ts';
import type { PropagationWindow } from '../http/propagation-window.ts';
import type { Inputs } from '../inputs/fields.ts';
import { longestExpiryMs, toSeconds } from '../inputs/parse.ts';
import { show } from '../text/inert.ts';
import { sameBranch } from './ready.ts';
import { waitForOperations } from './wait.ts';

/** How far the runner's clock may be ahead of the service's, which rejects an expiry more than 30 days ahead by its own clock. */
const clockSlackMs = 60_000;

/** The time at which the service deletes the branch, from either input: RFC 3339 with whole seconds. */
export function expiryOf(inputs: Pick<Inputs, 'expires_at' | 'expires_in'>, now: number): string | undefined {
  const ms = inputs.expires_in === undefined ? undefined : Math.min(inputs.expires_in, longestExpiryMs - clockSlackMs);
  const at = inputs.expires_at ?? (ms === undefined ? undefined : now + ms);
  return at === undefined ? undefined : toSeconds(at);
}

/** Throws, before anything is changed, if an expiry is requested for a branch that can't expire. */
export function checkCanExpire(context: Context, branch: Branch): void {
  const { expires_at, expires_in } = context.inputs;
  if (!branch.protected || (expires_at === undefined && expires_in === undefined)) return;
  const input = expires_at === undefined ? 'expires_in' : 'expires_at';
  throw new RefusedError(
    `Branch ${nameAndId(branch)} is protected, and a protected branch cannot expire. Nothing was changed. Remove \`${input}\`, or unprotect the branch.`,
  );
}

/** Sets the expiry that the inputs ask for on an existing branch, unless it already has it. */
export async function renewExpiry(options: {
  context: Context;
  branch: Branch;
  window: PropagationWindow | undefined;
  /** Called before each attempt; throws if the branch must not be given an expiry. */
  beforeAttempt: () => Promise<void>;
}): Promise<Branch> {
  const { context, branch, window, beforeAttempt } = options;
  const expiresAt = expiryOf(context.inputs, context.api.clock.now());
  if (expiresAt === undefined || Date.parse(branch.expires_at ?? '') === Date.parse(expiresAt)) return branch;
  const changed = await setExpiry({ ...projectOf(context), branch, expiresAt, window, beforeAttempt });
  context.started(changed.operations);
  sameBranch(context, branch, changed.branch);
  if (context.inputs.wait) await waitForOperations(context, changed.operations);
  const renewed = { ...branch, expires_at: changed.branch.expires_at ?? expiresAt };
  context.log.info(`Branch ${show(branch.name)} now expires at ${renewed.expires_at}`);
  return renewed;
}
