import { branchNameFromRef, formerBranchName } from '../text/branch-name.ts';

/** A pull request's number in a name or in metadata; undefined if it can't be one. */
export function pullRequestNumber(text: string | undefined): number | undefined {
  // GraphQL's integers have 32 bits.
  const number = /^[1-9]\d{0,9}$/.test(text ?? '') ? Number(text) : 0;
  return number > 0 && number < 2 ** 31 ? number : undefined;
}

export interface Mention {
  /** Undefined for a number that no pull request can have. */
  number: number | undefined;
  /** Whether the name has it as `pr-<n>` at the end, or as `pr-<n>-`. */
  exact: boolean;
}

/**
 * The pull requests that a name mentions: `preview/pr-7` and `preview/pr-7-login` do, `preview/expr-7` does not. `preview/pr-7/api`
 * may be something else (not exact), but it is kept as long as that pull request is open.
 */
export function mentionsIn(name: string): Mention[] {
  return [...name.matchAll(/(?<![A-Za-z0-9])pr-(\d+)(?![A-Za-z0-9])/gi)].map((match) => ({
    number: pullRequestNumber(match[1]),
    exact: /^(-|$)/.test(name.slice(match.index + match[0].length)),
  }));
}

/** The git branches that exist, to be looked up by the name of a database branch. */
export interface GitBranches {
  /** Whether a name may be that of an existing git branch; `rests` is what the pattern's wildcards stand for in it. */
  has(name: string, rests: string[]): boolean;
}

const prefix = branchNameFromRef('x').slice(0, -1);

/**
 * Names are not taken apart: each git branch is turned into every name that could have been made from it. Other tools write
 * refs in other ways, so a name that differs only in case or punctuation counts as the same.
 */
export function gitBranches(refs: string[]): GitBranches {
  const namesOf = (ref: string) => [branchNameFromRef(`refs/heads/${ref}`), formerBranchName(ref)];
  const names = new Set(refs.flatMap(namesOf));
  const withoutPrefix = new Set([...refs, ...[...names].map((name) => name.slice(prefix.length))]);
  const slugs = new Set(refs.map(slug));
  return {
    has: (name, rests) => names.has(name) || rests.some((rest) => withoutPrefix.has(rest) || slugs.has(slug(rest))),
  };
}

function slug(ref: string): string {
  return ref
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');
}
