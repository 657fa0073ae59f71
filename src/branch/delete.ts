import { isNotFound } from '../http/errors.ts';
import type { RequestSpec } from '../http/request.ts';
import { responseAbout } from '../service/branch-changes.ts';
import { type Found, nameAndId } from '../service/branches.ts';
import { type About, branchPath } from '../service/project.ts';
import type { Operation } from '../service/types.ts';
import { show } from '../text/inert.ts';
import { type Check, guarded } from './guard.ts';
import { waitForOperations } from './ready.ts';
import type { BranchStep } from './step.ts';

export interface Deleted {
  /** False if the branch was already gone. */
  deleted: boolean;
  operations: Operation[];
}

/**
 * Deletes a branch, and with `wait` waits until it is gone. `check` and the guards hold for the branch as it is when the request is sent.
 */
export async function deleteBranch(
  step: BranchStep,
  found: Found,
  { wait, check }: { wait: boolean; check: Check },
): Promise<Deleted> {
  const { branch } = found;
  const guard = guarded(found, { doing: 'deleted', check });
  const beforeAttempt = async () => {
    await guard();
    step.log.info(`Deleting branch ${nameAndId(branch)}`);
  };
  const { value } = await step.api.request({ ...deleteRequest(found), beforeAttempt });
  step.record({ branch });
  step.started(value.operations);
  try {
    if (wait) await waitForOperations(step, value.operations, { areDeletions: true });
  } catch (error) {
    step.log.warning(`The deletion of branch ${nameAndId(branch)} has begun, but was not seen to end`);
    throw error;
  }
  step.record({ deleted: value.deleted });
  return value;
}

/** One DELETE. A branch that is already gone is what was asked for. */
export function deleteRequest(about: About): RequestSpec<Deleted> {
  const { branch } = about;
  const readDeleted = responseAbout(branch);
  return {
    goal: `delete branch ${show(branch.name)}`,
    method: 'DELETE',
    path: branchPath(about),
    recover: async (error) =>
      isNotFound(error) ? { done: { deleted: error.mayHaveActed, operations: [] } } : undefined,
    read: (body, status, mayHaveActed) =>
      status === 204
        ? { deleted: mayHaveActed, operations: [] }
        : { deleted: true, operations: readDeleted(body).operations },
  };
}
