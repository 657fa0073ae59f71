import type { Context } from '../context.ts';
import { type ApiError, isNotFoundOrGone } from '../http/errors.ts';
import { firstOf, retryUntil } from '../http/retry.ts';
import type { Result } from '../result.ts';
import { responseAbout } from '../service/branch-changes.ts';
import { listBranches, listChildren, nameAndId } from '../service/branches.ts';
import { OperationError, RefusedError } from '../service/errors.ts';
import { branchPath, type Change } from '../service/project.ts';
import type { Branch, Operation } from '../service/types.ts';
import { listSome } from '../text/format.ts';
import { show } from '../text/inert.ts';
import { checkOwner } from './owner.ts';
import { waitForOperations } from './ready.ts';
import type { Sighting } from './sighting.ts';
import { guard } from './target.ts';

/** Deletes one branch that has just been read and may be deleted, and waits until it is gone. */
export async function deleteBranch(
  context: Context,
  seen: Sighting,
  { hard, wait }: { hard: boolean; wait: boolean },
): Promise<Pick<Result, 'action' | 'done'>> {
  const { branch } = seen;
  // Not every deployment refuses to delete a parent.
  refuseParent(branch, seen.children ?? (await childrenNow(seen)));
  context.log.info(`Deleting branch ${nameAndId(branch)}`);
  const { deleted, operations } = await seen.change(deletion(seen, { hard }));
  // Whatever the wait brings, the service goes on deleting it.
  context.progress({ branch, deleted });
  context.started(operations);
  if (wait) await waitUntilGone(context, seen, operations);
  return {
    action: deleted ? 'deleted' : 'already-gone',
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
    create: () => Promise<void>;
  },
): Promise<void> {
  const { parentId, create } = options;
  const { branch } = seen;
  checkOwner(context, branch, 'change');
  guard(branch, 'deleted');
  if (branch.id === parentId) {
    throw new RefusedError(
      `Branch ${nameAndId(branch)} cannot be its own parent. Nothing was changed. Set \`parent_branch\` to another branch.`,
    );
  }
  try {
    // `hard_delete` is about the branch that the post step deletes. This one may be needed if it can't be created again.
    const { action } = await deleteBranch(context, seen, { wait: true, hard: false });
    if (action === 'deleted') context.progress({ replaced: branch });
    await create();
  } catch (error) {
    if (context.result().deleted) {
      context.log.warning(
        `Branch ${nameAndId(branch)} was deleted, and the new branch may not exist. If it doesn't, you can recover the old one before the service's recovery window ends: use \`command: manage\` with \`method: POST\` and \`path: /projects/{project_id}/branches/${branch.id}/recover\`.`,
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
}

/** One DELETE. It is idempotent: a branch that is already gone is what was asked for. */
export function deletion(seen: Sighting, { hard }: { hard: boolean }): Change<DeleteDone> {
  const { branch } = seen;
  const { clock } = seen.api;
  const readDeleted = responseAbout(branch, 'delete');
  return {
    doing: 'deleted',
    goal: `delete branch ${show(branch.name)}`,
    method: 'DELETE',
    path: branchPath({ ...seen, branchId: branch.id }),
    query: { hard_delete: hard || undefined },
    recover: firstOf<DeleteDone>(
      async (error) =>
        isNotFoundOrGone(error) ? { done: { deleted: error.mayHaveActed, operations: [] } } : undefined,
      // It may not be ready yet. If it is not new, the DELETE is still sent once more: what was in its way may have just ended.
      retryUntil(clock, [422], async (error) => {
        refuseParent(branch, await childrenNow(seen), error);
        return seen.shortWindow?.until ?? 0;
      }),
    ),
    // A response that has lost its body does not name the operations to wait for; only a 204, for a branch that was already gone, rightly
    // has none.
    read: (body, status, mayHaveActed) =>
      status === 204
        ? { deleted: mayHaveActed, operations: [] }
        : { deleted: true, operations: readDeleted(body).operations },
  };
}

/** The children of a branch. Throws if the list that has them says that the branch itself must not be deleted. */
async function childrenNow(seen: Sighting): Promise<Branch[]> {
  const { branch, children } = await listChildren(seen);
  if (branch?.default || branch?.protected) guard(branch, 'deleted');
  return children;
}

function refuseParent(branch: Branch, children: Branch[], cause?: ApiError): void {
  if (children.length === 0) return;
  const [have, noun] = children.length === 1 ? ['has a', 'child branch'] : ['has', 'child branches'];
  throw new RefusedError(
    `Branch ${nameAndId(branch)} ${have} ${noun}: ${listSome(children.map(nameAndId), 5)}. Delete the ${noun} first.`,
    { cause },
  );
}

async function exists({ api, projectId, branch }: Sighting): Promise<boolean> {
  const goal = `check whether branch ${show(branch.name)} is gone`;
  const listed = await listBranches({ api, projectId, goal, search: branch.name });
  return listed.some((one) => one.id === branch.id);
}
