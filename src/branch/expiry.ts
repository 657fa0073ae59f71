import type { Context } from '../context.ts';
import type { Inputs } from '../inputs/fields.ts';
import { longestExpiryMs, toSeconds } from '../inputs/parse.ts';
import { setExpiry } from '../service/branch-changes.ts';
import { nameAndId } from '../service/branches.ts';
import { createIdKey } from '../service/create.ts';
import { RefusedError } from '../service/errors.ts';
import type { Branch } from '../service/types.ts';
import { show } from '../text/inert.ts';
import { describeOwner, isOtherRepository } from './owner.ts';
import { sameBranch } from './ready.ts';
import type { Sighting } from './sighting.ts';
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
export async function renewExpiry(context: Context, seen: Sighting): Promise<Branch> {
  const { branch } = seen;
  const expiresAt = expiryOf(context.inputs, context.api.clock.now());
  if (expiresAt === undefined || Date.parse(branch.expires_at ?? '') === Date.parse(expiresAt)) return branch;
  const changed = await setExpiry(seen, expiresAt);
  context.started(changed.operations);
  sameBranch(context, branch, changed.branch);
  if (context.inputs.wait) await waitForOperations(context, changed.operations);
  const renewed = { ...branch, expires_at: changed.branch.expires_at ?? expiresAt };
  context.log.info(`Branch ${show(branch.name)} now expires at ${renewed.expires_at}`);
  return renewed;
}

/** The same for a branch that is reused. Whoever created it may not expect the service to delete it: then a warning says so. */
export async function expireReused(context: Context, seen: Sighting): Promise<Branch> {
  const { branch } = seen;
  const renewed = await renewExpiry(context, seen);
  if (branch.expires_at !== undefined || renewed.expires_at === undefined) return renewed;
  const isForeign = isOtherRepository(context.event, branch);
  if (!isForeign && branch.metadata[createIdKey] !== undefined) return renewed;
  const why = isForeign ? `it belongs to ${describeOwner(branch)}` : 'this action did not create it';
  context.log.warning(
    `Branch ${nameAndId(branch)} never expired, and ${why}. The service will now delete it at ${renewed.expires_at}. To keep it, remove \`expires_in\` or \`expires_at\` from the step, and its expiry in the service's console.`,
  );
  return renewed;
}
