import {
  answerAbout,
  branchPath,
  findBranchByName,
  getBranch,
  type Project,
  type Settling,
  settlingOfChange,
} from './branches.ts';
import { ApiError } from './errors.ts';
import { once } from './once.ts';
import { unfinishedOperations } from './operations.ts';
import { show } from './text.ts';
import type { Branch, Operation } from './types.ts';

/** A `Date` header and the times of a branch have whole seconds. */
const dateGrainMs = 1_000;

export interface Restore {
  /** The branch whose state is taken: the parent for a reset. */
  sourceId: string;
  /** A point in the source's history; left out, its head. */
  timestamp?: string | undefined;
  lsn?: string | undefined;
  /** Keeps the old state as a branch of this name. */
  preserveUnderName?: string | undefined;
}

/**
 * Takes a branch back to a state of its source. A lost answer does not restore twice: the branch itself shows whether it has
 * happened, by its time of the last reset, by work in progress on it, or by the branch that keeps its old state.
 */
export async function restoreBranch(
  options: Project & { branch: Branch; restore: Restore; settling?: Settling | undefined },
): Promise<{ branch: Branch; operations: Operation[] }> {
  const { api, projectId, branch, restore } = options;
  const settling = settlingOfChange(options.settling, api.clock.now());
  const { preserveUnderName } = restore;
  const sentAt = api.clock.now();
  const look = async () => {
    const { branch: now, date } = await getBranch({ api, projectId, branchId: branch.id });
    // Work on the branch is a sign only where it began after the request was sent, by the service's own clock.
    const earliest = (date ?? api.clock.now()) - (api.clock.now() - sentAt) - dateGrainMs;
    const running = await unfinishedOperations({ api, projectId, branchId: branch.id });
    const operations = running.filter((one) => Date.parse(one.created_at ?? '') >= earliest);
    // A branch of that name which was there before is somebody else's, or what an earlier reset has kept.
    const kept =
      preserveUnderName === undefined ? undefined : await findBranchByName({ api, projectId, name: preserveUnderName });
    const happened =
      now.last_reset_at !== branch.last_reset_at ||
      now.current_state === 'resetting' ||
      operations.length > 0 ||
      (kept !== undefined && Date.parse(kept.branch.created_at) >= earliest);
    return happened ? { branch: now, operations } : undefined;
  };
  let lost = false;
  try {
    const { value } = await once<{ branch: Branch; operations: Operation[] }>({
      api,
      act: () =>
        api.request({
          goal: `reset branch ${show(branch.name)}`,
          method: 'POST',
          path: branchPath({ projectId, branchId: branch.id, rest: '/restore' }),
          body: {
            source_branch_id: restore.sourceId,
            source_timestamp: restore.timestamp,
            source_lsn: restore.lsn,
            preserve_under_name: preserveUnderName,
          },
          ...(settling ? { settling } : {}),
          read: answerAbout(branch, 'reset'),
        }),
      look: async () => {
        lost = true;
        return look();
      },
    });
    return value;
  } catch (error) {
    // The name for the old state is taken: by this very reset, where an answer was lost before.
    const happened = lost && error instanceof ApiError && error.status === 409 ? await look() : undefined;
    if (happened) return happened;
    throw error;
  }
}
