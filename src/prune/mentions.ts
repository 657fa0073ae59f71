import { branchNameFromRef } from '../text/branch-name.ts';

/** A pull request's number as it stands in a name or an annotation; undefined for what can be none. */
export function pullRequestNumber(text: string | undefined): number | undefined {
  // GraphQL's integers have 32 bits.
  const number = /^[1-9]\d{0,9}$/.test(text ?? '') ? Number(text) : 0;
  return number > 0 && number < 2 ** 31 ? number : undefined;
}

export interface Mention {
  /** Undefined for a number that no pull request can have. */
  number: number | undefined;
  /** Whether it stands as `pr-<n>` at the end, or as `pr-<n>-`. */
  exact: boolean;
}

/**
 * The pull requests that a name tells of. `preview/pr-7` and `preview/pr-7-login` do, `preview/expr-7` does not; `preview/pr-7/api`
 * only mentions one, which is enough to keep the branch while that pull request is open.
 */
export function mentionsIn(name: string): Mention[] {
  return [...name.matchAll(/(?<![A-Za-z0-9])pr-(\d+)(?![A-Za-z0-9])/gi)].map((match) => ({
    number: pullRequestNumber(match[1]),
    exact: /^(-|$)/.test(name.slice(match.index + match[0].length)),
  }));
}

/** The git branches that are there, as names of database branches tell of them. */
export interface GitBranches {
  /** Whether a name, or what a pattern's wildcards stand for in it, tells of a git branch that is there. */
  has(name: string, rests: string[]): boolean;
}

const ownPrefix = branchNameFromRef('x').slice(0, -1);

/**
 * Names are compared the way they are made, not taken apart: every git branch is turned into the names that it could have been
 * given. Other tools write refs in their own way, so that one which differs in case or punctuation only counts as there too.
 */
export function gitBranches(refs: string[]): GitBranches {
  const whole = new Set(refs.map(branchNameFromRef));
  const rest = new Set(refs.flatMap((ref) => [ref, branchNameFromRef(ref).slice(ownPrefix.length)]));
  const loose = new Set(refs.map(slug));
  return {
    has: (name, rests) => whole.has(name) || rests.some((one) => rest.has(one) || loose.has(slug(one))),
  };
}

function slug(ref: string): string {
  return ref
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');
}
