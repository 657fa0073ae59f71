import { ambiguousBranchName, branchNameFromRef, prefix } from '../text/branch-name.ts';
import type { Glob } from '../text/glob.ts';

/** A pull request's number in a name or in metadata; undefined if it can't be one. */
export function pullRequestNumber(text: string | undefined): number | undefined {
  // GraphQL's integers have 32 bits.
  const number = /^[1-9]\d{0,9}$/.test(text ?? '') ? Number(text) : 0;
  return number > 0 && number < 2 ** 31 ? number : undefined;
}

interface Mention {
  /** The number as it is written; it may be one that no pull request can have. */
  digits: string;
  /** Whether the name has it as `pr-<n>` at the end, or as `pr-<n>-`. */
  exact: boolean;
}

/**
 * The pull requests that a name mentions: `preview/pr-7` and `preview/pr-7-login` do, `preview/expr-7` does not. `preview/pr-7/api`
 * may be something else (not exact), but it is kept as long as that pull request is open.
 */
export function mentionsIn(name: string): Mention[] {
  return [...name.matchAll(/(?<![A-Za-z0-9])pr-(\d+)(?![A-Za-z0-9])/gi)].map(({ 0: all, 1: digits = '', index }) => ({
    digits,
    exact: /^(-|$)/.test(name.slice(index + all.length)),
  }));
}

/**
 * The digits of the numbers in a name. Other tools write `pr_7`, `PR7`, `pull/7` or just `7`, so each may be a pull request's, except in the
 * hash at the end of a name that the action made.
 */
export function numbersIn(name: string): string[] {
  return name.replace(/-(?=\d*[a-f])[\da-f]{8}$/, '').match(/\d+/g) ?? [];
}

/** The git branches that exist, to be looked up by the name of a database branch. */
export interface GitBranches {
  /** Whether a name may be that of an existing git branch; `refs` are the refs that the name may contain. */
  has(name: string, refs: string[]): boolean;
}

/**
 * Names are not taken apart: each git branch is turned into every name that could have been made from it. Other tools write
 * refs in other ways, so a name that differs only in case, punctuation or Unicode form counts as the same.
 */
export function gitBranches(refs: string[]): GitBranches {
  const forms = refs.flatMap((ref) => [ref.normalize('NFC'), ref.normalize('NFD'), ref]);
  const names = new Set(forms.flatMap((ref) => [branchNameFromRef(`refs/heads/${ref}`), ambiguousBranchName(ref)]));
  const withoutPrefix = new Set([...names].map((name) => name.slice(prefix.length)));
  const slugs = new Set(forms.flatMap((ref) => [slug(ref), asciiSlug(ref)]));
  const isRef = (ref: string) => withoutPrefix.has(ref) || slugs.has(slug(ref));
  return { has: (name, rests) => names.has(name) || rests.some(isRef) };
}

/**
 * The refs that a name may contain, by the pattern that it matches: what the wildcards stand for comes first, then that with more
 * words of the pattern. For `preview/fix-*` and `preview/fix-login` they are `login`, `preview/fix-login` and `fix-login`.
 */
export function refsIn(name: string, pattern: Glob): string[] {
  const rest = pattern.rest(name) ?? '';
  const start = name.lastIndexOf(rest);
  const words = [...name.matchAll(/(?<![\p{L}\p{N}])[\p{L}\p{N}]/gu)].map(({ index }) => index);
  const longer = words
    .filter((word) => word <= start)
    .flatMap((word) => [name.slice(word, start + rest.length), name.slice(word)]);
  return [...new Set([rest, ...longer])].filter((ref) => ref !== '');
}

function slug(ref: string): string {
  const words = ref
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-');
  return trimDashes(words);
}

/** A slug without the letters that many tools leave out. */
function asciiSlug(ref: string): string {
  return trimDashes(ref.toLowerCase().replace(/[^a-z0-9]+/g, '-'));
}

function trimDashes(words: string): string {
  return words.replace(/^-|-$/g, '');
}
