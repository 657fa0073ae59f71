import type { Context } from '../context.ts';
import { backoff } from '../http/backoff.ts';
import type { ApiError } from '../http/errors.ts';
import type { BeforeAttempt } from '../http/request.ts';
import type { Result } from '../result.ts';
import { responseAbout } from '../service/branch-changes.ts';
import { nameAndId, pagesOfBranches } from '../service/branches.ts';
import { OperationError, RefusedError } from '../service/errors.ts';
import { branchPath } from '../service/project.ts';
import type { Branch, Operation } from '../service/types.ts';
import { listSome } from '../text/format.ts';
import { show } from '../text/inert.ts';
import { checkOwner } from './owner.ts';
import type { Sighting } from './sighting.ts';
import { guard } from './target.ts';
import { waitForOperations } from './wait.ts';

/** Deletes one branch that has just been read and may be deleted, and waits until it is gone. */
export async function deleteBranch(
  context: Context,
  seen: Sighting,
  options: {
    hard: boolean;
    wait: boolean;
    /** Called once the service has accepted the delete. */
    onAccepted?: () => void;
  },
): Promise<Pick<Result, 'action' | 'branch' | 'deleted' | 'done'>> {
  const { branch } = seen;
  const { hard, wait, onAccepted } = options;
  context.log.info(`Deleting branch ${nameAndId(branch)}`);
  const { deleted, operations } = await sendDelete(seen, { hard });
  if (deleted) onAccepted?.();
  // Whatever the wait brings, the service goes on deleting it.
  context.progress({ branch, deleted });
  context.started(operations);
  if (wait) await waitUntilGone(context, seen, operations);
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
  context: Context,
  seen: Sighting,
  options: {
    /** The ID of the new branch's parent, if the step names one. */
    parentId: string | undefined;
    create: () => Promise<Partial<Result>>;
  },
): Promise<Partial<Result>> {
  const { parentId, create } = options;
  const { branch } = seen;
  checkOwner(context, branch, 'change');
  guard(branch, 'deleted');
  if (branch.id === parentId) {
    throw new RefusedError(
      `Branch ${nameAndId(branch)} cannot be its own parent. Nothing was changed. Set \`parent_branch\` to another branch.`,
    );
  }
  const onAccepted = () => void context.progress({ replaced: branch });
  try {
    // `hard_delete` is about the branch that the post step deletes. This one may be needed if it can't be created again.
    await deleteBranch(context, seen, { wait: true, hard: false, onAccepted });
    return await create();
  } catch (error) {
    if (context.result().deleted) {
      context.log.warning(
        `Branch ${nameAndId(branch)} was deleted, and the step failed before it had a new one. Until the service's recovery window ends, \`command: manage\` with \`method: POST\` and \`path: /projects/{project_id}/branches/${branch.id}/recover\` recovers it.`,
      );
    }
    throw error;
  }
}

/** Waits until the operations of a delete have ended. Some deployments forget them along with the branch. */
async function waitUntilGone(context: Context, seen: Sighting, started: Operation[]): Promise<void> {
  try {
    await waitForOperations(context, started, { unknownMs: 0 });
  } catch (error) {
    if (!(error instanceof OperationError && error.unknown)) throw error;
    if (await exists(seen)) await waitForOperations(context, started);
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
export async function sendDelete(
  seen: Sighting,
  options: { hard: boolean; beforeAttempt?: BeforeAttempt<DeleteDone> },
): Promise<DeleteDone> {
  const { branch } = seen;
  const { hard, beforeAttempt } = options;
  const { clock } = seen.api;
  const readDeleted = responseAbout(branch, 'delete');
  const delays = backoff(notReadyBackoff);
  let notReadyUntil: number | undefined;
  const response = await seen.change<DeleteDone>({
    doing: 'deleted',
    goal: `delete branch ${show(branch.name)}`,
    method: 'DELETE',
    path: branchPath({ ...seen, branchId: branch.id }),
    query: { hard_delete: hard || undefined },
    beforeAttempt,
    async recover(error) {
      const { status, mayHaveActed } = error;
      if (status === 404 || status === 410) return { done: { deleted: mayHaveActed, operations: [] } };
      if (status !== 422) return undefined;
      if (notReadyUntil !== undefined) return clock.now() < notReadyUntil ? { after: delays.next().value } : undefined;
      await explainRefusal(seen, error);
      notReadyUntil = seen.shortWindow?.until ?? 0;
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
async function explainRefusal(seen: Sighting, cause: ApiError): Promise<void> {
  const { api, projectId, branch } = seen;
  const children: Branch[] = [];
  for await (const page of pagesOfBranches({
    api,
    projectId,
    goal: `list the children of branch ${show(branch.name)}`,
  })) {
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

async function exists({ api, projectId, branch }: Sighting): Promise<boolean> {
  const goal = `check whether branch ${show(branch.name)} is gone`;
  for await (const page of pagesOfBranches({ api, projectId, goal, search: branch.name })) {
    if (page.items.some((one) => one.id === branch.id)) return true;
  }
  return false;
}
