import { settlingOf } from '../api/branches.ts';
import { listChoices } from '../api/connection.ts';
import { MismatchError, RefusedError } from '../api/errors.ts';
import type { Branch } from '../api/types.ts';
import { type Context, projectOf } from '../context.ts';
import type { Result } from '../result.ts';
import { show } from '../text/inert.ts';
import { addresses } from './connection-details.ts';
import { renewExpiry } from './expiry.ts';
import { settleMasking } from './masking.ts';
import { findParent } from './parent.ts';
import { BranchGoneError, goneError, makeUsable } from './ready.ts';
import { checkReset, resetBranch } from './reset.ts';

interface Reuse {
  context: Context;
  branch: Branch;
  date: number | undefined;
  /** Whether this run has made it. */
  made: boolean;
  operationIds?: string[];
}

/**
 * A branch that is there already, or whose create lost its answer: made ready, reset where asked, with its addresses. Throws a
 * `BranchGoneError` where it goes away meanwhile, unless it has been reset by then: whoever starts over would reset it again, were
 * it there after all.
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
    const settling = settlingOf({ ...options, now: options.context.api.clock.now() });
    throw (await goneError({ ...options, error, settling })) ?? error;
  }
}

async function reuse(options: Reuse & { onRestored: () => void }): Promise<Partial<Result>> {
  const { context, date, made, onRestored } = options;
  const { inputs, log } = context;
  const found = options.branch;
  context.progress({ branch: found, created: made });
  if (!made && inputs.if_exists === 'fail') {
    context.remember({ name: found.name, create: 'refused' });
    throw new RefusedError(
      `Branch ${show(found.name)} (${found.id}) exists already, and \`if_exists: fail\` asks for a new one. Delete it, choose another name, or set \`if_exists: reuse\`.`,
    );
  }
  context.remember({ name: found.name, create: 'answered', id: found.id });
  log.info(`${made ? 'Created' : 'Reusing'} branch ${show(found.name)} (${found.id})`);
  if (!made) await warnOfDifferences(context, found);
  if (inputs.ephemeral && !made && found.annotations['github-run-id'] !== context.event.runId) {
    log.info('`ephemeral` will not delete it, because another run made it');
  }

  const sourceId =
    !made && inputs.if_exists === 'reset' ? await checkReset({ context, branch: found, date }) : undefined;
  const usable = await makeUsable({ ...options, branch: found });
  const { endpoint, settling } = usable;
  let branch = usable.branch;
  const operationIds = [...(options.operationIds ?? []), ...usable.started.map((one) => one.id)];
  const operations = [...usable.done];
  let what = made ? 'Created' : 'Reused';
  const note = () => context.progress({ branch, operationIds, operations });
  note();

  if (sourceId !== undefined) {
    const reset = await resetBranch({ context, branch, date, sourceId, onRestored });
    branch = reset.branch;
    operationIds.push(...reset.operationIds);
    operations.push(...reset.operations);
    what = 'Reused and reset';
  } else if (!made) {
    const renewed = await renewExpiry({ context, branch, settling });
    branch = renewed.branch;
    operationIds.push(...renewed.started);
    operations.push(...renewed.done);
  }
  note();
  const [masked, names] = await Promise.all([
    // No anonymized branch is reset: the check of the reset has asked already.
    sourceId !== undefined || settleMasking({ context, branch, settling, made }),
    listChoices({ ...projectOf(context), branch, settling }),
  ]);
  return {
    branch,
    created: made,
    operationIds,
    operations,
    ...(masked ? await addresses({ context, branch, endpoint, settling, names }) : {}),
    done: `${what} branch ${show(branch.name)} (${branch.id})`,
  };
}

/** A branch that exists is used as it is; where it is not what was asked for, the log says so. */
async function warnOfDifferences(context: Context, branch: Branch): Promise<void> {
  const { inputs, log } = context;
  const schemaOnly = branch.init_source === 'schema-only';
  if (inputs.branch_type === 'schema-only' && !schemaOnly) {
    log.warning(
      `Branch ${show(branch.name)} exists with data, and \`branch_type: schema-only\` was asked for; it is used as it is`,
    );
    return;
  }
  // A schema-only branch is a root, without a parent to compare. A reset goes to the parent that is asked for anyway.
  if (inputs.parent_branch === undefined || schemaOnly || inputs.if_exists === 'reset') return;
  const wanted = await findParent(context);
  if (wanted !== branch.parent_id) {
    log.warning(
      `Branch ${show(branch.name)} exists with parent ${branch.parent_id ?? 'none'}, and parent ${show(inputs.parent_branch)} (${wanted}) was asked for; it is used as it is. \`if_exists: fail\` refuses such a branch.`,
    );
  }
}
