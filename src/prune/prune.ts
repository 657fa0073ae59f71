import { deleteRequest } from '../branch/delete.ts';
import { freshMs, whyProtected } from '../branch/guard.ts';
import type { BranchStep } from '../branch/step.ts';
import type { GitHub } from '../github/client.ts';
import { type GitHubAccess, withGitHub } from '../github/connect.ts';
import { backoffMs } from '../http/clock.ts';
import { forEachLimited } from '../http/concurrent.ts';
import { ApiError, StoppedError, unlessNotFound } from '../http/errors.ts';
import { getBranch, hasMetadata, nameAndId } from '../service/branches.ts';
import { RefusedError } from '../service/errors.ts';
import { pollOperations } from '../service/operations.ts';
import type { Branch, Operation } from '../service/types.ts';
import { asSentence, count, messageOf } from '../text/format.ts';
import { show } from '../text/inert.ts';
import { type Project, readProject } from './project.ts';
import { identify, read, unread } from './repository.ts';
import { type Candidate, candidateOf, judge, type Settings } from './rules.ts';

export type Step = Pick<BranchStep, 'event' | 'api' | 'log' | 'started'> &
  GitHubAccess & { inputs: { project_id?: string } };

export interface Wanted {
  settings: Settings;
  /** `owner/name` of each repository; default that of the run. */
  repositories?: string[];
  dryRun?: boolean;
  /** The ID of a branch that is kept in any case. */
  spare?: string;
  /** Receives what became of each branch so far, whenever that changes, and the service's clock. */
  record?: (facts: { outcomes: Outcome[]; date: number }) => void;
}

export interface Outcome {
  branch: Branch;
  /**
   * `deleted`, by this run or in the meantime; `planned` in a dry run; `kept`; or `failed`: it should have been deleted, but was not, or not for
   * certain.
   */
  outcome: 'deleted' | 'planned' | 'kept' | 'failed';
  /** Why it is stale, as a clause; undefined if it is not. */
  reason?: string;
  /** Why it is kept, or was not deleted, as a clause. */
  note?: string;
}

export function nameAndNote({ branch, note }: Outcome): string {
  return `${nameAndId(branch)}: ${note}`;
}

interface Stale {
  branch: Branch;
  by: Candidate['by'];
  reason: string;
}

/** Branches per round. The next one begins ten seconds after a full one: then the service's 700 requests a minute are enough. */
const batchSize = 50;
/** After rounds in which nothing could be deleted, in milliseconds: each of them reads everything again, and GitHub limits its requests. */
const fruitlessPauses = { first: 2_000, longest: 60_000 };
/** Deletions in flight, and milliseconds after each: the service allows 40 a second. */
const atOnce = 4;
const spacingMs = 120;
const repositoriesAtOnce = 16;

/**
 * Deletes the stale branches of the project, children first, and returns what became of each branch. One that can't be deleted does not stop the
 * others; those that are left at the deadline have failed. Throws if no repository could be read, and at what would keep the service from deleting
 * any branch.
 */
export function prune(step: Step, wanted: Wanted): Promise<Outcome[]> {
  return withGitHub(step, (github) => pruneWith(github, step, wanted));
}

async function pruneWith(github: GitHub, step: Step, wanted: Wanted): Promise<Outcome[]> {
  const { api, log, event } = step;
  const { clock, deadline } = api;
  const { settings } = wanted;
  const access = { api, projectId: step.inputs.project_id ?? '' };
  const repositories = (wanted.repositories ?? [event.repository]).map((name) =>
    unread(name, name.toLowerCase() === event.repository.toLowerCase() ? event.repositoryId : ''),
  );
  /** What became of branches for good, by ID. */
  const concluded = new Map<string, Outcome>();
  /** The others by the last reading: those that are kept, and those that are stale, by ID. */
  let kept: Outcome[] = [];
  let stale = new Map<string, Stale>();
  let date = Number.NaN;
  /** The IDs of branches that should have been deleted in a round before, and of those whose deletion has begun. */
  const tried = new Set<string>();
  const begun = new Set<string>();
  /** The IDs of those whose deletion may have begun: the response was lost. */
  const unsure = new Set<string>();
  /** By ID, what came back when the deletion was last refused. */
  const refusals = new Map<string, string>();
  /** Ends the wait for a child of a stale branch. */
  let wake = () => {};
  const logged = new Set<string>();

  const outcomes = () => [...concluded.values(), ...kept];
  const recordAll = () => wanted.record?.({ outcomes: outcomes(), date });
  const left = () => [...stale.values()].filter(({ branch }) => !concluded.has(branch.id));

  function conclude(given: Outcome): void {
    const isUnsure = given.outcome === 'kept' && unsure.has(given.branch.id);
    const outcome = isUnsure ? withoutResponse(given) : given;
    concluded.set(outcome.branch.id, outcome);
    recordAll();
    log.info(lineOf(outcome));
    if (stale.has(outcome.branch.parent_id ?? '')) wake();
  }

  /** Reads all that decides, deletes stale branches without children as long as that is fresh, and goes on while their deletions run. */
  async function run(): Promise<void> {
    await forEachLimited(repositories, repositoriesAtOnce, (one) => identify(github, one, event.github.server));
    const waiting = new Set<Promise<void>>();
    let fruitless = 0;
    for (let isFirst = true; ; isFirst = false) {
      const readAt = clock.now();
      const isOld = () => clock.now() - readAt >= freshMs;
      await readAndJudge(isFirst);
      const all = [...stale.values()];
      if (wanted.dryRun) {
        for (const { branch, reason } of all) conclude({ branch, outcome: 'planned', reason });
        return;
      }
      const parents = new Set(all.map(({ branch }) => branch.parent_id));
      const leaves = all.filter(({ branch: { id } }) => !parents.has(id) && !begun.has(id));
      // One that is locked must not hold up the others.
      const isTried = ({ branch }: Stale) => Number(tried.has(branch.id));
      const batch = leaves.sort((a, b) => isTried(a) - isTried(b)).slice(0, batchSize);
      if (batch.length === 0) {
        if (waiting.size === 0) return;
        const aChild = new Promise<void>((resolve) => {
          wake = resolve;
        });
        await Promise.race([...waiting, aChild]);
        continue;
      }
      if (isOld()) warnOnce(tooSlow);
      const done = () => begun.size + concluded.size;
      const before = done();
      const started: [Operation, Stale][] = [];
      await forEachLimited(batch, atOnce, async (one) => {
        if (isOld()) return;
        tried.add(one.branch.id);
        for (const operation of await remove(one, isOld)) started.push([operation, one]);
        await clock.sleep(spacingMs, deadline.signal);
      });
      const wait = waitFor(started).finally(() => waiting.delete(wait));
      waiting.add(wait);
      // An error is that of the race.
      wait.catch(() => {});
      if (left().every(({ branch }) => begun.has(branch.id))) {
        await Promise.all(waiting);
        return;
      }
      fruitless = done() > before ? 0 : fruitless + 1;
      if (fruitless > 0) await clock.sleep(backoffMs(fruitlessPauses, fruitless), deadline.signal);
      else if (batch.length === batchSize && !isOld())
        await clock.sleep(readAt + freshMs - clock.now(), deadline.signal);
    }
  }

  /** Reads the project and its repositories, and finds out which branches are stale now, and why the others are kept. */
  async function readAndJudge(isFirst: boolean): Promise<void> {
    const project = await readProject(access, { withActivity: settings.unusedFor !== undefined });
    if (!project.hasMetadata) throw new RefusedError(noMetadata);
    if (isFirst) {
      log.info(`The project has ${count(project.branches.length, 'branch')}`);
      warnOfPatterns(step, project, settings);
    }
    const { branches } = project;
    ({ date } = project);
    const isOpen = ({ id }: Branch) => !concluded.has(id) && !begun.has(id);
    const found = branches
      .filter(isOpen)
      .map((branch) =>
        branch.id === wanted.spare
          ? { branch, keep: 'it is the parent of the new branch' }
          : candidateOf(branch, { settings, repositories }),
      );
    await readRepositories(found.filter((one) => 'by' in one));

    const before = stale;
    stale = new Map();
    kept = [];
    for (const one of found) {
      const { branch } = one;
      const verdict = 'keep' in one ? one : judge(one, settings, project);
      if ('keep' in verdict) kept.push({ branch, outcome: 'kept', note: verdict.keep });
      else if ('by' in one) stale.set(branch.id, { branch, by: one.by, reason: verdict.stale });
    }
    for (const [id, one] of before) if (begun.has(id) && !concluded.has(id)) stale.set(id, one);
    // A branch that stays holds its parent, which then holds its own: the list grows while it is gone through.
    const staying = branches.filter(({ id }) => !stale.has(id) && concluded.get(id)?.outcome !== 'deleted');
    for (const child of staying) {
      const parent = stale.get(child.parent_id ?? '');
      if (!parent || begun.has(parent.branch.id)) continue;
      stale.delete(parent.branch.id);
      staying.push(parent.branch);
      const { branch, reason } = parent;
      kept.push({ branch, outcome: 'kept', reason, note: `its child branch ${show(child.name)} is not deleted` });
    }
    for (const one of kept.filter(({ branch }) => unsure.has(branch.id))) conclude(one);
    kept = kept.filter(({ branch }) => !concluded.has(branch.id));
    const listed = new Set(branches.map(({ id }) => id));
    for (const { branch, reason } of before.values()) {
      const isGone = !listed.has(branch.id) && isOpen(branch);
      if (isGone) conclude({ branch, outcome: 'deleted', reason });
    }
    recordAll();
    const lines = kept.map(lineOf).filter((line) => !logged.has(line));
    for (const line of lines) logged.add(line);
    if (lines.length > 0) log.group(`Kept ${count(lines.length, 'branch')}`, lines);
  }

  /**
   * Deletes one branch and returns its operations: none if it was not deleted, or must be judged again first. Throws what would keep the service
   * from deleting any other branch.
   */
  async function remove({ branch, by, reason }: Stale, isOld: () => boolean): Promise<Operation[]> {
    const checkFresh = async () => {
      if (isOld()) throw notFresh;
    };
    try {
      // Only the branch itself says for sure that it has no metadata.
      const read = () => getBranch({ ...access, branch, beforeAttempt: checkFresh });
      const itself = by === 'name' ? await unlessNotFound(read()) : undefined;
      const note = itself && whyNotItself(itself.branch, branch);
      if (note !== undefined) {
        conclude({ branch, outcome: 'kept', reason, note });
        return [];
      }
      const { value } = await api.request({
        ...deleteRequest({ ...access, branch }),
        beforeAttempt: async (mayHaveActed, previous) => {
          if (mayHaveActed) unsure.add(branch.id);
          if (previous) refusals.set(branch.id, previous);
          await checkFresh();
        },
      });
      step.started(value.operations);
      begun.add(branch.id);
      if (value.operations.length === 0) conclude({ branch, outcome: 'deleted', reason });
      return value.operations;
    } catch (error) {
      if (error === notFresh) return [];
      if (!(error instanceof ApiError || error instanceof StoppedError)) throw error;
      const endsAll = error instanceof ApiError && (error.status === 401 || error.status === 429);
      const why = error instanceof ApiError ? error.reason : error.message;
      const note = error.mayHaveActed ? `it is unknown whether it was deleted: ${why}` : why;
      if (error.mayHaveActed || !endsAll) conclude({ branch, outcome: 'failed', reason, note });
      if (endsAll || error instanceof StoppedError) throw error;
      return [];
    }
  }

  /** Waits until deletions have ended, and records how each of them did. */
  async function waitFor(started: [Operation, Stale][]): Promise<void> {
    const left = new Map(started.map(([{ id }, one]) => [id, one]));
    const end = ({ branch, reason }: Stale, outcome: Outcome['outcome'], note?: string) => {
      if (!concluded.has(branch.id)) conclude({ branch, outcome, reason, ...(note && { note }) });
    };
    try {
      await pollOperations({
        ...access,
        operations: started.map(([operation]) => operation),
        areDeletions: true,
        onDone: ({ id }) => {
          const one = left.get(id);
          left.delete(id);
          if (one && ![...left.values()].includes(one)) end(one, 'deleted');
        },
        onFailed: ({ id }, error) => {
          const one = left.get(id);
          if (one) end(one, 'failed', error.message);
        },
      });
      for (const one of left.values()) end(one, 'deleted');
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      for (const one of left.values()) end(one, 'failed', unseen + error.reason);
    }
  }

  /** Reads the repositories of these branches, or what has changed in them. Throws if none could be read. */
  async function readRepositories(candidates: Candidate[]): Promise<void> {
    const all = [...new Set(candidates.flatMap(({ repositories }) => repositories))];
    await forEachLimited(all, repositoriesAtOnce, async (repository) => {
      const own = candidates.filter(({ repositories }) => repositories.includes(repository));
      const numbers = own.flatMap((one) => one.numbers);
      const gitBranches = own.some(({ by }) => by === 'name');
      await read(github, repository, { numbers, gitBranches, closedFor: settings.closedFor });
    });
    const problems = repositories.flatMap(({ problem }) => problem ?? []);
    // One without candidates is not asked.
    if (problems[0] && !repositories.some(({ problem, date }) => !problem && date !== undefined)) throw problems[0];
    for (const { message } of [...problems, ...repositories.flatMap(({ gitProblem }) => gitProblem ?? [])]) {
      warnOnce(`${asSentence(message)} The branches that depend on it are kept.`);
    }
  }

  function warnOnce(line: string): void {
    if (!logged.has(line)) log.warning(line);
    logged.add(line);
  }

  try {
    await run();
  } catch (error) {
    const why = error instanceof StoppedError ? error.what : messageOf(error);
    for (const { branch, reason } of left()) {
      const refused = refusals.get(branch.id);
      const note = begun.has(branch.id) ? unseen + why : refused ? `${refused}; then: ${why}` : why;
      const failed: Outcome = { branch, outcome: 'failed', reason, note };
      conclude(unsure.has(branch.id) ? withoutResponse(failed) : failed);
    }
    const hasFailed = outcomes().some(({ outcome }) => outcome === 'failed');
    if (!hasFailed || !(error instanceof StoppedError)) throw error;
  }
  return outcomes();
}

/** A pattern that protects nothing was probably meant to protect something. */
function warnOfPatterns({ log }: Step, { branches }: Project, { exclude }: Settings): void {
  for (const glob of exclude) {
    if (branches.some(({ name }) => glob.matches(name.normalize('NFC')))) continue;
    log.warning(
      `exclude_pattern: ${show(glob.pattern)} protects nothing: it matches no branch of the project. Case matters.`,
    );
  }
}

/** Why a branch without metadata is kept by what it says of itself, though not in the list. */
function whyNotItself(now: Branch, listed: Branch): string | undefined {
  if (hasMetadata(now)) return 'it has metadata that the list of branches does not show';
  return now.name === listed.name ? whyProtected(now) : `it was renamed to ${show(now.name)}`;
}

/** A branch whose deletion may have begun, although it is now to be kept or could not be judged again. */
function withoutResponse({ branch, reason, note }: Outcome): Outcome {
  return {
    branch,
    outcome: 'failed',
    reason,
    note: `it is unknown whether it was deleted, because no response said so; then: ${note}`,
  };
}

const unseen = 'its deletion has begun, but was not seen to end: ';

const noMetadata =
  'The service lists branches without their metadata, so `prune` cannot tell whose they are. Let them expire instead: set `expires_in` when they are created.';

const tooSlow =
  'Reading branches and pull requests took longer than ten seconds, and nothing is deleted by an older reading. If each reading does, set fewer `repositories` or no `branch_pattern`.';

const notFresh = new Error('What the deletion depends on must be read again before it is sent');

const verbs: Record<Outcome['outcome'], string> = {
  deleted: 'Deleted branch',
  planned: 'Would delete branch',
  kept: 'Kept branch',
  failed: 'Could not delete branch',
};

function lineOf({ branch, outcome, reason, note }: Outcome): string {
  const because = reason !== undefined && note !== undefined ? ` (stale, because ${reason})` : '';
  return `${verbs[outcome]} ${nameAndId(branch)}: ${note ?? reason}${because}`;
}
