import { checkGuards, describeChildren } from '../branch/guard.ts';
import { type ApiError, isNotFoundOrGone } from '../http/errors.ts';
import type { RequestSpec } from '../http/request.ts';
import { responseAbout } from '../service/branch-changes.ts';
import { findWithChildren } from '../service/branches.ts';
import { RefusedError } from '../service/errors.ts';
import { branchPath } from '../service/project.ts';
import type { Branch, Operation } from '../service/types.ts';
import { show } from '../text/inert.ts';
import type { Sighting } from './sighting.ts';

/** What a DELETE has done. */
export interface DeleteDone {
  deleted: boolean;
  operations: Operation[];
}

/** One DELETE. It is idempotent: a branch that is already gone is what was asked for. */
export function deletion(seen: Sighting): RequestSpec<DeleteDone> {
  const { branch } = seen;
  const readDeleted = responseAbout(branch);
  return {
    goal: `delete branch ${show(branch.name)}`,
    method: 'DELETE',
    path: branchPath({ ...seen, branchId: branch.id }),
    async recover(error) {
      if (isNotFoundOrGone(error)) return { done: { deleted: error.mayHaveActed, operations: [] } };
      if (error.status === 422) refuseParent(branch, await childrenNow(seen), error);
      return undefined;
    },
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
  const goal = `list the children of branch ${show(seen.branch.name)}`;
  const { branch, children = [] } =
    (await findWithChildren({ ...seen, goal, is: ({ id }) => id === seen.branch.id })) ?? {};
  if (branch?.default || branch?.protected) checkGuards({ branch }, { doing: 'deleted' });
  return children;
}

function refuseParent(branch: Branch, children: Branch[], cause?: ApiError): void {
  if (children.length === 0) return;
  throw new RefusedError(`${describeChildren({ branch, children })}. Delete them first.`, { cause });
}
