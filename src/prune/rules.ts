import type { Branch } from '../api/types.ts';
import { duration } from '../text/format.ts';
import type { Glob } from '../text/glob.ts';
import { type GitBranches, mentionsIn, pullRequestNumber } from './mentions.ts';

export interface Rules {
  /** `owner/name` of the repository that runs the prune. */
  repository: string;
  /** Milliseconds. */
  olderThan: number | undefined;
  pattern: Glob | undefined;
}

/** What to look up on GitHub before the rules can be applied. */
export interface Lookups {
  pullRequests: number[];
  gitBranches: boolean;
}

/** What GitHub said. A pull request that could not be read counts as open. */
export interface GitHubState {
  closedPullRequests: Set<number>;
  /** Undefined if they could not all be read; then every git branch counts as existing. */
  gitBranches: GitBranches | undefined;
}

/** A branch that the rules select, and why. */
export interface StaleBranch {
  branch: Branch;
  reason: string;
  /** Milliseconds since its creation; undefined if the service gives no readable time. */
  ageMs: number | undefined;
}

export function lookupsFor(branches: Branch[], rules: Rules): Lookups {
  const pullRequests = new Set<number>();
  let gitBranches = false;
  for (const branch of branches.filter(isDeletable)) {
    const owner = ownerOf(branch, rules);
    if (owner === 'this repository') {
      const number = pullRequestNumber(branch.metadata['github-pr-number']);
      if (number !== undefined) pullRequests.add(number);
    } else if (owner === 'none' && rules.pattern?.matches(branch.name)) {
      const mentions = mentionsIn(branch.name);
      for (const { number } of mentions) if (number !== undefined) pullRequests.add(number);
      gitBranches ||= !mentions.some((mention) => mention.exact);
    }
  }
  return { pullRequests: [...pullRequests], gitBranches };
}

/** The stale branches, whether or not they have children. `now` is the service's clock, in milliseconds since the epoch. */
export function selectStale(branches: Branch[], rules: Rules, state: GitHubState & { now: number }): StaleBranch[] {
  return branches.filter(isDeletable).flatMap((branch) => {
    const created = Date.parse(branch.created_at);
    const ageMs = Number.isNaN(created) ? undefined : Math.max(0, state.now - created);
    const reason = staleReason({ branch, rules, state, ageMs });
    return reason === undefined ? [] : [{ branch, reason, ageMs }];
  });
}

function isDeletable(branch: Branch): boolean {
  return !branch.default && !branch.protected;
}

/** The repository that the branch's metadata names. */
function ownerOf(branch: Branch, rules: Rules): 'this repository' | 'another' | 'none' {
  const repository = branch.metadata['github-commit-repo'] ?? '';
  if (repository === '') return 'none';
  return repository.toLowerCase() === rules.repository.toLowerCase() ? 'this repository' : 'another';
}

interface Candidate {
  branch: Branch;
  rules: Rules;
  state: GitHubState;
  ageMs: number | undefined;
}

function staleReason(candidate: Candidate): string | undefined {
  const { branch, rules, state } = candidate;
  const owner = ownerOf(branch, rules);
  if (owner === 'this repository') return reasonByMetadata(candidate);
  if (owner === 'another' || !rules.pattern?.matches(branch.name)) return undefined;
  return reasonByName(branch.name, rules.pattern, state);
}

function reasonByMetadata({ branch, rules, state, ageMs }: Candidate): string | undefined {
  const number = pullRequestNumber(branch.metadata['github-pr-number']);
  if (number !== undefined && state.closedPullRequests.has(number)) return `pull request #${number} is closed`;
  if (rules.olderThan !== undefined && ageMs !== undefined && ageMs > rules.olderThan) {
    return `older than ${duration(rules.olderThan).replaceAll(' ', '')}`;
  }
  return undefined;
}

function reasonByName(name: string, pattern: Glob, state: GitHubState): string | undefined {
  const mentions = mentionsIn(name);
  const allClosed = mentions.every(({ number }) => number !== undefined && state.closedPullRequests.has(number));
  if (!allClosed) return undefined;
  const numbers = mentions.filter((mention) => mention.exact).map((mention) => mention.number);
  if (numbers.length > 0) {
    const [noun, verb] = numbers.length === 1 ? ['pull request', 'is'] : ['pull requests', 'are'];
    return `${noun} #${numbers.join(' and #')} ${verb} closed`;
  }
  const ref = pattern.rest(name);
  if (!ref || !state.gitBranches || state.gitBranches.has(name, [ref])) return undefined;
  return `git branch ${ref} does not exist`;
}
