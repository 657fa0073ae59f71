import { listChoices } from '../api/connection.ts';
import { MismatchError, RefusedError } from '../api/errors.ts';
import type { Branch } from '../api/types.ts';
import { type Context, projectOf } from '../context.ts';
import { branchWindow } from '../http/propagation-window.ts';
import type { Action, Result } from '../result.ts';
import { show } from '../text/inert.ts';
import { connectionDetails } from './connection-details.ts';
import { renewExpiry } from './expiry.ts';
import { checkMasking } from './masking.ts';
import { findParent } from './parent.ts';
import { BranchGoneError, goneError, makeUsable } from './ready.ts';
import { checkReset, resetBranch } from './reset.ts';
import { nameAndId } from './target.ts';

interface Reuse {
  context: Context;
  branch: Branch;
  date: number | undefined;
  /** Whether this step has created it. */
  created: boolean;
  /** IDs of the operations that this step has already started. */
  operationIds?: string[];
}

/**
 * A branch that already exists, or whose create lost its response: made ready, reset if asked for, with its connection details.
 * Throws a `BranchGoneError` if it is deleted in the meantime, unless it has been reset by then: starting over would reset it
 * again if it still existed after all.
 */
export async function reuseBranch(options: Reuse): Promise<Partial<Result>> {
  let restored = false;
  const onRestored = () => {
    restored = true;
  };
  try {
    return await reuse({ ...options, onRestored });
  } catch (error) {
    if (restored) throw error instanceof BranchGoneError ? new MismatchError(error.message) : error;
    const window = branchWindow({ ...options, clock: options.context.api.clock });
    throw (await goneError({ ...options, error, window })) ?? error;
  }
}

const done: Record<'created' | 'reused' | 'reset', string> = {
  created: 'Created',
  reused: 'Reused',
  reset: 'Reused and reset',
};

async function reuse(options: Reuse & { onRestored: () => void }): Promise<Partial<Result>> {
  const { context, date, created, onRestored } = options;
  const { inputs, log } = context;
  const found = options.branch;
  context.progress({ branch: found, created });
  if (!created && inputs.if_exists === 'fail') {
    context.saveForPostStep({ name: found.name, create: 'refused' });
    throw new RefusedError(
      `Branch ${nameAndId(found)} already exists, and \`if_exists: fail\` requires a new one. Delete it, choose another name, or set \`if_exists: reuse\`.`,
    );
  }
  context.saveForPostStep({ name: found.name, create: 'responded', id: found.id });
  log.info(`${created ? 'Created' : 'Reusing'} branch ${nameAndId(found)}`);
  if (!created) await warnOfDifferences(context, found);
  if (inputs.ephemeral && !created && found.metadata['github-run-id'] !== context.event.runId) {
    log.info('`ephemeral` will not delete it, because another run created it');
  }

  const resets = !created && inputs.if_exists === 'reset';
  const sourceId = resets ? await checkReset({ context, branch: found, date }) : undefined;
  const usable = await makeUsable({ ...options, branch: found });
  const { endpoint, window } = usable;
  let branch = usable.branch;
  const operationIds = [...(options.operationIds ?? []), ...usable.started.map((one) => one.id)];
  const operations = [...usable.done];
  let action: Action & keyof typeof done = created ? 'created' : 'reused';
  const report = () => context.progress({ action, branch, operationIds, operations });
  report();

  if (sourceId !== undefined) {
    const reset = await resetBranch({ context, branch, date, sourceId, onRestored });
    branch = reset.branch;
    operationIds.push(...reset.operationIds);
    operations.push(...reset.operations);
    action = 'reset';
  } else if (!created) {
    const renewed = await renewExpiry({ context, branch, window });
    branch = renewed.branch;
    operationIds.push(...renewed.started);
    operations.push(...renewed.done);
  }
  report();
  const [masked, names] = await Promise.all([
    // An anonymized branch is never reset: the check before the reset has already looked.
    sourceId !== undefined || checkMasking({ context, branch, window, created }),
    listChoices({ ...projectOf(context), branch, window }),
  ]);
  return {
    action,
    branch,
    created,
    operationIds,
    operations,
    ...(masked ? await connectionDetails({ context, branch, endpoint, window, names }) : {}),
    done: `${done[action]} branch ${nameAndId(branch)}`,
  };
}

/** An existing branch is used as it is; if it is not what was asked for, a warning says so. */
async function warnOfDifferences(context: Context, branch: Branch): Promise<void> {
  const { inputs, log } = context;
  const schemaOnly = branch.init_source === 'schema-only';
  if (inputs.branch_type === 'schema-only' && !schemaOnly) {
    log.warning(
      `Branch ${show(branch.name)} already exists with data, although \`branch_type: schema-only\` was asked for; using it as it is`,
    );
    return;
  }
  // A schema-only branch is a root, so it has no parent to compare. A reset uses the requested parent anyway.
  if (inputs.parent_branch === undefined || schemaOnly || inputs.if_exists === 'reset') return;
  const wanted = await findParent(context);
  if (wanted && wanted.id !== branch.parent_id) {
    log.warning(
      `Branch ${show(branch.name)} already exists with parent ${branch.parent_id ?? 'none'}, although parent ${nameAndId(wanted)} was asked for; using it as it is. To refuse such a branch, set \`if_exists: fail\`.`,
    );
  }
}
