import { deleteRequest } from '../branch/delete.ts';
import type { GitHub } from '../github/client.ts';
import { type GitHubAccess, withGitHub } from '../github/connect.ts';
import type { Client } from '../http/client.ts';
import { forEachLimited } from '../http/concurrent.ts';
import { ApiError, StoppedError, unlessNotFound } from '../http/errors.ts';
import { getBranch, hasMetadata, nameAndId } from '../service/branches.ts';
import type { OperationError } from '../service/errors.ts';
import { pollOperations } from '../service/operations.ts';
import type { Branch, Operation } from '../service/types.ts';
import type { RunEvent } from '../step/event.ts';
import type { Log } from '../step/log.ts';
import { asSentence, count } from '../text/format.ts';
import { show } from '../text/inert.ts';
import { readProject } from './project.ts';
import { identify, type Repository, read, readAgain, unread } from './repository.ts';
import { type Candidate, candidateOf, judge, type Project, type Settings } from './rules.ts';

/** What a prune may use of the step. */
export interface Step {
  inputs: GitHubAccess['inputs'] & { project_id?: string };
  event: RunEvent;
  api: Client;
  connectGitHub?: GitHubAccess['connectGitHub'];
  log: Log;
  started(operations: Operation[]): void;
}

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
   * `deleted` by this run; `planned` in a dry run; `gone` before this run got to it; `kept`; or `failed`: it should have been deleted, but was
   * not, or not for certain.
   */
  outcome: 'deleted' | 'planned' | 'gone' | 'kept' | 'failed';
  /** Why it is stale, as a clause; undefined if it is not. */
  reason?: string;
  /** Why it is kept, or was not deleted, as a clause. */
  note?: string;
}

/** Whether a branch should have been deleted, but was not, or not for certain. */
export function isFailure({ outcome }: Outcome): boolean {
  return outcome === 'failed';
}

/** A branch that was not deleted, and why, for an error. */
export function nameAndNote({ branch, note }: Outcome): string {
  return `${nameAndId(branch)}: ${note}`;
}

/** A stale branch, and why it is. */
interface Stale {
  branch: Branch;
  candidate: Candidate;
  reason: string;
}

/** A deletion that the service has accepted, with the operations that carry it out. */
interface Started {
  stale: Stale;
  operations: Operation[];
}

/** How old what a deletion depends on may be when its request is sent, in milliseconds. */
const freshMs = 10_000;
/** Branches per round. After a full one, the next begins when that time is over: then the service's 700 requests a minute are enough. */
const batchSize = 100;
/** Milliseconds between two deletions: the service allows 40 a second. */
const spacingMs = 28;
/** Deletions in flight. A project runs few operations at a time, so more would only meet its locks. */
const maxConcurrent = 4;
/** Repositories that are read at the same time. */
const repositoriesAtOnce = 4;

/**
 * Deletes the stale branches of the project, children first, and returns what became of each branch. One that can't be deleted does not stop the
 * others. Throws if no repository could be read, at the deadline, and at what would keep the service from deleting any branch.
 */
export function prune(step: Step, wanted: Wanted): Promise<Outcome[]> {
  return withGitHub(step, async (github) => {
    const pruning = new Pruning(step, wanted, github);
    await pruning.plan();
    if (wanted.dryRun) pruning.report();
    else await pruning.carryOut();
    return [...pruning.outcomes.values()];
  });
}

class Pruning {
  readonly outcomes = new Map<string, Outcome>();
  /** What is left to delete, by ID. */
  private readonly pending = new Map<string, Stale>();
  /** Branches whose deletion may have happened, by ID. */
  private readonly sent = new Set<string>();
  private date = Number.NaN;
  private readonly step: Step;
  private readonly wanted: Wanted;
  private readonly github: GitHub;
  private readonly repositories: Repository[];
  private readonly access: { api: Client; projectId: string };

  constructor(step: Step, wanted: Wanted, github: GitHub) {
    this.step = step;
    this.wanted = wanted;
    this.github = github;
    const { repository, repositoryId } = step.event;
    const names = wanted.repositories ?? [repository];
    this.repositories = names.map((name) =>
      unread(name, name.toLowerCase() === repository.toLowerCase() ? repositoryId : ''),
    );
    this.access = { api: step.api, projectId: step.inputs.project_id ?? '' };
  }

  /** Finds out which branches are stale, and concludes the others. */
  async plan(): Promise<void> {
    const { step, pending } = this;
    const project = await this.readProject();
    step.log.info(`The project has ${count(project.branches.length, 'branch')}`);
    warnOfPatterns(step.log, project, this.wanted.settings);
    if (this.wanted.repositories) {
      await forEachLimited(this.repositories, repositoriesAtOnce, (one) =>
        identify(this.github, one, step.event.repositoryId),
      );
    }
    const kept: Outcome[] = [];
    const candidates: Candidate[] = [];
    for (const branch of project.branches) {
      const found = this.candidateOf(branch, project);
      if ('keep' in found) kept.push({ branch, outcome: 'kept', note: found.keep });
      else candidates.push(found);
    }
    await this.readRepositories(candidates);
    for (const candidate of candidates) {
      const { branch } = candidate;
      const verdict = judge(candidate, this.wanted.settings, project);
      if ('keep' in verdict) kept.push({ branch, outcome: 'kept', note: verdict.keep });
      else pending.set(branch.id, { branch, candidate, reason: verdict.stale });
    }
    // Grows while it is gone through.
    for (const { branch: child } of kept) {
      const parent = pending.get(child.parent_id ?? '');
      if (!parent) continue;
      pending.delete(parent.branch.id);
      const { branch, reason } = parent;
      kept.push({ branch, outcome: 'kept', reason, note: `its child branch ${show(child.name)} is kept` });
    }
    for (const outcome of kept) this.outcomes.set(outcome.branch.id, outcome);
    this.record();
    if (kept.length > 0) step.log.group(`Kept ${count(kept.length, 'branch')}`, kept.map(lineOf));
  }

  /** Concludes what would be deleted. */
  report(): void {
    for (const { branch, reason } of this.pending.values()) this.conclude({ branch, outcome: 'planned', reason });
  }

  /**
   * Deletes what is pending, children first, in rounds: reads all that the next deletions depend on, deletes those branches before that is too
   * old, and goes on.
   */
  async carryOut(): Promise<void> {
    const { pending } = this;
    const { clock, deadline } = this.step.api;
    const inFlight: Started[] = [];
    let readAt = Number.NEGATIVE_INFINITY;
    let nextAt = 0;
    let wasFull = false;
    const isOld = () => clock.now() - readAt >= freshMs;
    while (pending.size > 0) {
      const parents = new Set([...pending.values()].map(({ branch }) => branch.parent_id));
      const leaves = [...pending.values()].filter(({ branch }) => !parents.has(branch.id));
      // Branches that are each other's parents: nothing is done about such a response.
      if (leaves.length === 0) break;
      const hadChildren = new Set(inFlight.map(({ stale }) => stale.branch.parent_id));
      if (leaves.some(({ branch }) => hadChildren.has(branch.id))) await this.waitFor(inFlight.splice(0));
      if (!isOld() && wasFull) await clock.sleep(readAt + freshMs - clock.now(), deadline.signal);
      readAt = clock.now();
      // One that is judged by its name is read by itself, too.
      const most = leaves.some(({ candidate }) => candidate.by === 'name') ? batchSize / 2 : batchSize;
      wasFull = leaves.length >= most;
      const checked = await this.check(leaves.slice(0, most));
      await forEachLimited(checked, maxConcurrent, async (stale) => {
        const at = Math.max(clock.now(), nextAt);
        nextAt = at + spacingMs;
        if (at > clock.now()) await clock.sleep(at - clock.now(), deadline.signal);
        const operations = isOld() ? undefined : await this.delete(stale, isOld);
        if (operations) inFlight.push({ stale, operations });
      });
    }
    await this.waitFor(inFlight);
  }

  /** Reads all that the deletion of these branches depends on, concludes those that are no longer stale, and returns the others. */
  private async check(batch: Stale[]): Promise<Stale[]> {
    const { log } = this.step;
    const all = new Set(batch.flatMap(({ candidate }) => candidate.repositories));
    const readable = [...all].filter(({ problem }) => !problem);
    const [project] = await Promise.all([
      this.readProject(),
      forEachLimited(readable, repositoriesAtOnce, (one) => readAgain(this.github, one)),
    ]);
    for (const { problem } of readable) {
      if (problem) log.warning(`${asSentence(problem.message)} The other branches of this repository are kept.`);
    }
    const branches = new Map(project.branches.map((branch) => [branch.id, branch]));
    const children = new Map(project.branches.map((branch) => [branch.parent_id, branch]));
    return batch.flatMap((stale) => {
      const branch = branches.get(stale.branch.id);
      if (!branch) {
        this.conclude({ ...stale, ...(this.sent.has(stale.branch.id) ? { outcome: 'deleted' } : gone) });
        return [];
      }
      const child = children.get(branch.id);
      const found = child
        ? { keep: `its child branch ${show(child.name)} is kept` }
        : this.candidateOf(branch, project);
      const verdict = 'keep' in found ? found : judge(found, this.wanted.settings, project);
      if ('stale' in verdict && !('keep' in found)) return [{ branch, candidate: found, reason: verdict.stale }];
      const outcome = this.outcomes.get(child?.id ?? '');
      const isBlocked = child && outcome && outcome.outcome !== 'kept';
      if (isBlocked) {
        this.conclude({
          ...stale,
          outcome: 'failed',
          note: `its child branch ${show(child.name)} could not be deleted`,
        });
      } else if ('keep' in verdict) this.conclude({ ...stale, branch, outcome: 'kept', note: verdict.keep });
      return [];
    });
  }

  /**
   * Deletes one branch and returns its operations; undefined if it was not deleted, or must be read again first. Throws what would keep the
   * service from deleting any other branch.
   */
  private async delete(stale: Stale, isOld: () => boolean): Promise<Operation[] | undefined> {
    const { api } = this.access;
    const { branch, candidate } = stale;
    const { id } = branch;
    try {
      // Only the branch itself says for sure that it has no metadata.
      const isByName = candidate.by === 'name';
      const itself = isByName ? await unlessNotFound(getBranch({ ...this.access, branchId: id })) : undefined;
      if (itself && hasMetadata(itself.branch)) {
        this.conclude({ ...stale, outcome: 'kept', note: 'it has metadata that the list of branches does not show' });
        return undefined;
      }
      const { value } = await api.request({
        ...deleteRequest({ ...this.access, branch }),
        beforeAttempt: async (mayHaveActed) => {
          if (mayHaveActed) this.sent.add(id);
          if (isOld()) throw new NotFresh();
        },
      });
      this.conclude({ ...stale, ...(value.deleted || this.sent.has(id) ? { outcome: 'deleted' } : gone) });
      this.step.started(value.operations);
      return value.operations;
    } catch (error) {
      if (error instanceof NotFresh) return undefined;
      if (!(error instanceof ApiError || error instanceof StoppedError)) throw error;
      const isUnsure = error.mayHaveActed || this.sent.has(id);
      const endsAll = error instanceof StoppedError || error.status === 401 || error.status === 429;
      const why = error instanceof ApiError ? error.reason : error.message;
      const note = isUnsure ? `it is unknown whether it was deleted: ${why}` : why;
      if (isUnsure || !endsAll) this.conclude({ ...stale, outcome: 'failed', note });
      if (endsAll) throw error;
      return undefined;
    }
  }

  /** Waits until deletions have ended, and records those that failed. */
  private async waitFor(started: Started[]): Promise<void> {
    const failed = new Map<string, OperationError>();
    await pollOperations({
      ...this.access,
      operations: started.flatMap(({ operations }) => operations),
      onFailed: (error) => failed.set(error.operationId, error),
    });
    if (failed.size === 0) return;
    const { branches } = await this.readProject();
    for (const { stale, operations } of started) {
      const error = operations.flatMap(({ id }) => failed.get(id) ?? [])[0];
      // Some deployments forget a branch's operations along with the branch.
      const isGone = error?.unknown && !branches.some(({ id }) => id === stale.branch.id);
      if (error && !isGone) this.conclude({ ...stale, outcome: 'failed', note: error.message });
    }
  }

  private conclude({ branch, outcome, reason, note }: Outcome): void {
    this.pending.delete(branch.id);
    const concluded = { branch, outcome, reason, note };
    this.outcomes.set(branch.id, concluded);
    this.record();
    this.step.log.info(lineOf(concluded));
  }

  private record(): void {
    this.wanted.record?.({ outcomes: [...this.outcomes.values()], date: this.date });
  }

  private async readProject(): Promise<Project> {
    const project = await readProject(this.access, { withActivity: this.wanted.settings.unusedFor !== undefined });
    this.date = project.date;
    return project;
  }

  private candidateOf(branch: Branch, project: Project): Candidate | { keep: string } {
    if (branch.id === this.wanted.spare) return { keep: 'it is the parent of the new branch' };
    return candidateOf(branch, { settings: this.wanted.settings, repositories: this.repositories, project });
  }

  /** Reads the repositories of these branches. Throws if none of them could be read. */
  private async readRepositories(candidates: Candidate[]): Promise<void> {
    const all = [...new Set(candidates.flatMap(({ repositories }) => repositories))];
    await forEachLimited(all, repositoriesAtOnce, async (repository) => {
      const own = candidates.filter(({ repositories }) => repositories.includes(repository));
      const numbers = own.flatMap((one) => one.numbers);
      await read(this.github, repository, { numbers, gitBranches: own.some(({ by }) => by === 'name') });
    });
    const problems = all.flatMap(({ problem }) => problem ?? []);
    if (problems[0] && problems.length === all.length) throw problems[0];
    for (const { message } of problems) {
      this.step.log.warning(`${asSentence(message)} The branches of this repository are kept.`);
    }
  }
}

/** A pattern that protects nothing was probably meant to protect something. */
function warnOfPatterns(log: Log, { branches }: Project, { exclude }: Settings): void {
  for (const glob of exclude) {
    if (branches.some(({ name }) => glob.matches(name) || glob.matches(name.normalize('NFC')))) continue;
    log.warning(
      `exclude_pattern: ${show(glob.pattern)} protects nothing: it matches no branch of the project. It must match a whole name, and case matters.`,
    );
  }
}

/** What the deletion depends on must be read again before it is sent. */
class NotFresh extends Error {
  override readonly name = 'NotFresh';
}

const gone = { outcome: 'gone', note: 'it was deleted in the meantime' } as const;

const verbs: Record<Outcome['outcome'], string> = {
  deleted: 'Deleted branch',
  planned: 'Would delete branch',
  gone: 'Did not have to delete branch',
  kept: 'Kept branch',
  failed: 'Could not delete branch',
};

/** What happened to a branch, in one line for the log. */
function lineOf({ branch, outcome, reason, note }: Outcome): string {
  const because = reason !== undefined && note !== undefined ? ` (stale, because ${reason})` : '';
  return `${verbs[outcome]} ${nameAndId(branch)}: ${note ?? reason}${because}`;
}
