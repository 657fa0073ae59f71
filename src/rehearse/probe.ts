import { type Command, runCommand } from './command.ts';
import type { Limit } from './observe.ts';
import { createObserver, type ObserverOptions, watch } from './observer.ts';
import type { Sample } from './sample.ts';

/** What the command does if a table that it locks is being read. */
export interface Probe {
  /** `gave up`: it has failed; `got through`: it has succeeded, perhaps in another attempt; `waits`: as long as somebody reads. */
  outcome: 'gave up' | 'got through' | 'waits';
  /** How long its first attempt has waited, in milliseconds; undefined if it didn't wait, or never gave up. */
  givesUpMs: number | undefined;
}

/** After this time, a command waits without limit: milliseconds. */
const withoutLimitMs = 30_000;

/**
 * Runs a command while a session reads each of the tables, until the command has waited for it without limit or for as long as it wants to.
 * Only this shows a `lock_timeout`, wherever it is set, and what happens then.
 */
export async function probeLocks(
  options: ObserverOptions & {
    command: Command;
    /** As SQL writes their names. */
    tables: string[];
    limit: Limit;
    onLine: (line: string) => void;
  },
): Promise<Probe> {
  const { command, tables, limit, deadline, clock, onLine } = options;
  const [observer, reader] = [createObserver(options), createObserver(options)];
  const ended = new AbortController();
  try {
    const client = await reader.client();
    await client.query(`BEGIN; ${tables.map((table) => `SELECT FROM ${table} LIMIT 0`).join('; ')}`);
    const wait = new Wait();
    let leaves = false;
    const watching = watch({
      ...{ observer, gaps: [], signal: AbortSignal.any([deadline.signal, ended.signal]) },
      onSample(sample) {
        wait.add(sample);
        if (!wait.isOver || leaves) return;
        leaves = true;
        client.query('COMMIT').catch(() => {});
      },
    });
    const run = runCommand({ command, signal: deadline.signal, limit: { ...limit, clock }, onLine });
    const { exitCode, stopped } = await run.finally(() => ended.abort());
    await watching;
    deadline.signal.throwIfAborted();
    if (wait.isWithoutLimit || stopped) return { outcome: 'waits', givesUpMs: undefined };
    return { outcome: exitCode === 0 ? 'got through' : 'gave up', givesUpMs: wait.gaveUpMs };
  } finally {
    ended.abort();
    await Promise.all([observer.drop(), reader.drop()]);
  }
}

/** The command's first wait for a lock. */
class Wait {
  #pid: number | undefined;
  #since = 0;
  #last = 0;
  isWithoutLimit = false;
  gaveUpMs: number | undefined;

  get isOver(): boolean {
    return this.isWithoutLimit || this.gaveUpMs !== undefined;
  }

  add({ at, locks }: Sample): void {
    if (this.isOver) return;
    const waiting = locks.filter(({ granted, relation }) => !granted && relation !== null);
    const isWaiting = waiting.some(({ pid }) => pid === (this.#pid ?? pid));
    if (this.#pid === undefined) {
      this.#pid = waiting[0]?.pid;
      this.#since = at;
    } else if (!isWaiting) this.gaveUpMs = this.#last - this.#since;
    else this.isWithoutLimit = at - this.#since >= withoutLimitMs;
    this.#last = at;
  }
}
