import { ApiError } from '../http/errors.ts';
import { once } from '../http/once.ts';
import { show } from '../text/inert.ts';
import {
  answerAbout,
  branchPath,
  findBranchByName,
  getBranch,
  type Project,
  type Settling,
  settlingOfChange,
} from './branches.ts';
import { unfinishedOperations } from './operations.ts';
import type { Branch, Operation } from './types.ts';

/** A `Date` header and the times of a branch have whole seconds. */
const dateGrainMs = 1_000;
/** Operations that give a branch another state, as a restore does; those of computes begin by themselves at any time. */
const givesState = /timeline|branch|swap|restore|reset/;
/** First and longest pause between two looks at what is under way, in milliseconds. */
const pauses = { first: 250, longest: 4_000 };

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
 * happened, by its time of the last reset, by the operation that makes its new state, or by the branch that keeps its old one.
 */
export async function restoreBranch(
  options: Project & { branch: Branch; restore: Restore; settling?: Settling | undefined },
): Promise<{ branch: Branch; operations: Operation[] }> {
  const { api, projectId, branch, restore } = options;
  const settling = settlingOfChange(options.settling, api.clock.now());
  const { preserveUnderName } = restore;
  const look = lookForReset({ api, projectId, branch, preserveUnderName, settling: options.settling });
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

/** Whether a restore that is sent from now on has happened, as far as the branch shows it: then the branch and what is under way. */
function lookForReset(
  options: Project & { branch: Branch; preserveUnderName: string | undefined; settling: Settling | undefined },
): () => Promise<{ branch: Branch; operations: Operation[] } | undefined> {
  const { api, projectId, branch, preserveUnderName, settling } = options;
  const sentAt = api.clock.now();
  const shown = async () => {
    const { branch: now, date } = await getBranch({ api, projectId, branchId: branch.id, settling });
    const happened = now.last_reset_at !== branch.last_reset_at || now.current_state === 'resetting';
    // Work on the branch, or a branch, is a sign only where it began after the request was sent, by the service's own clock.
    const earliest = (date ?? api.clock.now()) - (api.clock.now() - sentAt) - dateGrainMs;
    return { now, happened, earliest };
  };
  const quiet = async () => {
    for (let pause = pauses.first; ; pause = Math.min(pauses.longest, pause * 2)) {
      await api.sleep(pause, `seeing whether branch ${show(branch.name)} was reset`);
      if ((await unfinishedOperations({ api, projectId, branchId: branch.id })).length === 0) return;
    }
  };
  return async () => {
    const { now, happened, earliest } = await shown();
    const running = await unfinishedOperations({ api, projectId, branchId: branch.id });
    const ours = running.filter((one) => Date.parse(one.created_at ?? '') >= earliest);
    // A branch of that name which was there before is somebody else's, or what an earlier reset has kept.
    const kept =
      preserveUnderName === undefined ? undefined : await findBranchByName({ api, projectId, name: preserveUnderName });
    const isKept = kept !== undefined && Date.parse(kept.branch.created_at) >= earliest;
    const made = Date.parse(branch.created_at) + dateGrainMs;
    const signs = ours.filter((one) => givesState.test(one.action) && Date.parse(one.created_at ?? '') > made);
    if (happened || isKept || signs.length > 0) return { branch: now, operations: ours };
    if (running.length === 0) return undefined;
    // A compute that starts because somebody connects is no sign of a reset. Once all is quiet, the branch tells.
    await quiet();
    const later = await shown();
    return later.happened ? { branch: later.now, operations: [] } : undefined;
  };
}
