import { randomUUID } from 'node:crypto';
import { findConnection } from '../branch/connection-details.ts';
import { checkCreatedBy, finishCreate, newBranch, sendCreate } from '../branch/create.ts';
import { deleteBranch } from '../branch/delete.ts';
import { expiryOf } from '../branch/expiry.ts';
import { checkMasking } from '../branch/masking.ts';
import { ownerIn } from '../branch/metadata.ts';
import { checkRequired, checkSource } from '../branch/require.ts';
import { type Found, findParent } from '../branch/target.ts';
import { type Context, projectOf } from '../context.ts';
import { StoppedError } from '../http/errors.ts';
import { builtConcurrently, type Catalog, renamesBetween, sizesBefore } from '../rehearse/catalog.ts';
import { environmentFor } from '../rehearse/environment.ts';
import type { Rehearsal } from '../rehearse/observe.ts';
import { warningsOf } from '../report/diff.ts';
import { lockIn, notConnectedIn, rehearsalIn, selfWaitIn } from '../report/rehearsal.ts';
import { type DatabaseDiff, redacted, type SchemaDiff } from '../result.ts';
import { type Finding, withoutIgnored } from '../schema/rules.ts';
import { hidePasswords } from '../secrets/passwords.ts';
import { nameAndId } from '../service/branches.ts';
import { RefusedError } from '../service/errors.ts';
import { readSchema } from '../service/schema.ts';
import type { Branch } from '../service/types.ts';
import { ownUri, withSsl } from '../service/uri.ts';
import { asSentence, duration, messageOf } from '../text/format.ts';
import { oneLine, show } from '../text/inert.ts';

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
export async function run(context: Context): Promise<void> {
  const { log, api } = context;
  const createId = randomUUID();
  // If this fails after the create, only the post step deletes the branch.
  const { seen, ...copy } = await createCopy(context, createId);
  const { branch } = seen;
  try {
    await rehearseOn(context, { seen, ...copy, createId });
  } finally {
    // After a cancellation, or the step's timeout, no request can be sent any more: the post step deletes the branch.
    if (!api.deadline.signal.aborted) {
      const isGone = await remove(context, seen, createId);
      if (isGone) context.saveForPostStep({ name: branch.name, createId, owner: {}, create: 'none' });
    } else {
      log.info(`Branch ${nameAndId(branch)} is not deleted yet. ${untilWhen(branch)}`);
    }
  }
  context.progress({ action: 'rehearsed' });
}

/** The throwaway copy, and how to connect to it. */
interface Copy {
  seen: Found;
  database: string;
  /** Direct connection URI of this action. Secret. */
  uri: string;
  /** The same for the command, with `sslmode` as the inputs say. Secret. */
  commandUri: string;
}

/** Creates a branch with a name that no other branch has, and waits until it is ready. */
async function createCopy(context: Context, createId: string): Promise<Copy> {
  const { inputs, event, api } = context;
  const parent = await findParent(context);
  await checkSource(context, { sourceId: parent?.id, doing: 'create' });
  const of = `${event.runId || 'local'}-${event.runAttempt || '1'}`;
  // `prune` knows a rehearsal's branch by the start of its create ID.
  const name = `rehearsal/${of}-${createId.slice(0, 8)}`;
  const { expires_at, expires_in = expires_at === undefined ? defaultExpiryMs : undefined } = inputs;
  const expiresAt = expiryOf({ expires_at, expires_in }, api.clock.now());
  const branch = newBranch(context, {
    ...{ name, createId, expiresAt },
    parentId: parent?.id,
    schemaOnly: false,
    protected: false,
  });
  const own = { name, createId, owner: ownerIn(branch.metadata) };
  context.saveForPostStep({ ...own, create: 'sent' });
  const sent = await sendCreate(context, branch);
  if (!sent.created) {
    context.saveForPostStep({ ...own, create: 'none' });
    throw new RefusedError(`Branch ${nameAndId(sent.found.branch)} already exists. Run the step again.`);
  }
  context.saveForPostStep({ ...own, create: 'created', id: sent.found.branch.id });
  const { found: seen, ...known } = await finishCreate(context, sent, { wait: true });
  await checkMasking(context, seen, { wait: true, created: true });
  await checkRequired(context, seen);
  const { database, uri: original } = await findConnection(context, seen, known);
  const uri = ownUri(original, inputs.ssl);
  const commandUri = withSsl(original, inputs.ssl);
  context.mask(uri);
  context.mask(commandUri);
  return { seen, database, uri, commandUri };
}

async function rehearseOn(
  context: Context,
  { seen, database, uri, commandUri, createId }: Copy & { createId: string },
): Promise<void> {
  const { inputs, api, log } = context;
  const { branch } = seen;
  const schemaOf = () => readSchema({ ...projectOf(context), branch, database });
  const schemaBefore = await schemaOf();
  const limit = limitOf(context);
  log.info(
    `Connecting to database ${show(database)} of branch ${nameAndId(branch)}; the command may then run for at most ${duration(limit.ms)}`,
  );
  // Loaded on demand: only this command needs it.
  const { observe } = await import('../rehearse/observe.ts');
  const { rehearsal, before, after } = await observe({
    uri,
    script: inputs.run ?? '',
    folder: process.env.GITHUB_WORKSPACE || process.cwd(),
    env: environmentFor({
      env: process.env,
      uri: commandUri,
      id: createId,
      apiKey: inputs.api_key,
      gitHubToken: inputs.github_token,
    }),
    deadline: api.deadline,
    clock: api.clock,
    limit,
    maxLockMs: inputs.max_lock,
    onLine: (line) => log.info(line),
    onInfo: log.info,
    onStart: () => log.info('Running the command'),
    onSelfWait: (wait) =>
      log.warning(selfWaitIn(redacted(wait, hidePasswords), { runs: true }), 'Database Branch: rehearse'),
  });
  // Statements may have passwords in them.
  const shown = redacted(rehearsal, hidePasswords);
  // Kept even if the review fails.
  context.progress({ rehearsal: shown });
  log.info(`The command exited with code ${shown.exitCode} after ${duration(shown.durationMs)}`);
  for (const lock of shown.locks.slice(0, mostLogged)) log.info(lockIn(lock));
  for (const gap of shown.gaps) log.warning(gap, 'Database Branch: rehearse');
  if (!shown.connected) log.warning(notConnectedIn(shown), 'Database Branch: rehearse');
  const reviewed = await review(context, { schemaBefore, readAfter: schemaOf, before, after, rehearsal });
  const diff: SchemaDiff = {
    branchName: branch.name,
    baseName: branch.name,
    basePoint: undefined,
    all: false,
    databases: [{ database, isNew: false, isGone: false, ...reviewed }],
    failOn: inputs.fail_on,
  };
  for (const { line, title } of warningsOf(diff, inputs)) log.warning(line, `Database Branch: ${title}`);
  context.progress({ diff, done: rehearsalIn({ rehearsal: shown, diff }) });
}

/** When the command is stopped, so that there is time left to report and to delete the branch. */
function limitOf({ inputs, api }: Context): Parameters<typeof import('../rehearse/observe.ts').observe>[0]['limit'] {
  const rest = api.deadline.remainingMs();
  const most = Math.max(1, rest - Math.min(reserveMs, rest / 2));
  const wanted = inputs.max_duration ?? Number.POSITIVE_INFINITY;
  return wanted <= most ? { ms: wanted, by: 'max_duration' } : { ms: most, by: 'timeout' };
}

/** The schema review of what the command changed, as `diff` does it; renames are certain here. */
async function review(
  { inputs, api }: Context,
  sides: {
    schemaBefore: string;
    readAfter: () => Promise<string>;
    before: Catalog;
    after: Catalog | undefined;
    rehearsal: Rehearsal;
  },
): Promise<Pick<DatabaseDiff, 'text' | 'findings' | 'ignored' | 'incomplete'>> {
  const { schemaBefore, readAfter, before, after, rehearsal } = sides;
  let schemaAfter: string;
  try {
    schemaAfter = await readAfter();
  } catch (error) {
    if (error instanceof StoppedError) throw error;
    const why = oneLine(messageOf(error)).replace(/^Could/, 'the action could');
    return { text: '', findings: [], ignored: [], incomplete: `after the command, ${why}` };
  }
  const [{ reviewSchemas }, { schemaReader }] = await Promise.all([
    import('../schema/review.ts'),
    import('../schema/read-schema.ts'),
  ]);
  const reviewed = await reviewSchemas({
    before: schemaBefore,
    after: schemaAfter,
    renames: after && renamesBetween(before, after),
    ignoreBelow: inputs.ignore_below,
    readSizes: async () => sizesBefore(before, after ?? before),
    read: schemaReader(api.deadline.signal),
  });
  const isMissing = (schema: string, catalog = before) => catalog.relations.size > 0 && !/^[^\s\\-]/m.test(schema);
  const incomplete =
    reviewed.incomplete ??
    (isMissing(schemaBefore) || isMissing(schemaAfter, after)
      ? 'the service returned an empty schema for a database that has tables'
      : undefined);
  const shareLocked = rehearsal.locks.flatMap(({ mode, relation }) => (mode === 'ShareLock' ? relation.name : []));
  const concurrent = after ? builtConcurrently(before, after, new Set(shareLocked)) : new Set();
  // A schema does not say how an index was built.
  const blocks = ({ rule, object }: Finding) => rule !== 'add-index' || !concurrent.has(object);
  const counted = withoutIgnored(reviewed.findings.filter(blocks), inputs.ignore_rules);
  return redacted({ text: '', ...counted, incomplete }, hidePasswords);
}

/** How long a branch remains that could not be deleted, as a sentence. */
function untilWhen({ expires_at }: Branch): string {
  return expires_at === undefined
    ? 'The branch has no expiry: delete it manually unless the post step does.'
    : `Unless the post step deletes the branch, it expires at ${expires_at}.`;
}

/** Deletes the branch; returns whether it is gone. A failure is a warning: the post step tries again, and the branch expires. */
async function remove(context: Context, seen: Found, createId: string): Promise<boolean> {
  try {
    await deleteBranch(context, seen, { wait: true, check: checkCreatedBy(createId) });
    context.log.info(`Deleted branch ${nameAndId(seen.branch)}`);
    return true;
  } catch (error) {
    context.log.warning(`${asSentence(oneLine(messageOf(error)))} ${untilWhen(seen.branch)}`);
    return false;
  }
}
