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

/**
 * Stands in for the workflow's own migrations: runs files once in each database of each branch, as tools do that know what they have
 * run.
 */
export class Migration {
  private readonly service: Service;
  private readonly files: SqlFile[];
  /** By the state of a branch, and the database: a branch that is reset is without its migrations again. */
  private readonly attempts = new Map<string, Attempt>();
  /** By a branch and database that have the changes: the states of all branches then. What is created or reset later has them, too. */
  private readonly succeeded = new Map<string, Set<string>>();

  constructor(service: Service, files: SqlFile[]) {
    this.service = service;
    this.files = files;
  }

  get wasTried(): boolean {
    return this.attempts.size > 0;
  }

  /** `event` is the number of the event that is played. Throws a `ScriptFailed` if the SQL fails. */
  async runInPlaceOf(step: OtherStep, event: number): Promise<void> {
    const { outputs, isNamed } = usedBy(step);
    const { branch_id: id = '' } = outputs;
    const database = outputs.database || 'neondb';
    const branch = this.service.branch(id);
    // SQL for main is that of `--seed`, unless the script itself connects to it.
    if (!branch || (branch.default && !isNamed) || !isPlaceFor(step)) return;
    const own = this.files.filter((one) => one.database === database);
    const files = own.length > 0 ? own : this.files.filter((one) => !one.database);
    if (files.length === 0) return step.say(`No --migrate is for database ${database}.`);
    const paths = files.map(({ path }) => path).join(', ');
    const [be, them] = files.length === 1 ? ['is', 'it'] : ['are', 'them'];
    const state = `${stateOf(branch)} ${database}`;
    const ofParent = this.succeeded.get(`${branch.parent_id} ${database}`);
    if (ofParent && !ofParent.has(stateOf(branch))) {
      step.say(
        `${paths} ${be} not run in database ${database} of ${branch.name}, because its parent already had ${them}.`,
      );
      this.succeeded.set(`${id} ${database}`, this.states());
      this.attempts.set(state, { problem: Promise.resolve(undefined), event, job: step.earlier });
      return;
    }
    const before = this.attempts.get(state);
    if (before) {
      const succeeded = (await before.problem) === undefined;
      if (succeeded && before.event !== event)
        step.say(
          `${paths} ${be} not run in database ${database} of ${branch.name} again, because a migration tool would not.`,
        );
      // Once for each event is enough, in all its jobs.
      if (succeeded) before.event = event;
      // What a job does after a failure is not to migrate again.
      if (succeeded || before.job === step.earlier) return;
    }
    const problem = this.runAll(files, { branch: id, database, role: outputs.role || undefined });
    this.attempts.set(state, { problem, event, job: step.earlier });
    const what = await problem;
    if (what !== undefined)
      throw new ScriptFailed(
        `--migrate ${what}\nIt ran in database ${database} of ${branch.name} instead of this script.`,
      );
    this.succeeded.set(`${id} ${database}`, this.states());
    step.say(`Ran ${paths} in database ${database} of ${branch.name} instead.`);
  }

  /** Runs files in order, up to the first one that fails, which is returned with its error. */
  private async runAll(
    files: SqlFile[],
    where: { branch: string; database: string; role: string | undefined },
  ): Promise<string | undefined> {
    for (const { path, sql } of files) {
      const what = await runSql(this.service, { ...where, sql });
      if (what !== undefined) return `${path} failed: ${what}`;
    }
    return undefined;
  }

  private states(): Set<string> {
    return new Set(this.service.branches().map(stateOf));
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

type Branch = ReturnType<Service['branches']>[number];

function stateOf({ id, last_reset_at, parent_lsn }: Branch): string {
  return [id, last_reset_at, parent_lsn].join(' ');
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

interface Attempt {
  /** The event that last came to the file on this branch. */
  event: number;
  /** The steps of the job that ran it, which are those of no other. */
  job: OtherStep['earlier'];
  problem: Promise<string | undefined>;
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
      return `${(error as Error).message} (line ${line}: ${shortened(text)})`;
    }
  }
  return undefined;
}

/** What a statement may have before its first word: white space, comments, and the semicolon of the one before. */
const leading = /^(?:[\s;]|--[^\n]*(?:\n|$)|\/\*(?:[^*]|\*(?!\/))*\*\/)+/;

function shortened(statement: string): string {
  const line = statement.replace(/[\s;]+$/, '').replace(/\s+/g, ' ');
  return line.length > 80 ? `${line.slice(0, 80)}…` : line;
}

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
