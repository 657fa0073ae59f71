import { StoppedError } from '../http/errors.ts';
import type { KnownRenames } from '../schema/renames.ts';
import { levels, withoutIgnored } from '../schema/rules.ts';
import { hidePasswords } from '../secrets/passwords.ts';
import { nameAndId } from '../service/branches.ts';
import { RefusedError } from '../service/errors.ts';
import { readSchema } from '../service/schema.ts';
import { type Action, noFacts, redacted, type Step } from '../step/action.ts';
import { writeComment } from '../step/comment.ts';
import { checkCompute } from '../step/inputs.ts';
import { hash } from '../text/branch-name.ts';
import { duration, messageOf } from '../text/format.ts';
import { oneLine } from '../text/inert.ts';
import { type Command, runCommand } from './command.ts';
import { type Copy, withCopy } from './copy.ts';
import { environmentFor, loadUri } from './environment.ts';
import type { Finding, RehearseFacts } from './facts.ts';
import { blocked, failures, unseenBy } from './gates.ts';
import { inputs, levelsOfRules, type RehearseInputs } from './inputs.ts';
import { type Limit, type Observed, observe } from './observe.ts';
import { probeLocks } from './probe.ts';
import { detailsOf, grouped, resultLines, resultOf } from './report.ts';

type RehearseStep = Step<RehearseInputs, RehearseFacts>;

/** What is left of the step's time to read the result and delete the branch, in milliseconds; of a short one, half. */
const reserveMs = 60_000;
/** Entries of a list in the output `rehearsal`. */
const mostListed = 500;

export const rehearse: Action<RehearseInputs, RehearseFacts> = {
  title: 'rehearse',
  inputs,
  check: ({ inputs: given }) => checkCompute(given),
  empty: () => ({ ...noFacts(), failOn: [], findings: [], ignored: [] }),
  run,
  outputs,
  report: detailsOf,
};

/** What must be known from an undisturbed copy comes first; `then` follows on the migrated one; the probe has a copy of its own. */
async function run(step: RehearseStep): Promise<void> {
  const { inputs: given, log, api } = step;
  const facts = rehearse.empty();
  const record = (more: Partial<RehearseFacts>) => {
    Object.assign(facts, more);
    step.record(more);
  };
  record({ maxLockMs: given.max_lock, failOn: given.fail_on });
  await withCopy(step, 'rehearsal', async (copy) => {
    record({ branch: copy.branch.name, database: copy.database });
    const observed = await observeOn(step, copy, record);
    if (observed.exitCode === 0 && given.then !== undefined) {
      log.info('Running `then`');
      const command = commandOf(step, given.then, copy.uri);
      const { signal } = api.deadline;
      const limitMs = limitOf(step).ms;
      const { exitCode, stopped } = await runCommand({ command, signal, limitMs, onLine: log.info });
      if (signal.aborted) throw (signal.reason as StoppedError).while('running `then`');
      record({ afterwards: { exitCode, stoppedBy: stopped ? 'timeout' : undefined } });
    }
  });
  const tables = [...new Set(facts.observed?.locks.map(({ table }) => table))];
  const probes = given.probe_locks && facts.observed?.exitCode === 0;
  if (probes && tables.length === 0) {
    log.warning(
      '`probe_locks` had nothing to probe: no strong lock was seen. One that is held for a moment can be missed.',
    );
  } else if (probes) {
    log.info('Running the command again while the tables that it has locked are being read');
    await withCopy(step, 'probe', async (copy) => {
      const command = commandOf(step, given.run, copy.uri);
      const found = await probeLocks({ ...watching(step, copy), command }, tables);
      if (found.unprobed) log.warning(found.unprobed);
      record(found);
    });
  }
  record({ done: resultOf(facts) });
  const shown = redacted(facts, hidePasswords);
  await writeComment(step, {
    subject: {
      ...{ action: 'rehearse', project: given.project_id, parent: given.parent_branch ?? '' },
      ...{ database: facts.database ?? '', run: hash(given.run) },
    },
    parts: ['### Rehearsal of the migration', ...resultLines(shown), ...detailsOf(shown)],
    createIfMissing: true,
  });
  const why = failures(facts);
  if (why.length > 0) throw new RefusedError(why.join(' '));
}

/** How the action watches a copy, and how long a command may run on it. */
function watching(step: RehearseStep, { uri }: Copy, longest?: number) {
  const { deadline, clock } = step.api;
  return { uri, deadline, clock, limit: limitOf(step, longest), onLine: step.log.info };
}

/** Leaves time to report and to delete the branch. */
function limitOf({ api }: RehearseStep, longest = Number.POSITIVE_INFINITY): Limit {
  const rest = api.deadline.remainingMs();
  const most = Math.max(1, rest - Math.min(reserveMs, rest / 2));
  return longest <= most ? { ms: longest, by: 'max_duration' } : { ms: most, by: 'timeout' };
}

function commandOf({ inputs: given }: RehearseStep, script: string, uri: string): Command {
  const folder = process.env.GITHUB_WORKSPACE || process.cwd();
  return { script, folder, env: environmentFor(process.env, { uri, apiKey: given.api_key }) };
}

/** Runs the command on the copy, and records what it did as soon as that is known. */
async function observeOn(
  step: RehearseStep,
  copy: Copy,
  record: (facts: Partial<RehearseFacts>) => void,
): Promise<Observed> {
  const { inputs: given, api, log } = step;
  const schemaOf = () => readSchema({ api, projectId: given.project_id, branch: copy.branch, database: copy.database });
  const before = await schemaOf();
  const command = commandOf(step, given.run, copy.uri);
  const load = given.load === undefined ? undefined : commandOf(step, given.load, loadUri(copy.uri));
  const options = watching(step, copy, given.max_duration);
  log.info(`Connecting to branch ${nameAndId(copy.branch)}`);
  const { observed, renames } = await observe({ ...options, command, load });
  record({ observed });
  log.info(`The command exited with code ${observed.exitCode} after ${duration(observed.durationMs)}`);
  for (const lock of observed.locks) log.info(`${blocked(lock)}; longest statement: ${lock.statement ?? 'unknown'}`);
  for (const one of unseenBy(observed)) log.warning(one, 'Database Branch: rehearse');
  record(await review(step, { before, schemaOf, renames, observed }));
  return observed;
}

/** The schema review of what the command changed, with the findings that only a rehearsal has; renames are certain here. */
async function review(
  { inputs: given, api }: RehearseStep,
  sides: { before: string; schemaOf: () => Promise<string>; renames?: KnownRenames; observed: Observed },
) {
  const { before, schemaOf, renames, observed } = sides;
  const found: Pick<Finding, 'rule' | 'object' | 'detail'>[] = ownFindings(observed);
  let incomplete: string | undefined;
  try {
    const after = await schemaOf();
    const { reviewSchemas } = await import('../schema/review.ts');
    const reviewed = await reviewSchemas({ before, after, renames, signal: api.deadline.signal });
    ({ incomplete } = reviewed);
    found.push(...reviewed.findings);
  } catch (error) {
    if (error instanceof StoppedError) throw error;
    incomplete = oneLine(messageOf(error));
  }
  const all = found.map(({ rule, object, detail }) => ({ rule, level: levelsOfRules[rule], object, detail }));
  // The locks are measured.
  const shown = redacted(all, hidePasswords).filter(({ level }) => level !== 'locking');
  shown.sort((a, b) => levels.indexOf(a.level) - levels.indexOf(b.level));
  return { ...withoutIgnored(shown, given.ignore_rules), incomplete };
}

function ownFindings({ losses, invalidIndexes }: Observed) {
  return [
    ...losses.map(({ table: object, lost, of }) => {
      const all = of === null ? '' : ` of about ${grouped(Math.max(lost ?? 0, of))}`;
      const detail = lost === null ? 'all rows' : `${grouped(lost)}${all} rows`;
      return { rule: 'delete-rows' as const, object, detail };
    }),
    ...invalidIndexes.map(({ index: object, table }) => {
      return { rule: 'invalid-index' as const, object, detail: `on ${table}` };
    }),
  ];
}

function outputs(facts: RehearseFacts): Record<string, string | undefined> {
  const { skipped, findings, observed, commentUrl, database } = facts;
  const listed = findings.map(({ rule, level, object, detail }) => ({ rule, level, database, object, detail }));
  return {
    skipped: String(skipped),
    comment_url: commentUrl,
    rehearsal: observed && JSON.stringify(rehearsalOf(facts, observed)),
    findings: observed && JSON.stringify(listed),
    destructive: observed && String(findings.some(({ level }) => level === 'destructive')),
  };
}

/** The output `rehearsal`: with names as workflows have them (`heldMs` is `held_ms`), whole numbers, and null for what is unknown. */
function rehearsalOf({ probe, afterwards }: RehearseFacts, observed: Observed): unknown {
  const { exitCode, durationMs, walBytes, sampledEveryMs, locks, rewritten, rows, load } = observed;
  const then = afterwards && { exitCode: afterwards.exitCode };
  return asOutput({ exitCode, durationMs, walBytes, sampledEveryMs, locks, rewritten, rows, load, probe, then });
}

function asOutput(value: unknown): unknown {
  if (value === undefined) return null;
  if (typeof value === 'number') return Math.round(value);
  if (Array.isArray(value)) return value.slice(0, mostListed).map(asOutput);
  if (typeof value !== 'object' || value === null) return value;
  const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [snake(name), asOutput(one)]));
}
