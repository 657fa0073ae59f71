import type { Client } from 'pg';
import { type Clock, type Deadline, deadlineIn } from '../http/clock.ts';
import { connectWhenReady, describeError, type PostgresConnection } from '../postgres/connect.ts';
import { observerName, type Sample, sampleUntil } from './sample.ts';

/** How long it may take to connect again, in milliseconds, and how often that is tried. */
const reconnect = { ms: 10_000, most: 5 };

/** The action's own connection. It is opened again if it is lost: a command may end all others, or restart the compute. */
export interface Observer {
  client(): Promise<Client>;
  /** Closes the connection, after an error or at the end. */
  drop(): Promise<void>;
  /** How many connections there were. */
  opened(): number;
}

export interface ObserverOptions {
  /** The direct connection. */
  uri: string;
  deadline: Deadline;
  clock: Clock;
  onInfo: (line: string) => void;
}

export function createObserver({ uri, deadline, clock, onInfo }: ObserverOptions): Observer {
  let connection: PostgresConnection | undefined;
  let opened = 0;
  return {
    async client() {
      if (connection) return connection.client;
      const again = Math.min(reconnect.ms, deadline.remainingMs());
      const limit = opened === 0 ? deadline : deadlineIn(again, { signal: deadline.signal, clock });
      connection = await connectWhenReady({ uri, clock, deadline: limit, feature: 'rehearse', onRetry: onInfo });
      opened++;
      // Whatever the role's or the database's own settings are; and no function of the user's may stand in for the server's.
      await connection.client.query(
        `SET search_path = pg_catalog; SET statement_timeout = 0; SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0; SET application_name = '${observerName}'`,
      );
      return connection.client;
    },
    async drop() {
      const old = connection;
      connection = undefined;
      await old?.close();
    },
    opened: () => opened,
  };
}

/** Samples until the signal aborts. Never rejects: what could not be seen is added to `gaps`, as a sentence. */
export async function watch(options: {
  observer: Observer;
  signal: AbortSignal;
  onSample: (sample: Sample) => void;
  gaps: string[];
}): Promise<void> {
  const { observer, signal, onSample, gaps } = options;
  for (let failures = 0; ; failures++) {
    try {
      return await sampleUntil({ client: await observer.client(), signal, onSample });
    } catch (error) {
      await observer.drop();
      const isOver = signal.aborted || failures >= reconnect.most;
      if (isOver) gaps.push(`Lock sampling stopped early: ${describeError(error)}.`);
      else if (failures === 0) gaps.push(`Lock sampling was interrupted: ${describeError(error)}.`);
      if (isOver) return;
    }
  }
}
