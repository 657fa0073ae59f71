import { type Context, projectOf } from '../context.ts';
import { ApiError } from '../http/errors.ts';
import { anonymizedStatus } from '../service/anonymize.ts';
import { findBranchByName, getBranch, nameAndId, pagesOfBranches } from '../service/branches.ts';
import { NotFoundError, RefusedError } from '../service/errors.ts';
import { branchWindow, changeWindow } from '../service/propagation-window.ts';
import { restoreBranch } from '../service/restore.ts';
import type { Branch } from '../service/types.ts';
import { listSome } from '../text/format.ts';
import { show } from '../text/inert.ts';
import { renewExpiry } from './expiry.ts';
import { findParent } from './parent.ts';
import { sameBranch } from './ready.ts';
import { guard } from './target.ts';
import { checkParent, checkUnchanged } from './unchanged.ts';
import { waitForOperations } from './wait.ts';

interface ResetOptions {
  context: Context;
  branch: Branch;
  date: number | undefined;
}

/** A reset that may be done. */
export interface CheckedReset {
  /** The ID of the branch to reset to. */
  sourceId: string;
  /** Throws if the branch, or the name of the requested parent, has changed since this check. */
  checkAgain: () => Promise<void>;
}

/** Refuses, before anything is changed, a reset that must not or cannot be done. `branch` has just been read. */
export async function checkReset({ context, branch, date }: ResetOptions): Promise<CheckedReset> {
  const { api } = context;
  const project = projectOf(context);
  guard(branch, 'reset');
  if (branch.init_source === 'schema-only') {
    throw new RefusedError(
      `Branch ${nameAndId(branch)} is a schema-only branch, and a reset would copy another branch's rows into it. Nothing was changed. To replace it, run \`command: create\` with \`branch_type: schema-only\` and \`if_exists: recreate\`. For a branch with rows, choose another name, with \`branch_type: default\`.`,
    );
  }
  const checkBranch = checkUnchanged({ project, branch, date, doing: 'reset' });
  const parent = await findParent(context);
  const checkItsParent = checkParent(context, parent);
  const sourceId = parent?.id ?? branch.parent_id;
  if (sourceId === undefined) {
    throw new NotFoundError(
      `Branch ${nameAndId(branch)} has no parent to reset to: it is a root branch. Set \`parent_branch\`, or delete the branch and create it again.`,
    );
  }
  const window = branchWindow({ branch, clock: api.clock, date });
  // A 404 of a new branch's anonymization status is only believed once another read has found the branch.
  if (window) {
    const now = await getBranch({ ...project, branchId: branch.id, window });
    guard(sameBranch(context, branch, now.branch), 'reset');
  }
  if (await anonymizedStatus({ ...project, branch, window: changeWindow(window, api.clock) })) {
    throw new RefusedError(
      `Branch ${nameAndId(branch)} is anonymized, and a reset would bring back its parent's rows unmasked. Nothing was changed. Delete it and create it again with \`masking_rules\`.`,
    );
  }
  const checkAgain = async () => {
    // A restore whose response is lost is looked up before it is sent again.
    await checkBranch(false);
    await checkItsParent();
  };
  return { sourceId, checkAgain };
}

export interface ResetDone {
  branch: Branch;
  done: string;
}

/** The reset itself, for `command: reset` and `if_exists: reset`, after its check: restore, operations, expiry. */
export async function resetBranch(
  options: ResetOptions & {
    checked: CheckedReset;
    /** Called once the service has accepted the restore, which must not be sent again then. */
    onRestored?: () => void;
  },
): Promise<ResetDone> {
  const { context, branch, date, checked, onRestored } = options;
  const { inputs, api, log } = context;
  const project = projectOf(context);
  const source = inputs.parent_branch === undefined ? 'its parent' : `branch ${show(inputs.parent_branch)}`;
  const point = inputs.parent_timestamp ?? inputs.parent_lsn;
  const to = point ? `${source} at ${point}` : `the head of ${source}`;
  log.info(`Resetting branch ${nameAndId(branch)} to ${to}`);
  const window = branchWindow({ branch, clock: api.clock, date });
  const restored = await restoreBranch({
    ...project,
    branch,
    restore: {
      sourceId: checked.sourceId,
      timestamp: inputs.parent_timestamp,
      lsn: inputs.parent_lsn,
      preserveUnderName: inputs.preserve_under_name,
    },
    window,
    beforeAttempt: checked.checkAgain,
  }).catch((error: unknown) => explainRefusal({ error, context, branch }));
  onRestored?.();
  context.started(restored.operations);
  if (inputs.wait) await waitForOperations(context, restored.operations);
  // The response shows the branch as it was before its operations ran.
  const now = inputs.wait ? (await getBranch({ ...project, branchId: branch.id, window })).branch : restored.branch;
  sameBranch(context, branch, now);
  // The response need not have the metadata.
  const checkBranch = checkUnchanged({
    ...{ project, branch: { ...branch, name: now.name }, date },
    doing: 'given an expiry',
  });
  const renewed = await renewExpiry({ context, branch: now, window, beforeAttempt: () => checkBranch(false) });
  return { branch: renewed, done: `Reset branch ${nameAndId(branch)} to ${to}` };
}

/**
 * The service refuses to keep the old state under a name that is taken, and to reset a branch with children unless its old state
 * is kept: then the error names the input, and what is in the way.
 */
async function explainRefusal(options: { error: unknown; context: Context; branch: Branch }): Promise<never> {
  const { error, context, branch } = options;
  const refused = error instanceof ApiError && [400, 409, 412, 422].includes(error.status ?? 0);
  if (!refused) throw error;
  const { preserve_under_name: name } = context.inputs;
  if (name !== undefined) {
    const taken = await findBranchByName({ ...projectOf(context), name });
    // A restore whose response was lost may have kept the old state, although the branch does not show it.
    const changed = error.mayHaveActed
      ? 'An earlier attempt got no response, and may have created it.'
      : 'Nothing was changed.';
    throw taken
      ? refusal(
          `\`preserve_under_name\`: branch ${nameAndId(taken.branch)} already exists. ${changed} Choose another name.`,
          error,
        )
      : error;
  }
  const children: string[] = [];
  for await (const page of pagesOfBranches({
    ...projectOf(context),
    goal: `list the children of branch ${show(branch.name)}`,
  })) {
    children.push(...page.items.filter((one) => one.parent_id === branch.id).map((one) => show(one.name)));
  }
  if (children.length === 0) throw error;
  throw refusal(
    `Branch ${nameAndId(branch)} has child branches (${listSome(children, 5)}), so its old state must be kept: set \`preserve_under_name\`. Nothing was changed.`,
    error,
  );
}

function refusal(message: string, cause: unknown): RefusedError {
  const refused = new RefusedError(message);
  refused.cause = cause;
  return refused;
}
