import type { Client } from '../http/client.ts';
import { backoff } from '../http/clock.ts';
import type { ApiError } from '../http/errors.ts';
import type { BeforeAttempt } from '../http/request.ts';
import { stoppedWhile } from '../http/retry.ts';
import { show } from '../text/inert.ts';
import { type Changed, responseAbout } from './branch-changes.ts';
import { getBranch } from './branches.ts';
import { unfinishedOperations } from './operations.ts';
import { type About, branchPath, type Change } from './project.ts';
import { dateGrainMs, propagationMs } from './propagation-window.ts';
import type { Branch } from './types.ts';

/**
 * Operations with which a restore gives a branch its new state. Others start by themselves at any time, such as those of computes and
 * of the service's archive.
 */
const restoring = ['create_timeline', 'create_branch'];
/** Delays between two looks at running operations, in milliseconds. */
const idleBackoff = { first: 250, longest: 4_000 };

/** Delays between two lookups of a restore that may still be on its way, in milliseconds. */
const lateBackoff = { first: 500, longest: 5_000 };

export interface Reset {
  /** The branch whose state is taken: the parent for a reset. */
  sourceId: string;
  /** A point in the source's history; default its head. */
  timestamp?: string;
  lsn?: string;
  /** Keeps the old state as a branch of this name. */
  preserveUnderName?: string;
  beforeAttempt?: BeforeAttempt;
}

/**
 * Restores a branch to a state of its source; to be sent at once. A lost response does not restore twice: the branch itself shows whether it happened,
 * by the time of its last reset, or by the operation that creates its new state. A branch with the name for its old state shows nothing:
 * another step may have kept its own old state under that name.
 */
export function restoration(about: About, options: Reset): Change<Changed> {
  const { branch } = about;
  const { sourceId, timestamp, lsn, preserveUnderName, beforeAttempt } = options;
  const lookUp = restoreLookup(about);
  return {
    doing: 'reset',
    goal: `reset branch ${show(branch.name)}`,
    method: 'POST',
    path: branchPath({ ...about, branchId: branch.id, rest: '/restore' }),
    body: {
      source_branch_id: sourceId,
      source_timestamp: timestamp,
      source_lsn: lsn,
      preserve_under_name: preserveUnderName,
    },
    beforeAttempt,
    read: responseAbout(branch, 'reset'),
    async happened(error) {
      // The name for the old state is taken: by this very restore, if a response was lost before.
      if (!error.mayHaveActed) return undefined;
      // Sent again, it might reset the branch a second time after the step has ended.
      return error.failure.timedOut ? lookUpUntilSure({ ...about, lookUp, lost: error }) : lookUp();
    },
    refusals: [409],
  };
}

/** A lookup that only believes that a restore did not happen once the service would have acted on it. */
async function lookUpUntilSure(options: {
  api: Client;
  branch: Branch;
  lookUp: () => Promise<Changed | undefined>;
  lost: ApiError;
}): Promise<Changed | undefined> {
  const { api, branch, lookUp, lost } = options;
  const doing = `checking whether branch ${show(branch.name)} was reset; the request to reset it failed: ${lost.failure.what}`;
  const until = api.clock.now() + propagationMs.lostCreate;
  try {
    for (const delay of backoff(lateBackoff)) {
      const found = await lookUp();
      const leftMs = until - api.clock.now();
      if (found || leftMs <= 0) return found;
      await api.sleep(Math.min(delay, leftMs));
    }
  } catch (error) {
    throw stoppedWhile(error, doing, { mayHaveActed: true, isDescribed: true });
  }
  return undefined;
}

/**
 * Call this before the restore is sent. The returned lookup gives the branch and its running operations, or undefined if the restore
 * did not happen.
 */
function restoreLookup({ api, projectId, branch, window }: About): () => Promise<Changed | undefined> {
  const sentAt = api.clock.now();
  const running = () => unfinishedOperations({ api, projectId, branchId: branch.id });
  const read = async () => {
    const { branch: now, date } = await getBranch({ api, projectId, branchId: branch.id, window });
    const happened = now.last_reset_at !== branch.last_reset_at || now.current_state === 'resetting';
    // An operation is only a sign if it began after the request was sent, by the service's own clock.
    const earliest = (date ?? api.clock.now()) - (api.clock.now() - sentAt) - dateGrainMs;
    return { now, happened, earliest };
  };
  const untilIdle = async () => {
    for (const delay of backoff(idleBackoff)) {
      await api.sleep(delay, `checking whether branch ${show(branch.name)} was reset`);
      if ((await running()).length === 0) return;
    }
  };
  return async () => {
    const { now, happened, earliest } = await read();
    const operations = await running();
    const ours = operations.filter((one) => Date.parse(one.created_at ?? '') >= earliest);
    const created = Date.parse(branch.created_at) + dateGrainMs;
    const signs = ours.filter((one) => restoring.includes(one.action) && Date.parse(one.created_at ?? '') > created);
    if (happened || signs.length > 0) return { branch: now, operations: ours };
    if (operations.length === 0) return undefined;
    // A compute that starts because someone connects is no sign of a reset. Once all is idle, the branch shows it.
    await untilIdle();
    const later = await read();
    return later.happened ? { branch: later.now, operations: [] } : undefined;
  };
}
