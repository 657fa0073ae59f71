import type { LockTracker } from './locks.ts';
import type { Sample } from './sample.ts';

/** How the command of the input `load` fared beside the migration. */
export interface Load {
  /** Undefined if it ran until it was ended. */
  exitCode: number | undefined;
  /** Whether it has connected to the branch. */
  connected: boolean;
  /** Whether its sessions and those of the command were seen at the same time. */
  overlapped: boolean;
  /** How long one of its sessions has waited for the command, directly or in a queue, in milliseconds; and for which table, if that is known. */
  waitedMs: number;
  table: string | undefined;
  /** Transactions of all sessions that were rolled back, and deadlocks, by the server's counters. */
  rollbacks: number;
  deadlocks: number;
}

/** Follows the sessions of the load from sample to sample. */
export class LoadTracker {
  readonly #waiting = new Map<number, { since: number; table: string | undefined }>();
  connected = false;
  overlapped = false;
  /** The longest wait so far. */
  longest: { ms: number; table: string | undefined } = { ms: 0, table: undefined };

  add(sample: Sample, tracker: LockTracker): void {
    const { at, sessions, locks, waits } = sample;
    const load = new Set(sessions.filter(({ isLoad }) => isLoad).map(({ pid }) => pid));
    const command = new Set(sessions.filter(({ isLoad }) => !isLoad).map(({ pid }) => pid));
    this.connected ||= load.size > 0;
    this.overlapped ||= load.size > 0 && command.size > 0;
    const blockersOf = new Map(waits.map(({ pid, blockers }) => [pid, blockers]));
    /** Whether a session waits for one of the command's, perhaps behind others. */
    const isBehind = (pid: number, seen: Set<number>): boolean =>
      (blockersOf.get(pid) ?? []).some((one) => {
        if (command.has(one)) return true;
        if (seen.has(one)) return false;
        seen.add(one);
        return isBehind(one, seen);
      });
    for (const pid of load) {
      const wait = this.#waiting.get(pid);
      if (wait && at - wait.since > this.longest.ms) this.longest = { ms: at - wait.since, table: wait.table };
      if (!isBehind(pid, new Set())) this.#waiting.delete(pid);
      else if (!wait) {
        const lock = locks.find((one) => one.pid === pid && !one.granted);
        this.#waiting.set(pid, { since: at, table: lock && tracker.tableOf(lock) });
      }
    }
  }
}
