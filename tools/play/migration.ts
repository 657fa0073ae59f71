import pg from 'pg';
import { parseSchema } from '../../src/schema/parser.ts';
import type { StepFile } from '../runner/workflow/file.ts';
import { type OtherStep, ScriptFailed } from '../runner/workflow/play.ts';
import type { Service } from '../service/index.ts';

export interface SqlFile {
  path: string;
  sql: string;
  /** The database for which it is; undefined if it is for each that has no file of its own. Those of one database run in order. */
  database?: string | undefined;
}

/** Stands in for the workflow's own migrations: runs files once in each database of each branch, as tools do that know what they have run. */
export class Migration {
  private readonly service: Service;
  private readonly files: SqlFile[];
  private last: Promise<unknown> = Promise.resolve();
  wasTried = false;

  constructor(service: Service, files: SqlFile[]) {
    this.service = service;
    this.files = files;
  }

  /** Throws a `ScriptFailed` if the SQL fails. */
  async runInPlaceOf(step: OtherStep): Promise<void> {
    const { outputs, isNamed } = usedBy(step);
    const { branch_id: id = '', role } = outputs;
    const database = outputs.database || 'neondb';
    const branch = this.service.branch(id);
    // SQL for main is that of `--seed`, unless the script itself connects to it.
    if (!branch || (branch.default && !isNamed) || !isPlaceFor(step)) return;
    this.wasTried = true;
    const own = this.files.filter((one) => one.database === database);
    const files = own.length > 0 ? own : this.files.filter((one) => !one.database);
    if (files.length === 0) return step.say(`No --migrate is for database ${database}.`);
    const paths = files.map(({ path }) => path).join(', ');
    const place = `in database ${database} of ${branch.name}`;
    // Several jobs may come to the same branch.
    const run = this.last.then(async () => {
      if (await this.has(id, database, paths))
        return step.say(
          `${paths} did not run ${place}: it had run before, and a migration tool would not run it again.`,
        );
      for (const { path, sql } of files) {
        const problem = await runSql(this.service, { branch: id, database, role: role || undefined, sql });
        if (problem !== undefined)
          throw new ScriptFailed(`--migrate ${path} failed: ${problem}\nIt ran ${place} instead of this script.`);
      }
      await this.note(id, database, paths);
      step.say(`Ran ${paths} ${place} instead.`);
    });
    this.last = run.catch(() => {});
    await run;
  }

  /** What has run is noted in the database itself, so that a branch of this one has it, and one that is reset no longer does. */
  private async note(branch: string, database: string, paths: string): Promise<void> {
    const sql = `COMMENT ON DATABASE ${pg.escapeIdentifier(database)} IS ${pg.escapeLiteral(paths)}`;
    await this.service.query(branch, sql, { database, role: 'cloud_admin' });
  }

  private async has(branch: string, database: string, paths: string): Promise<boolean> {
    const sql = `SELECT shobj_description(oid, 'pg_database') AS ran FROM pg_database WHERE datname = current_database()`;
    return (await this.service.query(branch, sql, { database }))[0]?.ran === paths;
  }
}

/**
 * Runs SQL in a database of a branch, as the role or else as neondb_owner, up to its first error, which is returned with the line and
 * the statement.
 */
export async function runSql(
  service: Service,
  { branch, database, role, sql }: { branch: string; database: string; role: string | undefined; sql: string },
): Promise<string | undefined> {
  const uri = service.uri(branch, { database, ...(role !== undefined && { role }) });
  const client = new pg.Client({ connectionString: `${uri}&uselibpqcompat=true` });
  // A query that is running reports it too.
  client.on('error', () => {});
  try {
    await client.connect();
    return await runStatements(client, sql);
  } catch (error) {
    return (error as Error).message;
  } finally {
    await client.end().catch(() => {});
  }
}

/** The outputs that say where a branch is. */
const connecting = ['db_url', 'db_url_pooled', 'jdbc_url', 'jdbc_url_pooled', 'db_host', 'db_host_pooled', 'branch_id'];

/** The outputs of the step whose branch a script connects to: the last one that it names, or else the last of its job. */
function usedBy({ env, run = '', earlier }: OtherStep): { outputs: Record<string, string>; isNamed: boolean } {
  const text = [run, ...Object.values(env)].join('\n');
  const all = earlier.map(({ outputs }) => outputs).filter((outputs) => outputs.branch_id);
  const named = all.findLast((outputs) => connecting.some((name) => outputs[name] && text.includes(outputs[name])));
  return { outputs: named ?? all.at(-1) ?? {}, isNamed: named !== undefined };
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

/** Whether a job may migrate at a step: a script that looks like it or, if no later one does, any. The first of them is the place. */
function isPlaceFor({ id, name, run, later }: OtherStep): boolean {
  return run !== undefined && (looksLikeMigration({ id, name, run }) || !later.some(looksLikeMigration));
}

const migrations =
  /migrat|flyway|liquibase|alembic|sqitch|dbmate|\bgoose\b|\bpsql\b|\bdb[ :](?:push|prepare|deploy)\b|drizzle-kit push/i;

/** What else one does with a tool for migrations. */
const noMigrations = /\b(install|check|diff|generate|info|lint|status|validate)\b/i;

function looksLikeMigration({ id, name, run }: Pick<StepFile, 'id' | 'name' | 'run'>): boolean {
  if (run === undefined) return false;
  const parts = [id ?? '', name ?? '', ...run.split(/\n|;|&&|\|\|/)];
  return parts.some((part) => migrations.test(part) && !noMigrations.test(part));
}
