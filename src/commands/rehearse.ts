import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { deleteBranch } from '../branch/delete.ts';
import { sight } from '../branch/sighting.ts';
import { type Command, type Context, type EphemeralBranch, projectOf } from '../context.ts';
import { StoppedError } from '../http/errors.ts';
import { needsToken } from '../inputs/check.ts';
import { type Given, type Inputs, isEmpty } from '../inputs/fields.ts';
import { echo, type InvalidInput, missing } from '../inputs/invalid.ts';
import { type Catalog, renamesBetween, sizesBefore } from '../rehearse/catalog.ts';
import { environmentFor } from '../rehearse/environment.ts';
import { lockIn, rehearsalIn, selfWaitIn } from '../report/rehearsal-log.ts';
import { warningsOf } from '../report/review-log.ts';
import type { DatabaseDiff, Result, SchemaDiff } from '../result.ts';
import { hidePasswords } from '../secrets/sql.ts';
import { nameAndId } from '../service/branches.ts';
import type { Connection } from '../service/connection.ts';
import { branchWindow } from '../service/propagation-window.ts';
import { readSchema } from '../service/schema.ts';
import type { Branch } from '../service/types.ts';
import { duration } from '../text/format.ts';
import { oneLine, show } from '../text/inert.ts';
import { create } from './create.ts';
import { ignoredBy } from './diff.ts';

/** When the branch expires if nothing else deletes it, in milliseconds. */
const defaultExpiryMs = 2 * 3_600_000;
/** What is left of the step's time to read the result and delete the branch, in milliseconds; of a short one, half. */
const reserveMs = 60_000;
/** Locks that the log names. */
const mostLogged = 10;

/**
 * Runs a migration on a throwaway copy of the parent, and reports what it locked, rewrote and changed. The parent is never connected
 * to: what was there before is read on the copy.
 */
export const rehearse: Command = {
  changes: true,
  connects: true,
  comments: true,
  reviews: true,
  ephemeral: true,
  check,
  run,
};

function check({ inputs }: { inputs: Given }): InvalidInput[] {
  const errors: InvalidInput[] = [];
  if (isEmpty(inputs, 'run')) {
    errors.push(
      missing('run', 'set it to the commands that migrate the database in `DATABASE_URL`, such as npm run migrate'),
    );
  }
  if (inputs.on_limit === 'prune') errors.push(...needsToken(inputs, '`on_limit: prune`'));
  const folder = inputs.working_directory;
  if (folder !== undefined && !isFolder(folderOf(folder))) {
    errors.push({
      input: 'working_directory',
      message: `working_directory: ${echo(folder)} is not a folder; expected one relative to the workspace`,
    });
  }
  return errors;
}

/** An input is relative to the workspace, as it is in a `run:` step. */
function folderOf(folder = '.'): string {
  return resolve(process.env.GITHUB_WORKSPACE || process.cwd(), folder);
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

async function run(context: Context): Promise<Partial<Result>> {
  const { log, api } = context;
  let saved: EphemeralBranch | undefined;
  const saveForPostStep = (branch: EphemeralBranch) => {
    saved = branch;
    context.saveForPostStep(branch);
  };
  // Its connection details are of no use to later steps: the branch is gone by then.
  const progress = ({ connection: _, ...done }: Partial<Result>) => context.progress(done);
  const inside: Context = { ...context, inputs: inputsForCreate(context), progress, saveForPostStep };
  let branch: Branch | undefined;
  let rehearsed: Partial<Result>;
  try {
    const created = await create.run(inside);
    ({ branch } = created);
    if (!branch || !created.connection) throw new Error('The service returned no connection to the new branch');
    rehearsed = await rehearseOn(context, { branch, connection: created.connection });
  } finally {
    // After a cancellation, or the step's timeout, no request can be sent any more: the post step deletes the branch.
    if (branch && !api.deadline.signal.aborted) {
      const isGone = await remove(inside, branch);
      if (isGone && saved) context.saveForPostStep({ ...saved, create: 'deleted' });
    } else if (branch) {
      log.info(`Branch ${nameAndId(branch)} is left for the post step to delete`);
    }
  }
  return { ...rehearsed, branch, created: true, action: 'rehearsed' };
}

/** The inputs of a create, with a name that no other branch has. */
function inputsForCreate({ inputs, event }: Context): Inputs {
  const of = `${event.runId || 'local'}-${event.runAttempt || '1'}`;
  const expires = inputs.expires_at === undefined && inputs.expires_in === undefined;
  return {
    ...inputs,
    branch_name: `rehearsal/${of}-${randomBytes(4).toString('hex')}`,
    branch_id: undefined,
    if_exists: 'fail',
    branch_type: 'default',
    protected: false,
    ...(expires ? { expires_in: defaultExpiryMs } : {}),
    wait: true,
    // Nobody is to find the rehearsal's rows again.
    hard_delete: true,
    ssl: inputs.ssl === 'omit' ? 'require' : inputs.ssl,
    prisma: false,
    get_auth_url: false,
    get_data_api_url: false,
    check_connection: false,
  };
}

async function rehearseOn(
  context: Context,
  { branch, connection }: { branch: Branch; connection: Connection },
): Promise<Partial<Result>> {
  const { inputs, api, log } = context;
  const { database, uri } = connection;
  const window = branchWindow({ branch, clock: api.clock, created: true });
  const schemaOf = () => readSchema({ ...projectOf(context), branch, database, window });
  const schemaBefore = await schemaOf();
  const limit = limitOf(context);
  log.info(
    `Running the command on branch ${nameAndId(branch)}, database ${show(database)}, for at most ${duration(limit.ms)}`,
  );
  // Loaded on demand: only this command needs it.
  const { observe } = await import('../rehearse/observe.ts');
  const { rehearsal, before, after } = await observe({
    uri,
    script: inputs.run ?? '',
    folder: folderOf(inputs.working_directory),
    env: environmentFor({ env: process.env, uri, apiKey: inputs.api_key }),
    deadline: api.deadline,
    clock: api.clock,
    limit,
    measuresAll: inputs.ignore_below !== undefined,
    onLine: (line) => log.info(line),
    onInfo: log.info,
    onSelfWait: (wait) => log.warning(selfWaitIn(hidden(wait)), 'Database Branch: rehearse'),
  });
  const shown = hidden(rehearsal);
  // Kept even if the review fails.
  context.progress({ rehearsal: shown });
  log.info(`The command ended with exit code ${shown.exitCode} after ${duration(shown.durationMs)}`);
  for (const lock of shown.locks.slice(0, mostLogged)) log.info(lockIn(lock));
  for (const gap of shown.gaps) log.warning(gap, 'Database Branch: rehearse');
  if (!shown.connected) {
    log.warning(
      'The command has not connected to the rehearsal branch, as far as can be seen. Have it use `DATABASE_URL`: if it has another database in its configuration, it has just migrated that one.',
      'Database Branch: rehearse',
    );
  }
  const reviewed = await review(context, { schemaBefore, readAfter: schemaOf, before, after });
  const diff: SchemaDiff = {
    baseName: branch.name,
    basePoint: undefined,
    all: false,
    databases: [{ database, isNew: false, isGone: false, ...reviewed }],
    failOn: inputs.fail_on,
  };
  for (const { line, title } of warningsOf(diff)) log.warning(line, `Database Branch: ${title}`);
  const result = { rehearsal: shown, diff };
  return { ...result, done: rehearsalIn(result) };
}

/** When the command is stopped, so that there is time left to report and to delete the branch. */
function limitOf({ inputs, api }: Context): Parameters<typeof import('../rehearse/observe.ts').observe>[0]['limit'] {
  const rest = api.deadline.remainingMs();
  const most = Math.max(1, rest - Math.min(reserveMs, rest / 2));
  const wanted = inputs.max_duration ?? Number.POSITIVE_INFINITY;
  return wanted <= most ? { ms: wanted, by: 'max_duration' } : { ms: most, by: 'timeout' };
}

/** What is shown of a rehearsal: statements may have passwords in them. */
function hidden<T>(value: T): T {
  const hide = (text: string) => hidePasswords(text);
  const walk = (one: unknown): unknown => {
    if (typeof one === 'string') return hide(one);
    if (Array.isArray(one)) return one.map(walk);
    if (typeof one !== 'object' || one === null) return one;
    return Object.fromEntries(Object.entries(one).map(([name, entry]) => [name, walk(entry)]));
  };
  return walk(value) as T;
}

/** The schema review of what the command changed, as `diff` does it; renames are certain here. */
async function review(
  { inputs, api }: Context,
  sides: {
    schemaBefore: string;
    readAfter: () => Promise<string>;
    before: Catalog;
    after: Catalog | undefined;
  },
): Promise<Pick<DatabaseDiff, 'text' | 'findings' | 'ignored' | 'small' | 'incomplete'>> {
  const { schemaBefore, readAfter, before, after } = sides;
  let schemaAfter: string;
  try {
    schemaAfter = await readAfter();
  } catch (error) {
    if (error instanceof StoppedError) throw error;
    const why = oneLine(error instanceof Error ? error.message : String(error));
    return {
      text: '',
      findings: [],
      ignored: [],
      incomplete: `The schema could not be read after the command: ${why}`,
    };
  }
  const { reviewSchemas } = await import('../schema/review.ts');
  const below = inputs.ignore_below;
  const { findings, small, incomplete } = await reviewSchemas({
    before: schemaBefore,
    after: schemaAfter,
    ...(after ? { renames: renamesBetween(before, after) } : {}),
    ignoreBelow:
      below === undefined ? undefined : { bytes: below, readSizes: async () => sizesBefore(before, after ?? before) },
    signal: api.deadline.signal,
  });
  const isIgnored = ignoredBy(inputs.ignore_rules ?? []);
  return hidden({
    text: '',
    findings: findings.filter((one) => !isIgnored(one)),
    ignored: [...findings, ...(small ?? [])].filter(isIgnored),
    ...(small && { small: small.filter((one) => !isIgnored(one)) }),
    incomplete,
  });
}

/** Deletes the branch; returns whether it is gone. A failure is a warning: the post step tries again, and the branch expires. */
async function remove(context: Context, branch: Branch): Promise<boolean> {
  try {
    const { done } = await deleteBranch(context, sight(context, { branch, date: undefined }), {
      hard: true,
      wait: true,
    });
    context.log.info(done);
    return true;
  } catch (error) {
    const why = oneLine(error instanceof Error ? error.message : String(error));
    context.log.warning(`Branch ${nameAndId(branch)} was not deleted yet. The post step will try again. ${why}`);
    return false;
  }
}
