import { whyProtected } from '../branch/guard.ts';
import { namesRepository } from '../branch/metadata.ts';
import { describeOwner } from '../branch/owner.ts';
import { hasMetadata } from '../service/branches.ts';
import type { Branch } from '../service/types.ts';
import { duration } from '../text/format.ts';
import type { Glob } from '../text/glob.ts';
import { show } from '../text/inert.ts';
import { mentionsIn, numbersIn, numberWordsIn, pullRequestNumber } from './names.ts';
import { type Project, timeOf } from './project.ts';
import { isClosedFor, type Repository } from './repository.ts';

/** What the inputs say. Durations are milliseconds. */
export interface Settings {
  closedFor?: number;
  olderThan?: number;
  unusedFor?: number;
  patterns: Glob[];
  exclude: Glob[];
}

/** What a branch is judged by: the repository that its metadata names, or its name, which may be about any of them. */
export interface Candidate {
  branch: Branch;
  by: 'metadata' | 'name';
  repositories: Repository[];
  /** The pull requests that must be known. */
  numbers: number[];
}

/** Why a branch is kept, or stale, as a clause. */
export type Verdict = { keep: string } | { stale: string };

/** What a branch is to be judged by, or why it is kept, whatever GitHub says. */
export function candidateOf(
  branch: Branch,
  { settings, repositories }: { settings: Settings; repositories: Repository[] },
): Candidate | { branch: Branch; keep: string } {
  const { name, metadata } = branch;
  const own = repositories.find((one) => namesRepository(metadata, { repository: one.name, repositoryId: one.id }));
  const keep = whyProtected(branch) ?? (own ? undefined : whyNotByName(branch, settings));
  if (keep !== undefined) return { branch, keep };
  if (matchesAny(settings.exclude, name)) {
    return { branch, keep: 'it matches `exclude_pattern`' };
  }
  if (!own) return { branch, by: 'name', repositories, numbers: numbersIn(name) };
  const text = metadata['github-pr-number'] ?? '';
  const number = pullRequestNumber(text);
  if (text !== '' && number === undefined) {
    return { branch, keep: `its metadata has no number of a pull request, but ${show(text)}` };
  }
  return {
    branch,
    by: 'metadata',
    repositories: [own],
    // Only its age ends one without a pull request of its own.
    numbers: number !== undefined ? [number] : settings.olderThan === undefined ? [] : numberWordsIn(name),
  };
}

/** Why a branch whose metadata names no repository of ours is not judged by its name either. */
function whyNotByName(branch: Branch, { patterns }: Settings): string | undefined {
  if (hasMetadata(branch)) {
    const owner = describeOwner(branch);
    return owner === '' ? 'it has metadata that names no repository' : `it belongs to ${owner}`;
  }
  if (patterns.length === 0) return 'it has no metadata, and `branch_pattern` is not set';
  if (!matchesAny(patterns, branch.name)) return 'it has no metadata, and its name does not match `branch_pattern`';
  const { name } = branch;
  const names = [name, name.replace(/^[^/]+\//, ''), ...patterns.flatMap((one) => one.rests(name))];
  return names.some((one) => /^(refs\/)?tags\//i.test(one)) ? 'its name is that of a tag' : undefined;
}

function matchesAny(globs: Glob[], name: string): boolean {
  return globs.some((glob) => glob.matches(name.normalize('NFC')));
}

/** Judges a branch by what GitHub and the service have just said. */
export function judge(candidate: Candidate, settings: Settings, project: Project): Verdict {
  for (const { problem, name } of candidate.repositories) {
    if (problem) return { keep: `the pull requests of ${name} could not be read` };
  }
  const verdict =
    candidate.by === 'name' ? judgeByName(candidate, settings) : judgeByMetadata(candidate, settings, project);
  if ('keep' in verdict) return verdict;
  const use = inUse(candidate.branch, settings, project);
  return use === undefined ? verdict : { keep: use };
}

function judgeByMetadata({ branch, repositories, numbers }: Candidate, settings: Settings, project: Project): Verdict {
  const [repository] = repositories;
  if (!repository) throw new Error('A candidate has a repository');
  const state = stateOf(repository, numbers, settings);
  if ('open' in state) return { keep: state.open };
  const other = openFrom(repository, branch);
  if (other !== undefined) return { keep: other };
  const isNamed = Boolean(branch.metadata['github-pr-number']);
  // A number that is only in the name is not for certain that of a pull request.
  if (isNamed && state.closed.length > 0) return { stale: `pull request #${state.closed[0]} is closed` };
  const { olderThan } = settings;
  const none = isNamed ? `pull request #${numbers[0]} does not exist` : 'its metadata names no pull request';
  if (olderThan === undefined) return { keep: state.recent ?? none };
  const ageMs = project.date - timeOf(branch.created_at);
  const limit = duration(olderThan);
  if (Number.isNaN(ageMs)) return { keep: 'its age is unknown' };
  return ageMs > olderThan
    ? { stale: `it is older than ${limit}` }
    : { keep: `${state.recent ? `${state.recent}, and ` : ''}it is not older than ${limit}` };
}

/** At the beginning, or with another, a wildcard may stand for what is put before or after a git branch's name. */
const loose = /^[*?]|[*?][^*?]+[*?]/;

function judgeByName({ branch, repositories, numbers }: Candidate, settings: Settings): Verdict {
  const name = branch.name.normalize('NFC');
  // What the name may be about, by each pattern that it matches.
  const rests = settings.patterns.flatMap((pattern) => {
    const all = pattern.rests(name);
    // So may one that cuts a word: `pr*`.
    const isLoose = all[0] !== all[1] || loose.test(pattern.pattern);
    return all.map((rest) => ({ rest, covered: isLoose ? '' : rest }));
  });
  const found: number[] = [];
  for (const repository of repositories) {
    const state = stateOf(repository, numbers, settings);
    if ('open' in state) return { keep: state.open };
    if (state.recent !== undefined) return { keep: state.recent };
    if (!repository.gitBranches) return { keep: `the git branches of ${repository.name} are unknown` };
    const { gitBranches } = repository;
    for (const { rest, covered } of rests) {
      const used = gitBranches.find([name, rest], covered);
      const recent =
        settings.closedFor === undefined ? '' : ` or has been closed for less than ${duration(settings.closedFor)}`;
      if (used !== undefined)
        return { keep: `git branch ${show(used)} exists, or a pull request from it is open${recent}` };
    }
    found.push(...state.closed);
  }
  const closed = mentionsIn(name).find((number) => found.includes(number));
  if (closed !== undefined) return { stale: `pull request #${closed} is closed` };
  const gone = rests.find(({ rest }) => rest !== '');
  if (!gone) return { keep: 'no part of its name is matched by a wildcard of `branch_pattern`' };
  return { stale: `git branch ${show(gone.rest)} does not exist` };
}

/** Why one of the pull requests is open, or those that are closed; `recent` is why one is not closed for long enough. */
function stateOf(
  { pullRequests, date }: Repository,
  numbers: number[],
  { closedFor }: Settings,
): { open: string } | { closed: number[]; recent: string | undefined } {
  const closed: number[] = [];
  let recent: string | undefined;
  for (const number of numbers) {
    const found = pullRequests.get(number);
    if (!found) return { open: `the state of pull request #${number} could not be read` };
    if (found === 'none') continue;
    if (found.open) return { open: `pull request #${number} is open` };
    if (isClosedFor(found, closedFor, date)) closed.push(number);
    else
      recent ??= `pull request #${number} has been closed for less than ${duration(closedFor ?? 0)} (\`closed_for\`)`;
  }
  return { closed, recent };
}

/** Why a branch is in use by an open pull request from the git branch that its metadata names or, without a number of its own, its name. */
function openFrom({ pullRequests, openHeads }: Repository, { name, metadata }: Branch): string | undefined {
  const heads = [
    metadata['github-commit-ref']?.replace(/^refs\/heads\//, ''),
    metadata['github-pr-number'] ? undefined : openHeads?.find([name], ''),
  ];
  for (const one of pullRequests.values()) {
    if (
      one !== 'none' &&
      one.open &&
      heads.some((head) => head && head.normalize('NFC') === one.headRef.normalize('NFC'))
    )
      return `pull request #${one.number} from a git branch of this name (${show(one.headRef)}) is open`;
  }
  return undefined;
}

/** Why a branch has been in use too recently. One without compute counts from its creation or last reset. */
function inUse(branch: Branch, { unusedFor }: Settings, { activity, date }: Project): string | undefined {
  if (unusedFor === undefined) return undefined;
  const endpoints = activity?.get(branch.id);
  if (endpoints?.some(({ isActive }) => isActive)) return 'its compute is active';
  const { created_at, last_reset_at = created_at } = branch;
  const times = endpoints?.map(({ lastActive }) => lastActive) ?? [created_at, last_reset_at].map(timeOf);
  const unusedMs = date - Math.max(...times);
  if (unusedMs >= unusedFor) return undefined;
  return Number.isNaN(unusedMs)
    ? 'it is unknown when it was last used'
    : `it was last used ${duration(Math.max(0, unusedMs))} ago, which is less than \`unused_for\``;
}
