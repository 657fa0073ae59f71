import pg from 'pg';
import { type Service, startService } from '../../tools/service/index.ts';

/** A Postgres server for tests of what the rules claim. */
export class Database {
  readonly #service: Service;
  readonly #client: pg.Client;

  private constructor(service: Service, client: pg.Client) {
    this.#service = service;
    this.#client = client;
  }

  static async start(): Promise<Database> {
    const service = await startService({ operationMs: 0 });
    return new Database(service, await connect(service));
  }

  async stop(): Promise<void> {
    await this.#client.end();
    await this.#service.stop();
  }

  /** Runs statements; the rows are those of the last one. */
  async query<T extends pg.QueryResultRow>(sql: string): Promise<T[]> {
    const result: unknown = await this.#client.query(sql);
    return ((Array.isArray(result) ? result.at(-1) : result) as pg.QueryResult<T>).rows;
  }

  /** Prepares a schema of its own, works in a transaction, and leaves nothing behind. */
  async tried<T>(prepare: string, work: () => Promise<T>): Promise<T> {
    await this.query(
      `CREATE SCHEMA try; GRANT USAGE, CREATE ON SCHEMA try TO PUBLIC; SET search_path = try; ${prepare}`,
    );
    try {
      await this.query('BEGIN');
      return await work();
    } finally {
      await this.query('ROLLBACK; DROP SCHEMA try CASCADE');
    }
  }

  /** The first column of what a role sees. */
  async readAs(role: string, sql: string): Promise<unknown[]> {
    await this.query(`SAVEPOINT before_read; SET ROLE ${role}`);
    try {
      return (await this.query(sql)).map((row) => Object.values(row)[0]);
    } finally {
      await this.query('ROLLBACK TO before_read');
    }
  }

  /** The message that statements fail with; undefined if they succeed. */
  async errorOf(sql: string): Promise<string | undefined> {
    await this.query('SAVEPOINT before_error');
    try {
      await this.query(sql);
      return undefined;
    } catch (error) {
      await this.query('ROLLBACK TO before_error');
      return (error as Error).message;
    }
  }

  /** The file that a table is stored in. It changes if and only if the table is rewritten. */
  async fileOf(table: string): Promise<number> {
    const [row] = await this.query<{ file: number }>(`SELECT pg_relation_filenode('${table}')::int AS file`);
    return row?.file ?? 0;
  }

  /** The locks that the open transaction holds on a table, as another connection sees them. */
  async locksOn(table: string): Promise<string[]> {
    const [{ pid, oid } = { pid: 0, oid: 0 }] = await this.query<{ pid: number; oid: number }>(
      `SELECT pg_backend_pid() AS pid, '${table}'::regclass::oid::int AS oid`,
    );
    const rows = await this.#service.query(
      'main',
      `SELECT mode FROM pg_locks WHERE pid = ${pid} AND relation = ${oid} AND granted ORDER BY mode`,
    );
    return rows.map(({ mode }) => String(mode));
  }

  /** How often the open transaction has read all rows of a table. */
  async scansOf(table: string): Promise<number> {
    const [row] = await this.query<{ scans: number }>(
      `SELECT coalesce(pg_stat_get_xact_numscans('${table}'::regclass), 0)::int AS scans`,
    );
    return row?.scans ?? 0;
  }
}

async function connect(service: Service): Promise<pg.Client> {
  const url = new URL(service.uri('main'));
  url.search = '';
  const ssl = { ca: service.certificate ?? '', servername: 'localhost' };
  const client = new pg.Client({ connectionString: url.href, ssl, enableChannelBinding: true });
  await client.connect();
  await client.query("SET TimeZone = 'Asia/Kolkata'");
  return client;
}
