import { deleteRequest } from '../branch/delete.ts';
import { freshMs, whyProtected } from '../branch/guard.ts';
import type { BranchStep } from '../branch/step.ts';
import type { GitHub } from '../github/client.ts';
import { type GitHubAccess, withGitHub } from '../github/connect.ts';
import { forEachLimited } from '../http/concurrent.ts';
import { ApiError, StoppedError, unlessNotFound } from '../http/errors.ts';
import { getBranch, hasMetadata, nameAndId } from '../service/branches.ts';
import { pollOperations } from '../service/operations.ts';
import type { Branch, Operation } from '../service/types.ts';
import { asSentence, count, messageOf } from '../text/format.ts';
import { show } from '../text/inert.ts';
import { type Project, readProject } from './project.ts';
import { identify, type Repository, read, unread } from './repository.ts';
import { type Candidate, candidateOf, judge, type Settings } from './rules.ts';

/** What a prune may use of the step. */
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

/** A branch of the project, and what became of it. */
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

/** A branch that was not deleted, and why, for an error. */
export function nameAndNote({ branch, note }: Outcome): string {
  return `${nameAndId(branch)}: ${note}`;
}

/** A stale branch, and why it is. */
interface Stale {
  branch: Branch;
  by: Candidate['by'];
  reason: string;
}

/** Branches per round. The next one begins ten seconds after a full one: then the service's 700 requests a minute are enough. */
const batchSize = 50;
/** Deletions in flight, and milliseconds after each: the service allows 40 a second. */
const atOnce = 4;
const spacingMs = 120;
/** Repositories that are read at the same time. */
const repositoriesAtOnce = 4;

/**
 * Deletes the stale branches of the project, children first, and returns what became of each branch. One that can't be deleted does not stop the
 * others; those that are left at the deadline have failed. Throws if no repository could be read, and at what would keep the service from deleting
 * any branch.
 */
export function prune(step: Step, wanted: Wanted): Promise<Outcome[]> {
  return withGitHub(step, async (github) => {
    const pruning = new Pruning(step, wanted, github);
    await pruning.run().catch((error: unknown) => pruning.end(error));
    return pruning.outcomes();
  });
}

class Pruning {
  /** What became of branches for good, by ID. */
  private readonly concluded = new Map<string, Outcome>();
  /** The others by the last reading: those that are kept, and those that are stale, by ID. */
  private kept: Outcome[] = [];
  private stale = new Map<string, Stale>();
  private date = Number.NaN;
  /** The IDs of branches that should have been deleted in a round before, and of those whose deletion has begun. */
  private readonly tried = new Set<string>();
  private readonly begun = new Set<string>();
  /** What the log has already. */
  private readonly logged = new Set<string>();
  private readonly repositories: Repository[];
  private readonly access: { api: BranchStep['api']; projectId: string };
  private readonly step: Step;
  private readonly wanted: Wanted;
  private readonly github: GitHub;

  constructor(step: Step, wanted: Wanted, github: GitHub) {
    this.step = step;
    this.wanted = wanted;
    this.github = github;
    const { repository, repositoryId } = step.event;
    this.repositories = (wanted.repositories ?? [repository]).map((name) =>
      unread(name, name.toLowerCase() === repository.toLowerCase() ? repositoryId : ''),
    );
    this.access = { api: step.api, projectId: step.inputs.project_id ?? '' };
  }

  outcomes(): Outcome[] {
    return [...this.concluded.values(), ...this.kept];
  }

  /** Names the branches that an error has kept it from deleting. */
  end(error: unknown): void {
    const left = [...this.stale.values()].filter(({ branch }) => !this.concluded.has(branch.id));
    const note = error instanceof StoppedError ? error.what : messageOf(error);
    for (const { branch, reason } of left) {
      const began = this.begun.has(branch.id) ? 'its deletion has begun, but was not seen to end: ' : '';
      this.conclude({ branch, outcome: 'failed', reason, note: began + note });
    }
    if (left.length === 0 || !(error instanceof StoppedError)) throw error;
  }

  /** Reads all that decides, deletes stale branches without children as long as that is fresh, waits until they are gone, and goes on. */
  async run(): Promise<void> {
    const { clock, deadline } = this.step.api;
    if (this.wanted.repositories) {
      const ownId = this.step.event.repositoryId;
      await forEachLimited(this.repositories, repositoriesAtOnce, (one) => identify(this.github, one, ownId));
    }
    for (let isFirst = true; ; isFirst = false) {
      const readAt = clock.now();
      const isOld = () => clock.now() - readAt >= freshMs;
      await this.readAndJudge(isFirst);
      const stale = [...this.stale.values()];
      if (this.wanted.dryRun) {
        for (const { branch, reason } of stale) this.conclude({ branch, outcome: 'planned', reason });
        return;
      }
      const parents = new Set(stale.map(({ branch }) => branch.parent_id));
      const leaves = stale.filter(({ branch }) => !parents.has(branch.id));
      // One that is locked must not hold up the others.
      const isTried = ({ branch }: Stale) => Number(this.tried.has(branch.id));
      const batch = leaves.sort((a, b) => isTried(a) - isTried(b)).slice(0, batchSize);
      if (batch.length === 0) return;
      const started = new Map<Operation, Stale>();
      await forEachLimited(batch, atOnce, async (one) => {
        if (isOld()) return;
        this.tried.add(one.branch.id);
        for (const operation of await this.delete(one, isOld)) started.set(operation, one);
        await clock.sleep(spacingMs, deadline.signal);
      });
      await this.waitFor(started);
      if (stale.every(({ branch }) => this.concluded.has(branch.id))) return;
      if (batch.length === batchSize && !isOld()) await clock.sleep(readAt + freshMs - clock.now(), deadline.signal);
    }
  }

  /** Reads the project and its repositories, and finds out which branches are stale now, and why the others are kept. */
  private async readAndJudge(isFirst: boolean): Promise<void> {
    const { step, wanted, concluded } = this;
    const { settings } = wanted;
    const project = await readProject(this.access, { withActivity: settings.unusedFor !== undefined });
    if (isFirst) {
      step.log.info(`The project has ${count(project.branches.length, 'branch')}`);
      warnOfPatterns(step, project, settings);
    }
    const { branches, date } = project;
    this.date = date;
    const found = branches.filter(({ id }) => !concluded.has(id)).map((branch) => this.candidateOf(branch, project));
    await this.readRepositories(found.filter((one) => 'by' in one));

    const [before, stale, kept] = [this.stale, new Map<string, Stale>(), [] as Outcome[]];
    for (const one of found) {
      const { branch } = one;
      const verdict = 'keep' in one ? one : judge(one, settings, project);
      if ('keep' in verdict) kept.push({ branch, outcome: 'kept', note: verdict.keep });
      else if ('by' in one) stale.set(branch.id, { branch, by: one.by, reason: verdict.stale });
    }
    // A branch that stays holds its parent, which then holds its own: the list grows while it is gone through.
    const staying = branches.filter(({ id }) => !stale.has(id));
    for (const child of staying) {
      const parent = stale.get(child.parent_id ?? '');
      if (!parent) continue;
      stale.delete(parent.branch.id);
      staying.push(parent.branch);
      const { branch, reason } = parent;
      kept.push({ branch, outcome: 'kept', reason, note: `its child branch ${show(child.name)} is not deleted` });
    }
    [this.stale, this.kept] = [stale, kept];
    const listed = new Set(branches.map(({ id }) => id));
    for (const { branch, reason } of before.values()) {
      const isGone = !listed.has(branch.id) && !concluded.has(branch.id);
      if (isGone) this.conclude({ branch, outcome: 'deleted', reason });
    }
    this.recordAll();
    const lines = kept.map(lineOf).filter((line) => !this.logged.has(line));
    for (const line of lines) this.logged.add(line);
    if (lines.length > 0) step.log.group(`Kept ${count(lines.length, 'branch')}`, lines);
  }

  /**
   * Deletes one branch and returns its operations: none if it was not deleted, or must be judged again first. Throws what would keep the service
   * from deleting any other branch.
   */
  private async delete({ branch, by, reason }: Stale, isOld: () => boolean): Promise<Operation[]> {
    try {
      // Only the branch itself says for sure that it has no metadata.
      const itself =
        by === 'name' ? await unlessNotFound(getBranch({ ...this.access, branchId: branch.id })) : undefined;
      const hidden = 'it has metadata that the list of branches does not show';
      const note = itself && (hasMetadata(itself.branch) ? hidden : whyProtected(itself.branch));
      if (note !== undefined) {
        this.conclude({ branch, outcome: 'kept', reason, note });
        return [];
      }
      const { value } = await this.step.api.request({
        ...deleteRequest({ ...this.access, branch }),
        beforeAttempt: async () => {
          if (isOld()) throw notFresh;
        },
      });
      this.step.started(value.operations);
      this.begun.add(branch.id);
      if (value.operations.length === 0) this.conclude({ branch, outcome: 'deleted', reason });
      return value.operations;
    } catch (error) {
      if (error === notFresh) return [];
      if (!(error instanceof ApiError || error instanceof StoppedError)) throw error;
      const endsAll = error instanceof ApiError && (error.status === 401 || error.status === 429);
      const why = error instanceof ApiError ? error.reason : error.message;
      const note = error.mayHaveActed ? `it is unknown whether it was deleted: ${why}` : why;
      if (error.mayHaveActed || !endsAll) this.conclude({ branch, outcome: 'failed', reason, note });
      if (endsAll || error instanceof StoppedError) throw error;
      return [];
    }
  }

  /** Waits until deletions have ended, and records how. */
  private async waitFor(started: Map<Operation, Stale>): Promise<void> {
    await pollOperations({
      ...this.access,
      operations: [...started.keys()],
      areDeletions: true,
      onFailed: ({ id: failed }, error) => {
        for (const [{ id }, { branch, reason }] of started) {
          if (id === failed) this.conclude({ branch, outcome: 'failed', reason, note: error.message });
        }
      },
    });
    for (const { branch, reason } of started.values()) {
      if (!this.concluded.has(branch.id)) this.conclude({ branch, outcome: 'deleted', reason });
    }
  }

  private recordAll(): void {
    this.wanted.record?.({ outcomes: this.outcomes(), date: this.date });
  }

  private conclude(outcome: Outcome): void {
    this.concluded.set(outcome.branch.id, outcome);
    this.recordAll();
    this.step.log.info(lineOf(outcome));
  }

  private candidateOf(branch: Branch, project: Project): Candidate | { branch: Branch; keep: string } {
    const { settings, spare } = this.wanted;
    if (branch.id === spare) return { branch, keep: 'it is the parent of the new branch' };
    return candidateOf(branch, { settings, repositories: this.repositories, project });
  }

  /** Reads the repositories of these branches, or what has changed in them. Throws if none could ever be read. */
  private async readRepositories(candidates: Candidate[]): Promise<void> {
    const all = [...new Set(candidates.flatMap(({ repositories }) => repositories))];
    await forEachLimited(all, repositoriesAtOnce, async (repository) => {
      const own = candidates.filter(({ repositories }) => repositories.includes(repository));
      const numbers = own.flatMap((one) => one.numbers);
      await read(this.github, repository, { numbers, gitBranches: own.some(({ by }) => by === 'name') });
    });
    const problems = this.repositories.flatMap(({ problem }) => problem ?? []);
    const isUnread = ({ problem, date }: Repository) => problem !== undefined && date === undefined;
    if (problems[0] && this.repositories.every(isUnread)) throw problems[0];
    for (const { message } of problems) {
      if (this.logged.has(message)) continue;
      this.logged.add(message);
      this.step.log.warning(`${asSentence(message)} The branches of this repository are kept.`);
    }
  }
}

/** A pattern that protects nothing was probably meant to protect something. */
function warnOfPatterns({ log }: Step, { branches }: Project, { exclude }: Settings): void {
  for (const glob of exclude) {
    if (branches.some(({ name }) => glob.matches(name.normalize('NFC')))) continue;
    log.warning(
      `exclude_pattern: ${show(glob.pattern)} protects nothing: it matches no branch of the project. It must match a whole name, and case matters.`,
    );
  }
}

const notFresh = new Error('What the deletion depends on must be read again before it is sent');

const verbs: Record<Outcome['outcome'], string> = {
  deleted: 'Deleted branch',
  planned: 'Would delete branch',
  kept: 'Kept branch',
  failed: 'Could not delete branch',
};

/** What happened to a branch, in one line for the log. */
function lineOf({ branch, outcome, reason, note }: Outcome): string {
  const because = reason !== undefined && note !== undefined ? ` (stale, because ${reason})` : '';
  return `${verbs[outcome]} ${nameAndId(branch)}: ${note ?? reason}${because}`;
}
