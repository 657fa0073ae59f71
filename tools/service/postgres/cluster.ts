import type { ChildProcess } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { ADMINISTRATOR } from './statements.ts';
import type { Workspace } from './workspace.ts';

interface Running {
  process: ChildProcess;
  port: number;
  exited: Promise<void>;
}

/** A port that is free at the moment; another process may still take it. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}

/** The lines of a server's log that say why it stopped; all of them if none does. */
function reason(log: string): string {
  const fatal = log.split('\n').filter((line) => /^(FATAL|PANIC|ERROR)/.test(line));
  return fatal.length > 0 ? fatal.join('; ') : log;
}

/** A data directory and, if it is running, its server. */
export class Cluster {
  readonly workspace: Workspace;
  readonly folder: string;
  readonly data: string;
  /** When the root branch got its roles and databases. Earlier points can't be recovered. */
  historyStart = { time: 0, lsn: '0/0' };
  #running: Running | undefined;
  #starting: Promise<number> | undefined;
  #stopping: Promise<void> | undefined;
  #sessions = 0;
  #lastTask: Promise<unknown> = Promise.resolve();

  constructor(workspace: Workspace) {
    this.workspace = workspace;
    this.folder = workspace.newFolder();
    this.data = join(this.folder, 'data');
  }

  /** Whether the administrator has a session, so that the server must not be stopped. */
  get busy(): boolean {
    return this.#sessions > 0;
  }

  /** Runs tasks that start, stop or copy this cluster one after another. */
  exclusively<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#lastTask.then(task, task);
    this.#lastTask = result.catch(() => {});
    return result;
  }

  /** Starts the server unless it is running. Returns its port. */
  async start(): Promise<number> {
    await this.#stopping;
    if (this.#running) return this.#running.port;
    this.#starting ??= this.#launchOnFreePort().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  async #launchOnFreePort(): Promise<number> {
    for (let attempt = 1; ; attempt++) {
      const port = await freePort();
      const log = await this.#launch(port);
      if (log === undefined) return port;
      if (attempt === 5 || !/could not bind|Address already in use/.test(log))
        throw new Error(`Postgres: ${reason(log)}`);
    }
  }

  /** Resolves to undefined when the server is ready, or to its log if it failed. */
  async #launch(port: number): Promise<string | undefined> {
    const child = this.workspace.server(['-D', this.data, '-p', String(port), '-k', this.folder]);
    let log = '';
    const exited = new Promise<void>((resolve) => {
      child.once('exit', () => {
        if (this.#running?.process === child) this.#running = undefined;
        resolve();
      });
      child.once('error', (error) => {
        log += error.message;
        resolve();
      });
    });
    const ready = new Promise<true>((resolve) => {
      child.stderr?.on('data', (chunk) => {
        log = (log + chunk).slice(-8_192);
        if (log.includes('ready to accept connections')) resolve(true);
      });
    });
    const started = await Promise.race([ready, exited]);
    if (!started) return log;
    this.#running = { process: child, port, exited };
    return undefined;
  }

  /** `fast` leaves a clean data directory; `immediate` is for one that is going to be deleted. */
  async stop(mode: 'fast' | 'immediate' = 'fast'): Promise<void> {
    const running = this.#running;
    if (!running) return;
    this.#running = undefined;
    running.process.kill(mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
    this.#stopping = running.exited;
    await running.exited;
  }

  async remove(): Promise<void> {
    await this.exclusively(async () => {
      await this.stop('immediate');
      await rm(this.folder, { recursive: true, force: true });
    });
  }

  /** Connects as the administrator, starting the server if necessary. */
  async session<T>(database: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
    this.#sessions++;
    try {
      const client = new pg.Client({ host: this.folder, port: await this.start(), user: ADMINISTRATOR, database });
      // If the server is stopped during a session, the running query reports it.
      client.on('error', () => {});
      await client.connect();
      try {
        return await use(client);
      } finally {
        await client.end();
      }
    } finally {
      this.#sessions--;
    }
  }

  /** Runs statements, as `role` if given, and returns the rows of the last one. */
  query(database: string, sql: string, role?: string): Promise<Record<string, unknown>[]> {
    return this.session(database, async (client) => {
      if (role !== undefined) await client.query(`SET SESSION AUTHORIZATION ${pg.escapeIdentifier(role)}`);
      const result: unknown = await client.query(sql);
      const last = (Array.isArray(result) ? result.at(-1) : result) as pg.QueryResult<Record<string, unknown>>;
      return last.rows;
    });
  }
}
