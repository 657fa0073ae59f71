import type { Branch } from '../api/types.ts';
import { duration } from '../text/format.ts';
import type { Glob } from '../text/glob.ts';
import { type GitBranches, mentionsIn, pullRequestNumber } from './mentions.ts';

export interface Rules {
  /** `owner/name`: whose branches these are. */
  repository: string;
  /** Milliseconds. */
  olderThan: number | undefined;
  pattern: Glob | undefined;
}

/** What GitHub has said. What it could not say is left out, and so counts as open and as there. */
export interface Known {
  /** Pull requests that are certainly closed. */
  closed: Set<number>;
  /** The git branches; undefined where they were not read. */
  git: GitBranches | undefined;
}

/** A branch that the rules take, with why. */
export interface Taken {
  branch: Branch;
  reason: string;
  /** Milliseconds since it was made, where that can be told. */
  ageMs: number | undefined;
}

/** What has to be asked before the rules can say which branches they take. */
export interface Questions {
  pullRequests: number[];
  gitBranches: boolean;
}

type Owner = 'this repository' | 'another' | 'nobody';

/** Whose a branch is by its annotations. One without a record of a repository is nobody's. */
function ownerOf(branch: Branch, rules: Rules): Owner {
  const repository = branch.annotations['github-commit-repo'] ?? '';
  if (repository === '') return 'nobody';
  return repository.toLowerCase() === rules.repository.toLowerCase() ? 'this repository' : 'another';
}

/** The default branch and protected ones are never taken. */
function mayGo(branch: Branch): boolean {
  return !branch.default && !branch.protected;
}

export function questionsFor(branches: Branch[], rules: Rules): Questions {
  const pullRequests = new Set<number>();
  let git = false;
  for (const branch of branches.filter(mayGo)) {
    const owner = ownerOf(branch, rules);
    if (owner === 'this repository') {
      const number = pullRequestNumber(branch.annotations['github-pr-number']);
      if (number !== undefined) pullRequests.add(number);
    } else if (owner === 'nobody' && rules.pattern?.matches(branch.name)) {
      const mentions = mentionsIn(branch.name);
      for (const { number } of mentions) if (number !== undefined) pullRequests.add(number);
      git ||= !mentions.some((one) => one.exact);
    }
  }
  return { pullRequests: [...pullRequests], gitBranches: git };
}

/** The branches that the rules take, whatever children they have. `now` is the service's clock. */
export function take(branches: Branch[], rules: Rules, known: Known & { now: number }): Taken[] {
  return branches.filter(mayGo).flatMap((branch) => {
    const made = Date.parse(branch.created_at);
    const ageMs = Number.isNaN(made) ? undefined : Math.max(0, known.now - made);
    const owner = ownerOf(branch, rules);
    const reason =
      owner === 'this repository'
        ? byRecord({ branch, rules, known, ageMs })
        : owner === 'nobody' && rules.pattern?.matches(branch.name)
          ? byName(branch.name, rules.pattern, known)
          : undefined;
    return reason === undefined ? [] : [{ branch, reason, ageMs }];
  });
}

function byRecord(options: {
  branch: Branch;
  rules: Rules;
  known: Known;
  ageMs: number | undefined;
}): string | undefined {
  const { branch, rules, known, ageMs } = options;
  const number = pullRequestNumber(branch.annotations['github-pr-number']);
  if (number !== undefined && known.closed.has(number)) return `pull request #${number} is closed`;
  if (rules.olderThan !== undefined && ageMs !== undefined && ageMs > rules.olderThan) {
    return `older than ${duration(rules.olderThan).replaceAll(' ', '')}`;
  }
  return undefined;
}

function byName(name: string, pattern: Glob, known: Known): string | undefined {
  const mentions = mentionsIn(name);
  const allClosed = mentions.every(({ number }) => number !== undefined && known.closed.has(number));
  if (!allClosed) return undefined;
  const numbers = mentions.filter((one) => one.exact).map((one) => one.number);
  if (numbers.length > 0) return `pull request #${numbers.join(' and #')} is closed`;
  const rests = pattern.rests(name).filter((rest) => rest !== '');
  const [rest] = rests;
  if (rest === undefined || known.git === undefined || known.git.has(name, rests)) return undefined;
  return `git branch ${rest} is gone`;
}
