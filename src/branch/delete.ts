import { type Context, projectOf } from '../context.ts';
import { backoff } from '../http/backoff.ts';
import type { ApiError } from '../http/errors.ts';
import type { BeforeAttempt } from '../http/request.ts';
import type { Result } from '../result.ts';
import { responseAbout } from '../service/branch-response.ts';
import { type FoundBranch, nameAndId, pagesOfBranches } from '../service/branches.ts';
import { OperationError, RefusedError } from '../service/errors.ts';
import { branchPath, type Project } from '../service/project.ts';
import { branchWindow, changeWindow } from '../service/propagation-window.ts';
import type { Branch, Operation } from '../service/types.ts';
import { listSome } from '../text/format.ts';
import { show } from '../text/inert.ts';
import { checkOwner } from './owner.ts';
import { guard } from './target.ts';
import { checkUnchanged } from './unchanged.ts';
import { waitForOperations } from './wait.ts';

/** Deletes one branch that has just been read and may be deleted, and waits until it is gone. */
export async function deleteBranch(options: {
  context: Context;
  branch: Branch;
  date: number | undefined;
}): Promise<Pick<Result, 'action' | 'branch' | 'deleted' | 'done'>> {
  const { context, branch, date } = options;
  const { inputs, log } = context;
  log.info(`Deleting branch ${nameAndId(branch)}`);
  const project = projectOf(context);
  const beforeAttempt = checkUnchanged({ project, branch, date, doing: 'deleted' });
  const sent = await sendDelete({ project, branch, date, hard: inputs.hard_delete, beforeAttempt });
  const { deleted } = sent;
  // Whatever the wait brings, the service goes on deleting it.
  context.progress({ branch, deleted });
  context.started(sent.operations);
  if (inputs.wait) await waitUntilGone({ context, branch, started: sent.operations });
  return {
    action: deleted ? 'deleted' : 'already-gone',
    branch,
    deleted,
    done: deleted ? `Deleted branch ${nameAndId(branch)}` : `Branch ${nameAndId(branch)} was already gone`,
  };
}

/**
 * `if_exists: recreate`: deletes a branch with the guards of `delete`, waits until it is gone, and lets `create` create another. From
 * the moment that the service has accepted the delete until there is another branch, the old one is reported as deleted; if the step
 * fails in between, a warning says so.
 */
export async function replaceBranch(
  options: FoundBranch & {
    context: Context;
    /** The ID of the new branch's parent, if the step names one. */
    parentId: string | undefined;
    create: (context: Context) => Promise<Partial<Result>>;
  },
): Promise<Partial<Result>> {
  const { context, branch, date, parentId, create } = options;
  checkOwner(context, branch, 'change');
  guard(branch, 'deleted');
  if (branch.id === parentId) {
    throw new RefusedError(
      `Branch ${nameAndId(branch)} cannot be its own parent. Nothing was changed. Set \`parent_branch\` to another branch.`,
    );
  }
  let deleted = false;
  let replaced = false;
  const progress = (done: Partial<Result>) => {
    deleted ||= done.deleted === true;
    if ('branch' in done) replaced = done.branch !== undefined && done.branch.id !== branch.id;
    const isMissing = deleted && !replaced;
    context.progress({ ...done, deleted: isMissing, ...(isMissing ? { branch } : {}) });
  };
  // `hard_delete` is about the branch that the post step deletes. This one may be needed if it can't be created again.
  const inputs = { ...context.inputs, wait: true, hard_delete: false };
  try {
    await deleteBranch({ context: { ...context, inputs, progress }, branch, date });
    return await create({ ...context, progress });
  } catch (error) {
    if (deleted && !replaced) {
      context.log.warning(
        `Branch ${nameAndId(branch)} was deleted, and the step failed before it had a new one. Until the service's recovery window ends, \`command: manage\` with \`method: POST\` and \`path: /projects/{project_id}/branches/${branch.id}/recover\` recovers it.`,
      );
    }
    throw error;
  }
}

/** Waits until the operations of a delete have ended. Some deployments forget them along with the branch. */
async function waitUntilGone(options: { context: Context; branch: Branch; started: Operation[] }): Promise<void> {
  const { context, branch, started } = options;
  try {
    await waitForOperations(context, started, { unknownMs: 0 });
  } catch (error) {
    if (!(error instanceof OperationError && error.unknown)) throw error;
    if (await exists(context, branch)) await waitForOperations(context, started);
  }
}

/** What a DELETE has done. */
export interface DeleteDone {
  deleted: boolean;
  operations: Operation[];
  /** Why it was not sent, or not sent again, if `beforeAttempt` said so. */
  kept?: { why: string; mayHaveActed: boolean };
}

/** Delays until a branch is ready to be deleted, in milliseconds. */
const notReadyBackoff = { first: 200, longest: 2_000 };

/** One DELETE. It is idempotent: a branch that is already gone is what was asked for. */
export async function sendDelete(options: {
  project: Project;
  branch: Branch;
  date: number | undefined;
  hard: boolean;
  beforeAttempt?: BeforeAttempt<DeleteDone>;
}): Promise<DeleteDone> {
  const { project, branch, date, hard, beforeAttempt } = options;
  const { api, projectId } = project;
  const { clock } = api;
  const readDeleted = responseAbout(branch, 'delete');
  const delays = backoff(notReadyBackoff);
  let notReadyUntil: number | undefined;
  const response = await api.request<DeleteDone>({
    goal: `delete branch ${show(branch.name)}`,
    method: 'DELETE',
    path: branchPath({ projectId, branchId: branch.id }),
    query: { hard_delete: hard || undefined },
    beforeAttempt,
    async recover(error) {
      const { status, mayHaveActed } = error;
      if (status === 404 || status === 410) return { done: { deleted: mayHaveActed, operations: [] } };
      if (status !== 422) return undefined;
      if (notReadyUntil !== undefined) return clock.now() < notReadyUntil ? { after: delays.next().value } : undefined;
      await explainRefusal(project, branch, error);
      notReadyUntil = changeWindow(branchWindow({ branch, clock, date }), clock)?.until ?? 0;
      return { after: 0 };
    },
    // A response that has lost its body does not name the operations to wait for; only a 204, for a branch that was already gone, rightly
    // has none.
    read: (body, status) =>
      status === 204 ? { deleted: false, operations: [] } : { deleted: true, operations: readDeleted(body).operations },
  });
  const { value } = response;
  return value.kept ? value : { ...value, deleted: value.deleted || response.mayHaveActedBefore };
}

/** Throws if there is a reason for the error: the branch was protected in the meantime, or it has children. */
async function explainRefusal(project: Project, branch: Branch, cause: ApiError): Promise<void> {
  const children: Branch[] = [];
  for await (const page of pagesOfBranches({ ...project, goal: `list the children of branch ${show(branch.name)}` })) {
    for (const one of page.items) if (one.id === branch.id) guard(one, 'deleted');
    children.push(...page.items.filter((one) => one.parent_id === branch.id));
  }
  if (children.length > 0) throw hasChildren(branch, children, cause);
}

function hasChildren(branch: Branch, children: Branch[], cause: ApiError): RefusedError {
  const error = new RefusedError(
    `Branch ${nameAndId(branch)} has child branches: ${listSome(children.map(nameAndId), 5)}. It can only be deleted after them.`,
  );
  error.cause = cause;
  return error;
}

async function exists(context: Context, branch: Branch): Promise<boolean> {
  const goal = `check whether branch ${show(branch.name)} is gone`;
  for await (const page of pagesOfBranches({ ...projectOf(context), goal, search: branch.name })) {
    if (page.items.some((one) => one.id === branch.id)) return true;
  }
  return false;
}
