import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../service/postgres/cluster.ts';
import { ADMINISTRATOR } from '../service/postgres/statements.ts';
import { Workspace } from '../service/postgres/workspace.ts';

/** A statement as the server's own log has it. Times are its clock's, in milliseconds. */
export interface LoggedStatement {
  pid: number;
  start: number;
  end: number;
  sql: string;
}

/** Unlike the local service's servers, with room for real work, and a log of every statement and its duration. */
const settings = {
  shared_buffers: '128MB',
  maintenance_work_mem: '64MB',
  max_worker_processes: '8',
  max_parallel_workers: '2',
  max_parallel_maintenance_workers: '2',
  min_wal_size: '64MB',
  wal_recycle: 'on',
  wal_keep_size: '0',
  log_line_prefix: '%n %p ',
  log_min_duration_statement: '0',
  log_lock_waits: 'on',
};

/** A Postgres server that logs what it does, to compare what a rehearsal has measured with. */
export class LoggedPostgres {
  readonly #workspace: Workspace;
  readonly #folder: string;
  readonly #port: number;
  readonly #server: ChildProcess;
  #log = '';

  private constructor(options: { workspace: Workspace; folder: string; port: number; server: ChildProcess }) {
    ({ workspace: this.#workspace, folder: this.#folder, port: this.#port, server: this.#server } = options);
    this.#server.stderr?.on('data', (chunk) => {
      this.#log += chunk;
    });
  }

  static async start(): Promise<LoggedPostgres> {
    const workspace = await Workspace.create();
    const folder = workspace.newFolder();
    const data = join(folder, 'data');
    await workspace.newCluster(data);
    const port = await freePort();
    const own = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const server = workspace.server(['-D', data, '-p', String(port), '-k', folder, ...own]);
    const started = new LoggedPostgres({ workspace, folder, port, server });
    await started.logged('ready to accept connections');
    await started.query('postgres', "CREATE ROLE app LOGIN CREATEDB PASSWORD 'app-password'");
    return started;
  }

  async stop(): Promise<void> {
    this.#server.kill('SIGINT');
    await this.#workspace.close();
  }

  uri(database: string, role = 'app'): string {
    return `postgresql://${role}:${role}-password@127.0.0.1:${this.#port}/${database}?sslmode=disable`;
  }

  /** Runs statements as the administrator; the rows are those of the last one. */
  async query(database: string, sql: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ host: this.#folder, port: this.#port, user: ADMINISTRATOR, database });
    await client.connect();
    try {
      const result: unknown = await client.query(sql);
      return ((Array.isArray(result) ? result.at(-1) : result) as pg.QueryResult).rows;
    } finally {
      await client.end();
    }
  }

  /** The statements that were logged since the last call, in the order in which they ended. */
  async statements(): Promise<LoggedStatement[]> {
    // The log is complete once it has what was logged last.
    const mark = `mark ${Math.random()}`;
    await this.query('postgres', `SELECT '${mark}'`);
    await this.logged(mark);
    const text = this.#log;
    this.#log = '';
    return text.split(/\n(?=\d+\.\d+ \d+ )/).flatMap((entry) => {
      const match = /^(\d+\.\d+) (\d+) LOG: {2}duration: ([\d.]+) ms {2}(?:statement|execute [^:]*): ([\s\S]*)/.exec(
        entry,
      );
      if (!match) return [];
      const [, time, pid, duration, sql = ''] = match;
      const end = Number(time) * 1000;
      return [{ pid: Number(pid), start: end - Number(duration), end, sql: sql.trim() }];
    });
  }

  /** Resolves once the log has this, since the last call of `statements`. */
  async logged(what: string): Promise<void> {
    while (!this.#log.includes(what)) {
      if (this.#server.exitCode !== null) throw new Error(`Postgres ended: ${this.#log}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}
