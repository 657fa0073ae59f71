import { ApiError } from '../http/errors.ts';
import { responseAbout } from '../service/branch-changes.ts';
import { getBranch, nameAndId } from '../service/branches.ts';
import { RefusedError } from '../service/errors.ts';
import { unfinishedOperations } from '../service/operations.ts';
import { branchPath } from '../service/project.ts';
import type { Branch, Operation } from '../service/types.ts';
import { asSentence } from '../text/format.ts';
import { show } from '../text/inert.ts';
import { guarded } from './guard.ts';
import { waitForOperations } from './ready.ts';
import type { BranchStep } from './step.ts';
import type { Found } from './target.ts';

interface Reset {
  /** The ID of the branch whose state is taken: the parent. */
  sourceId: string;
  /** A point in the source's history; default its head. */
  point?: { timestamp?: string; lsn?: string };
  /** Keeps the old state as a branch of this name. */
  preserveUnderName?: string;
  /** Throws if the branch is not the one that was meant. */
  check: (branch: Branch) => void;
}

/**
 * Sends the reset of a branch; the guards hold for the branch as it is then. If its response is lost, the branch shows whether it has happened, once its
 * operations have ended: by the point in its parent's history, or the time of its last reset.
 */
export async function sendReset(step: BranchStep, found: Found, reset: Reset): Promise<Operation[]> {
  const { api, projectId, branch } = found;
  const { sourceId, point, preserveUnderName: name, check } = reset;
  const branchId = branch.id;

  const hasMoved = async () => {
    await waitForOperations(step, await unfinishedOperations({ api, projectId, branchId }));
    const { branch: now } = await getBranch({ api, projectId, branchId });
    return (['last_reset_at', 'parent_lsn', 'parent_timestamp'] as const).some((key) => now[key] !== branch[key]);
  };

  try {
    const { value } = await api.request({
      goal: `reset branch ${show(branch.name)}`,
      method: 'POST',
      path: branchPath({ projectId, branchId, rest: '/restore' }),
      body: {
        source_branch_id: sourceId,
        source_timestamp: point?.timestamp,
        source_lsn: point?.lsn,
        preserve_under_name: name,
      },
      beforeAttempt: guarded(step, found, { doing: 'reset', keepsChildren: name !== undefined, check }),
      recover: async (error) => {
        const isLost = error.failure.mayHaveActed;
        // Sent again, the name for the old state is taken if the first one has acted after all.
        if (!isLost && !(error.status === 409 && error.mayHaveActed)) return undefined;
        if (await hasMoved()) return { done: { operations: [] as Operation[] } };
        return isLost ? 'resend' : undefined;
      },
      read: responseAbout(branch),
    });
    return value.operations;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 409 || name === undefined) throw error;
    throw new RefusedError(
      `${asSentence(error.message)} Branch ${nameAndId(branch)} was not reset. If a branch named ${show(name)} exists already, set \`preserve_under_name\` to another name.`,
      { cause: error },
    );
  }
}
