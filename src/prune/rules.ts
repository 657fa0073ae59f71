import { namesRepository } from '../branch/metadata.ts';
import { hasMetadata, saysWhetherProtected } from '../service/branches.ts';
import { createIdKey } from '../service/create.ts';
import type { Branch } from '../service/types.ts';
import { duration } from '../text/format.ts';
import type { Glob } from '../text/glob.ts';
import { oneLine, show } from '../text/inert.ts';
import type { PullRequestState, StateQuery, WorkflowRun } from './lookups.ts';
import { type GitBranches, mentionsIn, numbersIn, pullRequestNumber, refsIn } from './mentions.ts';

/** Durations are milliseconds. */
export interface Rules {
  /** `owner/name` of the repository that runs the prune, and its ID. */
  repository: string;
  repositoryId: string;
  closedFor: number | undefined;
  olderThan: number | undefined;
  pattern: Glob | undefined;
  /** Whether `branch_pattern` is set, but can't be used. */
  isPatternIgnored: boolean;
  exclude: Glob[];
}

/** What to look up on GitHub before the rules can be applied. */
export interface Lookups {
  pullRequests: number[];
  /** Numbers in names that may belong to pull requests. */
  guesses: number[];
  gitBranches: boolean;
  /** IDs of workflow runs that have rehearsed a migration. */
  runs: string[];
}

/** What GitHub said. A pull request that is missing could not be read, and counts as open. */
export interface GitHubState {
  pullRequests: Map<number, PullRequestState>;
  /** Undefined if they could not all be read; then every git branch counts as existing. */
  gitBranches: GitBranches | undefined;
  /** Those that could be read, by ID. */
  runs: Map<string, WorkflowRun>;
}

/** What must still hold when the branch is deleted: its pull requests are closed, and its refs are not in use. */
export interface Evidence extends StateQuery {
  /** When the pull requests must have been closed, in milliseconds since the epoch. */
  closedBy?: number;
  /** Whether the branch is judged by its name, because the list has no metadata that says whose it is; the branch itself may have some. */
  byName?: boolean;
}

/** A branch that the rules select, and why. */
export interface StaleBranch {
  branch: Branch;
  /** As a clause: `pull request #7 is closed`. */
  reason: string;
  /** Milliseconds since its creation; undefined if the service gives no readable time. */
  ageMs: number | undefined;
  evidence: Evidence;
  /** When the older of the branch and its evidence was requested, in milliseconds since the epoch. */
  readAt: number;
}

/** A branch that is kept, and why, as a clause: `pull request #7 is open`. */
export interface KeptBranch {
  branch: Branch;
  why: string;
}

export function lookupsFor(branches: Branch[], rules: Rules): Lookups {
  const pullRequests = new Set<string>();
  const guesses = new Set<string>();
  const runs = new Set<string>();
  let gitBranches = false;
  for (const branch of branches) {
    const by = criterionFor(branch, rules);
    if (typeof by === 'object') continue;
    const rehearsal = by === 'metadata' ? rehearsalOf(branch) : undefined;
    if (rehearsal) {
      if (rehearsal.runId !== undefined) runs.add(rehearsal.runId);
      continue;
    }
    for (const digits of numbersOf(branch)) pullRequests.add(digits);
    if (by === 'name') for (const digits of numbersIn(branch.name)) guesses.add(digits);
    gitBranches ||= by === 'name';
  }
  const known = (numbers: Set<string>) => [...numbers].flatMap((digits) => pullRequestNumber(digits) ?? []);
  return { pullRequests: known(pullRequests), guesses: known(guesses), gitBranches, runs: [...runs] };
}

/**
 * The stale branches, whether or not they have children, and those that the rules are about but that are kept. `now` is the
 * service's clock, in milliseconds since the epoch; without it, ages are unknown. `readAt` is copied to each stale branch.
 */
export function selectStale(
  branches: Branch[],
  rules: Rules,
  state: GitHubState & { now: number | undefined; readAt: number },
): { stale: StaleBranch[]; kept: KeptBranch[] } {
  const stale: StaleBranch[] = [];
  const kept: KeptBranch[] = [];
  for (const branch of branches) {
    const by = criterionFor(branch, rules);
    const created = Date.parse(branch.created_at);
    const ageMs = Number.isNaN(created) || state.now === undefined ? undefined : Math.max(0, state.now - created);
    const judge = by === 'metadata' ? judgeByMetadata : judgeByName;
    const verdict = typeof by === 'object' ? by.why : judge({ branch, rules, state, ageMs });
    if (typeof verdict === 'string') kept.push({ branch, why: verdict });
    else stale.push({ branch, ageMs, readAt: state.readAt, ...verdict });
  }
  return { stale, kept };
}

/**
 * By what a branch may be stale: by its metadata if that names this repository, by its name if it names none. Or why it is kept, whatever
 * GitHub says.
 */
function criterionFor(branch: Branch, rules: Rules): 'metadata' | 'name' | { why: string } {
  const { name, metadata } = branch;
  if (branch.default) return { why: 'it is the default branch' };
  const isOurs = namesRepository(metadata, rules);
  if (!isOurs) {
    if (metadata['github-commit-repo'] || metadata['github-repository-id']) {
      return { why: `it belongs to ${describeOther(metadata, rules)}` };
    }
    // It may belong to another repository of the project, or to another tool.
    if (hasMetadata(branch)) return { why: 'its metadata names no repository, so it may belong to another tool' };
    const { pattern, isPatternIgnored } = rules;
    if (!pattern)
      return { why: `it has no metadata, and \`branch_pattern\` is ${isPatternIgnored ? 'ignored' : 'not set'}` };
    if (!pattern.matches(name)) return { why: 'it has no metadata, and its name does not match `branch_pattern`' };
  }
  if (branch.protected) return { why: 'it is protected' };
  if (!saysWhetherProtected(branch)) return { why: unknownProtection };
  if (rules.exclude.some((glob) => [name, name.normalize('NFC')].some(glob.matches))) {
    return { why: 'it matches `exclude_pattern`' };
  }
  if (isOurs) return 'metadata';
  if (/(^|\/)tags\//i.test(name)) return { why: 'its name refers to a tag, and tags are not looked up' };
  return 'name';
}

/** A repository that is not the one that prunes, but may have the same name. */
function describeOther(metadata: Record<string, string>, rules: Rules): string {
  const { 'github-commit-repo': name = '', 'github-repository-id': id = '' } = metadata;
  if (name === '') return `the repository with ID ${oneLine(id, 100)}`;
  if (name.toLowerCase() !== rules.repository.toLowerCase()) return `repository ${show(name)}`;
  return describeNamesake(show(name), id, rules.repositoryId);
}

interface Candidate {
  branch: Branch;
  rules: Rules;
  state: GitHubState & { now: number | undefined };
  ageMs: number | undefined;
}

/** Why a branch is kept, or why it is stale. */
type Verdict = string | Pick<StaleBranch, 'reason' | 'evidence'>;

/** The pull requests of a branch that has metadata, as text: the one in there or, without one, those in its name. */
function numbersOf({ name, metadata }: Branch): string[] {
  const text = metadata['github-pr-number'] ?? '';
  return text === '' ? mentionsIn(name).map(({ digits }) => digits) : [text];
}

/** The run that a rehearsal's branch belongs to, by the name that it was given and by its metadata; undefined for any other branch. */
function rehearsalOf({ name, metadata }: Branch): { runId: string | undefined; attempt: number } | undefined {
  const [, of = '', attempt = '', start = ''] = /^rehearsal\/(\d{1,15}|local)-(\d{1,9})-([\da-f]{8})$/.exec(name) ?? [];
  const runId = metadata['github-run-id'];
  // Whoever names a branch like a rehearsal's can't know its create ID.
  const isRehearsal = of !== '' && metadata[createIdKey]?.startsWith(start) && (runId ?? 'local') === of;
  if (!isRehearsal) return undefined;
  return { runId, attempt: Number(attempt) };
}

/** A rehearsal's branch is of no use once its run has ended, whether its pull request is open or not. */
function judgeRehearsal(
  { runId, attempt }: { runId: string | undefined; attempt: number },
  { branch, rules, state, ageMs }: Candidate,
): Verdict {
  const evidence = { pullRequests: [], headRefs: [], gitRefs: [] };
  const run = runId === undefined ? undefined : state.runs.get(runId);
  if (runId !== undefined && run) {
    const one = run.ended ? '' : `attempt ${attempt} of `;
    return run.ended || run.attempt > attempt
      ? { reason: `${one}workflow run ${runId}, which used it for a rehearsal, has ended`, evidence }
      : `workflow run ${runId}, which uses it for a rehearsal, has not ended`;
  }
  if (state.now !== undefined && Date.parse(branch.expires_at ?? '') < state.now) {
    return { reason: 'it is the branch of a rehearsal, and its expiry has passed', evidence };
  }
  if (ageMs !== undefined && ageMs > longestJobMs) {
    return {
      reason: `it is the branch of a rehearsal, and older than the longest time a job can run (${duration(longestJobMs)})`,
      evidence,
    };
  }
  const old = judgeAge(rules, ageMs, evidence);
  const why =
    runId === undefined ? 'its workflow run is unknown' : `the state of workflow run ${runId} could not be read`;
  return typeof old === 'object' ? old : `it is the branch of a rehearsal and has not expired, and ${why}`;
}

/** How long GitHub lets a job run, on a self-hosted runner. */
export const longestJobMs = 5 * 86_400_000;

function judgeByMetadata(candidate: Candidate): Verdict {
  const { branch, rules, state, ageMs } = candidate;
  const rehearsal = rehearsalOf(branch);
  if (rehearsal) return judgeRehearsal(rehearsal, candidate);
  const text = branch.metadata['github-pr-number'] ?? '';
  const number = pullRequestNumber(text);
  if (text !== '' && number === undefined)
    return `its metadata points to pull request ${show(text)}, which is not a valid number`;
  const ref = branch.metadata['github-commit-ref']?.replace(/^refs\/heads\//, '');
  const headRefs = ref ? [ref] : [];
  if (number === undefined) {
    const pullRequests = allClosed(numbersOf(branch), candidate);
    if (typeof pullRequests === 'string') return pullRequests;
    const evidence = { pullRequests, headRefs, gitRefs: [] };
    return judgeAge(rules, ageMs, evidence) ?? 'its metadata points to no pull request';
  }
  const evidence = { pullRequests: [number], headRefs, gitRefs: [] };
  const pullRequest = state.pullRequests.get(number);
  const closedBy = closedByFor(rules, state);
  const why = whyNotClosed(number, pullRequest, closedBy);
  if (!why) return { reason: `pull request #${number} is closed`, evidence: { ...evidence, closedBy } };
  // Closed, but not for long enough.
  const old = pullRequest && !pullRequest.open ? judgeAge(rules, ageMs, evidence) : undefined;
  return typeof old === 'object' ? old : why;
}

/** Whether `older_than` selects a branch; undefined if it is not set. */
function judgeAge({ olderThan }: Rules, ageMs: number | undefined, evidence: Evidence): Verdict | undefined {
  if (olderThan === undefined) return undefined;
  if (ageMs === undefined) return 'its age is unknown';
  const limit = duration(olderThan);
  return ageMs > olderThan ? { reason: `it is older than ${limit}`, evidence } : `it is not older than ${limit}`;
}

function judgeByName(candidate: Candidate): Verdict {
  const { branch, rules, state } = candidate;
  const { name } = branch;
  const pattern = rules.pattern as Glob;
  const closedBy = closedByFor(rules, state);
  const pullRequests = allClosed(numbersIn(name), candidate, closedBy);
  if (typeof pullRequests === 'string') return pullRequests;
  const refs = refsIn(name, pattern);
  const [ref = ''] = refs;
  if (!state.gitBranches) return unreadGitBranches;
  if (state.gitBranches.has(name, refs)) return gitBranchExists(ref);
  const rest = pattern.rest(name);
  const used = rest ? [rest] : refs;
  const evidence = { pullRequests, headRefs: used, gitRefs: used, closedBy, byName: true };
  const exact = mentionsIn(name).flatMap((mention) => (mention.exact ? mention.digits : []));
  if (exact.length > 0) {
    const [noun, verb] = exact.length === 1 ? ['pull request', 'is'] : ['pull requests', 'are'];
    return { reason: `${noun} #${exact.join(' and #')} ${verb} closed`, evidence };
  }
  return rest
    ? { reason: `git branch ${show(ref)} does not exist`, evidence }
    : 'no part of its name is matched by a wildcard of `branch_pattern`, so it is unknown which git branch it is for';
}

/** The pull requests whose numbers are in a branch's name, if all were closed by `closedBy` (or at all, without it); otherwise why it is kept. */
function allClosed(inName: string[], { state }: Candidate, closedBy?: number): number[] | string {
  const closed: number[] = [];
  for (const digits of new Set(inName)) {
    const number = pullRequestNumber(digits);
    if (number === undefined)
      return `its name contains ${show(digits)}, which is not the number of a closed pull request`;
    const why = whyNotClosed(number, state.pullRequests.get(number), closedBy);
    if (why) return why;
    closed.push(number);
  }
  return closed;
}

/** When a pull request must have been closed. */
function closedByFor({ closedFor }: Rules, { now }: Candidate['state']): number | undefined {
  return closedFor === undefined ? undefined : (now ?? Number.NEGATIVE_INFINITY) - closedFor;
}

/** Why a pull request does not count as closed by a time, or at all; undefined if it does. */
export function whyNotClosed(
  number: number,
  pullRequest: PullRequestState | undefined,
  closedBy = Number.POSITIVE_INFINITY,
): string | undefined {
  if (!pullRequest) return unread(`pull request #${number}`);
  if (pullRequest.open) return `pull request #${number} is open`;
  const { closedAt } = pullRequest;
  if ((closedAt ?? Number.POSITIVE_INFINITY) <= closedBy) return undefined;
  if (closedAt === undefined) return `it is unknown when pull request #${number} was closed`;
  return `pull request #${number} has been closed for less than \`closed_for\` (since ${new Date(closedAt).toISOString()})`;
}

function unread(pullRequest: string): string {
  return `the state of ${pullRequest} could not be read`;
}

export const unknownProtection = 'the list of branches does not say whether it is the default branch or protected';

export const unreadGitBranches = 'git branches could not be read';

export function gitBranchExists(ref: string): string {
  return `git branch ${show(ref)} exists`;
}

/** A repository with another ID than this run's, and the same name. */
function describeNamesake(name: string, id: string, ownId: string): string {
  return `another repository that is also called ${name} (its ID is ${oneLine(id, 100)}, this run's repository has ID ${oneLine(ownId, 100)})`;
}
