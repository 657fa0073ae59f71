import { anonymizedStatus } from '../api/anonymize.ts';
import { getBranch, pagesOfBranches, settlingOf, settlingOfChange } from '../api/branches.ts';
import { NotFoundError, RefusedError } from '../api/errors.ts';
import { restoreBranch } from '../api/restore.ts';
import type { Branch, Operation } from '../api/types.ts';
import { type Context, projectOf } from '../context.ts';
import { ApiError } from '../http/errors.ts';
import { show } from '../text/inert.ts';
import { renewExpiry } from './expiry.ts';
import { findParent } from './parent.ts';
import { sameBranch, settle } from './ready.ts';
import { guard } from './target.ts';

export interface ResetDone {
  branch: Branch;
  operations: Operation[];
  operationIds: string[];
  done: string;
}

/** Refuses, before anything is changed, a reset that must not or cannot be; answers the ID of the branch to reset to. */
export async function checkReset(options: {
  context: Context;
  branch: Branch;
  date: number | undefined;
}): Promise<string> {
  const { context, branch, date } = options;
  const project = projectOf(context);
  guard(branch, 'reset');
  const named = `branch ${show(branch.name)} (${branch.id})`;
  const sourceId = (await findParent(context)) ?? branch.parent_id;
  if (sourceId === undefined) {
    throw new NotFoundError(
      `There is no parent to reset ${named} to: it is a root branch${branch.init_source === 'schema-only' ? ' (schema-only)' : ''}. Name a source with \`parent_branch\`, or delete it and create it anew.`,
    );
  }
  const { clock } = context.api;
  const settling = settlingOf({ branch, now: clock.now(), date, made: false });
  // That a branch which was made a moment ago is no anonymized one is believed only once another read of it has found it.
  if (settling) sameBranch(context, branch, (await getBranch({ ...project, branchId: branch.id, settling })).branch);
  if (await anonymizedStatus({ ...project, branch, settling: settlingOfChange(settling, clock.now()) })) {
    throw new RefusedError(
      `B${named.slice(1)} is an anonymized branch, and a reset would bring its parent's rows back unmasked. Nothing was changed. Delete it, and create it anew with \`masking_rules\`.`,
    );
  }
  return sourceId;
}

/** The reset itself, for `command: reset` and `if_exists: reset`, after its check: restore, operations, expiry. */
export async function resetBranch(options: {
  context: Context;
  branch: Branch;
  date: number | undefined;
  /** What `checkReset` answered. */
  sourceId: string;
  /** Called once the service has taken the restore, which must not be sent again then. */
  onRestored?: () => void;
}): Promise<ResetDone> {
  const { context, branch, date, sourceId, onRestored } = options;
  const { inputs, api, log } = context;
  const project = projectOf(context);
  const named = `branch ${show(branch.name)} (${branch.id})`;
  const point = inputs.parent_timestamp ?? inputs.parent_lsn;
  const to = `${inputs.parent_branch === undefined ? 'its parent' : show(inputs.parent_branch)} ${point ? `at ${point}` : 'as it is now'}`;
  log.info(`Resetting ${named} to ${to}`);
  const settling = settlingOf({ branch, now: api.clock.now(), date, made: false });
  const restored = await restoreBranch({
    ...project,
    branch,
    restore: {
      sourceId,
      timestamp: inputs.parent_timestamp,
      lsn: inputs.parent_lsn,
      preserveUnderName: inputs.preserve_under_name,
    },
    settling,
  }).catch((error) => explainRefusal({ error, context, branch }));
  onRestored?.();
  const operationIds = restored.operations.map((one) => one.id);
  context.progress({ operationIds });
  const operations = inputs.wait ? await settle(context, restored.operations) : [];
  // The answer shows the branch as it was while the operations were still to come.
  const now = inputs.wait ? (await getBranch({ ...project, branchId: branch.id, settling })).branch : restored.branch;
  sameBranch(context, branch, now);

  const renewed = await renewExpiry({ context, branch: now, settling });
  operationIds.push(...renewed.started);
  operations.push(...renewed.done);
  return {
    branch: renewed.branch,
    operations,
    operationIds,
    done: `Reset ${named} to ${to}`,
  };
}

/** The service says no where the branch has children and its old state is not kept: then the message says what to set. */
async function explainRefusal(options: { error: unknown; context: Context; branch: Branch }): Promise<never> {
  const { error, context, branch } = options;
  const refused = error instanceof ApiError && [400, 409, 412, 422].includes(error.status ?? 0);
  if (!refused || context.inputs.preserve_under_name !== undefined) throw error;
  const children: string[] = [];
  for await (const page of pagesOfBranches({ ...projectOf(context), goal: 'list the children of the branch' })) {
    children.push(...page.branches.filter((one) => one.parent_id === branch.id).map((one) => show(one.name)));
  }
  if (children.length === 0) throw error;
  const refusal = new RefusedError(
    `Branch ${show(branch.name)} (${branch.id}) has child branches (${children.slice(0, 5).join(', ')}${children.length > 5 ? ', …' : ''}), so that its old state must be kept: set \`preserve_under_name\`. Nothing was changed.`,
  );
  refusal.cause = error;
  throw refusal;
}
