import { type ObserveOptions, observe } from './observe.ts';
import { Observer } from './observer.ts';

/** What the command does if a table that it locks is being read. */
export interface Probe {
  /** `gave up`: it has failed; `got through`: it has succeeded, perhaps in another attempt; `waits`: as long as somebody reads. */
  outcome: 'gave up' | 'got through' | 'waits';
  /** How long its first attempt has waited, in milliseconds; undefined if it didn't wait, or never gave up. */
  givesUpMs: number | undefined;
}

/** Either what it does, or why that is unknown. */
export interface Probed {
  probe?: Probe;
  unprobed?: string;
}

/** After this time, a command waits without limit: milliseconds. */
const withoutLimitMs = 30_000;

/**
 * Runs a command while a session reads each of the tables, until the command has waited for it without limit or for as long as it wants to.
 * Only this shows a `lock_timeout`, wherever it is set, and what happens then. `tables`: as SQL writes their names.
 */
export async function probeLocks(options: ObserveOptions, tables: string[]): Promise<Probed> {
  const reader = new Observer(options);
  try {
    const client = await reader.client();
    const read = `BEGIN; ${tables.map((table) => `SELECT FROM ${table} LIMIT 0`).join('; ')}`;
    await client.query(read);
    let isReading = true;
    let wait: { transaction: string; from: number; until: number } | undefined;
    let isOver = false;
    const waitedMs = () => wait && wait.until - wait.from;
    const isWithoutLimit = () => (waitedMs() ?? 0) >= withoutLimitMs;
    const { observed } = await observe({
      ...options,
      onSample({ at, locks }) {
        if (isOver) return;
        // CONCURRENTLY waits for those who read now, and not for others after them.
        if (isReading && !wait && locks.some(({ awaitsReaders }) => awaitsReaders)) {
          isReading = false;
          const again = client.query(`COMMIT; ${read}`);
          again.then(
            () => {
              isReading = true;
            },
            () => {},
          );
        }
        const lock = locks.find(
          ({ granted, relation, transaction }) =>
            !granted && relation !== null && transaction === (wait?.transaction ?? transaction),
        );
        if (lock) wait = { transaction: lock.transaction, from: wait?.from ?? at, until: at };
        isOver = wait !== undefined && (!lock || isWithoutLimit());
        if (isOver) client.query('COMMIT').catch(() => {});
      },
    });
    if (isWithoutLimit()) return { probe: { outcome: 'waits', givesUpMs: undefined } };
    const { stoppedBy, connected, exitCode } = observed;
    const again = 'when it ran a second time (`probe_locks`)';
    if (stoppedBy) return { unprobed: `The command had no time to end ${again}. Raise \`${stoppedBy}\`.` };
    const must = 'it must be able to run twice in the same workspace';
    if (!connected) return { unprobed: `The command did not connect ${again}: ${must}.` };
    return { probe: { outcome: exitCode === 0 ? 'got through' : 'gave up', givesUpMs: waitedMs() } };
  } finally {
    await reader.close();
  }
}
