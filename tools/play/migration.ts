import pg from 'pg';
import { parseSchema } from '../../src/schema/parser.ts';
import { connect } from '../demo/shop.ts';
import { type PlayedStep, ScriptFailed } from '../runner/workflow/play.ts';
import type { Service } from '../service/index.ts';

export interface SqlFile {
  path: string;
  sql: string;
  /** The database for which it is; undefined if it is for each that has no file of its own. Those of one database run in order. */
  database?: string | undefined;
}

/** Runs files on each branch that a step gets, once in each of its databases, as migration tools do that know what they have run. */
export class Migration {
  private readonly service: Service;
  private readonly files: SqlFile[];
  private last: Promise<unknown> = Promise.resolve();

  constructor(service: Service, files: SqlFile[]) {
    this.service = service;
    this.files = files;
  }

  /** Returns what was done on the branch of a step, if anything. Throws a `ScriptFailed` if the SQL fails. */
  runAfter({ outputs, outcome }: PlayedStep): Promise<string | undefined> {
    const branch = this.service.branch(outputs.branch_id ?? '');
    // SQL for main is that of `--seed`.
    if (!branch || branch.default || outcome !== 'success' || !outputs.db_url) return Promise.resolve(undefined);
    // Several jobs may get the same branch.
    const run = this.last.then(() => this.runOn(branch, outputs));
    this.last = run.catch(() => {});
    return run;
  }

  private async runOn({ id, name }: Branch, { database = '', role }: Record<string, string>): Promise<string> {
    const own = this.files.filter((one) => one.database === database);
    const files = own.length > 0 ? own : this.files.filter((one) => !one.database);
    const place = `in database ${database} of ${name}`;
    if (files.length === 0) return `No --migrate is for database ${database}.`;
    const paths = files.map(({ path }) => path).join(', ');
    if (await this.has(id, database, paths)) return `${paths} did not run ${place}, because it had run before.`;
    for (const { path, sql } of files) {
      const problem = await runSql(this.service, { branch: id, database, role: role || undefined, sql });
      if (problem !== undefined) throw new ScriptFailed(`--migrate ${path} failed ${place}: ${problem}`);
    }
    const sql = `COMMENT ON DATABASE ${pg.escapeIdentifier(database)} IS ${pg.escapeLiteral(paths)}`;
    await this.service.query(id, sql, { database, role: 'cloud_admin' });
    return `Ran ${paths} ${place}.`;
  }

  /** What has run is noted in the database itself, so that a branch of this one has it, and one that is reset no longer does. */
  private async has(branch: string, database: string, paths: string): Promise<boolean> {
    const sql = `SELECT shobj_description(oid, 'pg_database') AS ran FROM pg_database WHERE datname = current_database()`;
    return (await this.service.query(branch, sql, { database }))[0]?.ran === paths;
  }
}

type Branch = ReturnType<Service['branches']>[number];

/**
 * Runs SQL in a database of a branch, as the role or else as neondb_owner, up to its first error, which is returned with the line and
 * the statement.
 */
export async function runSql(
  service: Service,
  { branch, database, role, sql }: { branch: string; database: string; role: string | undefined; sql: string },
): Promise<string | undefined> {
  const uri = service.uri(branch, { database, ...(role !== undefined && { role }) });
  return connect(uri, (client) => runStatements(client, sql)).catch((error: Error) => error.message);
}

/** One by one, as `psql -f` does: sent together, they would be one transaction, in which some statements can't run. */
async function runStatements(client: pg.Client, sql: string): Promise<string | undefined> {
  const statements = await parseSchema({ text: sql, signal: new AbortController().signal });
  for (const { start, end } of statements) {
    const text = sql.slice(start, end).replace(leading, '');
    if (text.trim() === '') continue;
    try {
      await client.query(text);
    } catch (error) {
      const line = sql.slice(0, end - text.length).split('\n').length;
      const shown = text.replace(/[\s;]+$/, '').replace(/\s+/g, ' ');
      return `${(error as Error).message} (line ${line}: ${shown.length > 80 ? `${shown.slice(0, 80)}…` : shown})`;
    }
  }
  return undefined;
}

/** What a statement may have before its first word: white space, comments, and the semicolon of the one before. */
const leading = /^(?:[\s;]|--[^\n]*(?:\n|$)|\/\*(?:[^*]|\*(?!\/))*\*\/)+/;
