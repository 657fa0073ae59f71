import { branchNameFromRef } from '../text/branch-name.ts';

export function pullRequestNumber(text: string): number | undefined {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}

/** The pull requests that a name is about: that of `preview/pr-7` or `preview/pr-7-login`, but not of `preview/expr-7` or `pr-7/api`. */
export function mentionsIn(name: string): number[] {
  const found = [...name.matchAll(/(?<![A-Za-z0-9])pr-(\d+)(?=-|$)/gi)];
  return found.flatMap(([, digits = '']) => pullRequestNumber(digits) ?? []);
}

/** The numbers in a name that end a word of theirs: `41` in `e2e/41` and `pull41`, and not those of a hash. */
export function numberWordsIn(name: string): number[] {
  const found = name.match(/(?<![a-z\d])[a-z]*\d+(?![a-z\d])/gi) ?? [];
  return found.flatMap((word) => numbersIn(word));
}

/**
 * The numbers in a name. Other tools write `pr_7`, `PR7`, `pull/7` or just `7`, so each may be a pull request's.
 */
export function numbersIn(name: string): number[] {
  const found = name.match(/\d+/g) ?? [];
  return found.flatMap((digits) => pullRequestNumber(digits.replace(/^0+/, '')) ?? []);
}

/** The git branches that exist, and those of open pull requests, to be looked up by the name of a database branch. */
export interface GitBranches {
  /** The git branch whose name one of these texts has, together with all of `covered`; undefined if there is none. */
  find(texts: string[], covered: string): string | undefined;
}

/**
 * Each git branch is turned into what a name could have been made from it, and any run of words of a name may be that. For `preview/fix-*`,
 * `preview/fix-login` may be about `login`, `fix-login` and `preview/fix-login`. Other tools write refs in other ways, so case, punctuation and
 * accents don't matter.
 */
export function gitBranches(refs: string[]): GitBranches {
  const formsOf = (ref: string) => {
    const full = `refs/heads/${ref}`;
    const ascii = ref.replace(/[^ -~]+/g, '-');
    // `feature/支付` is not `feature`.
    const keepsAll = ascii.split('/').every((part) => /\w/.test(part));
    return [ref, full, keepsAll ? ascii : ref, branchNameFromRef(full)];
  };
  // In numbers, punctuation matters: `1.48.2` is not 1482.
  const keyOf = (form: string) => (/\p{L}/u.test(form) ? form.replaceAll('-', '') : form);
  const all = new Map(refs.flatMap((ref) => formsOf(ref).map((form) => [keyOf(words(form)), ref])));
  return {
    find(texts, covered) {
      const needed = words(covered);
      const runs = texts.flatMap((text) => runsOf(words(text))).filter((run) => run.includes(needed));
      const found = runs.find((run) => all.has(keyOf(run)));
      return found && all.get(keyOf(found));
    },
  };
}

/** Each run of the words of `-a-b-`: `-a-b-`, `-a-`, `-b-`. */
function runsOf(all: string): string[] {
  const dashes = [...all.matchAll(/-/g)].map(({ index }) => index);
  return dashes.flatMap((from) =>
    dashes
      .filter((to) => to > from)
      .map((to) => all.slice(from, to + 1))
      .reverse(),
  );
}

/** The words of a text in lower case, a dash before and after each. */
function words(text: string): string {
  const found =
    text
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return found.length === 0 ? '' : `-${found.join('-')}-`;
}
