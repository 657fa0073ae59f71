import type { Context } from '../context.ts';
import { expiryOf } from '../inputs/expiry.ts';
import { expiryChange, protection } from '../service/branch-changes.ts';
import { nameAndId } from '../service/branches.ts';
import { createIdKey } from '../service/create.ts';
import { endpointUpdate, settingsToChange } from '../service/endpoints.ts';
import { RefusedError } from '../service/errors.ts';
import type { Branch, Endpoint, Operation } from '../service/types.ts';
import { show } from '../text/inert.ts';
import { describeOwner, isOtherRepository } from './owner.ts';
import { waitForOperations, wantedSettings } from './ready.ts';
import { type Sighting, sameBranch } from './sighting.ts';

/** Applies `protected`, `min_cu`, `max_cu` and `suspend_timeout` to an existing branch if they differ from what it has. */
export async function applySettings(context: Context, seen: Sighting, endpoint: Endpoint): Promise<Branch> {
  const { inputs, log } = context;
  const { branch } = seen;
  const operations: Operation[] = [];
  const started = (more: Operation[]) => {
    context.started(more);
    operations.push(...more);
  };
  const settings = settingsToChange(endpoint, wantedSettings(context));
  if (settings) {
    const changed = await seen.change(endpointUpdate(seen, { endpoint, settings }));
    started(changed.operations);
    const list = Object.entries(settings).map(([name, value]) => `${name} ${value}`);
    log.info(`Changed the compute settings of branch ${show(branch.name)}: ${list.join(', ')}`);
  }
  const protects = inputs.protected && !branch.protected;
  if (protects) {
    const changed = await seen.change(protection(seen));
    started(changed.operations);
    log.info(`Branch ${show(branch.name)} is now protected`);
  }
  if (inputs.wait) await waitForOperations(context, operations);
  return protects ? { ...branch, protected: true } : branch;
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
  const changed = await seen.change(expiryChange(seen, expiresAt));
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
    `Branch ${nameAndId(branch)} had no expiry, and ${why}. The service will now delete it at ${renewed.expires_at}. To keep it, remove \`expires_in\` or \`expires_at\` from the step, and clear the branch's expiry in the service's console.`,
  );
  return renewed;
}
