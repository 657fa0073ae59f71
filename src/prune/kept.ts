import type { Log } from '../runner/log.ts';
import type { Branch } from '../service/types.ts';
import { count, duration } from '../text/format.ts';
import { show } from '../text/inert.ts';

/** Why a branch is kept. */
export interface Keep {
  /** For the branch itself: `pull request #7 is open`. */
  why: string;
  /** For several branches: `the pull request is open`. */
  kind: string;
}

export interface KeptBranch extends Keep {
  branch: Branch;
}

/** Branches that get a line of their own. */
const maxNamed = 50;

export const keep = {
  isDefault: { why: 'it is the default branch', kind: 'it is the default branch' },
  isProtected: { why: 'it is protected', kind: 'it is protected' },
  excluded: { why: 'it matches `exclude_pattern`', kind: 'it matches `exclude_pattern`' },
  noRepository: {
    why: 'its metadata names a pull request or git ref, but no repository',
    kind: 'the metadata names a pull request or git ref, but no repository',
  },
  isTag: { why: 'its name refers to a tag, and tags are not looked up', kind: 'the name refers to a tag' },
  /** `change` as in `was renamed to "x"`. */
  changed: (change: string) => ({ why: `it ${change} in the meantime`, kind: 'it was changed in the meantime' }),
  isParent: { why: 'it is the parent of the new branch', kind: 'it is the parent of the new branch' },
  open: (number: number) => ({ why: `pull request #${number} is open`, kind: 'the pull request is open' }),
  /** `pullRequest` as in `#7`. */
  unread: (pullRequest: string) => ({
    why: `the state of ${pullRequest} could not be read`,
    kind: 'the state of the pull request could not be read',
  }),
  openHead: (number: number, ref: string) => ({
    why: `pull request #${number} with the same head ref (${show(ref)}) is open`,
    kind: 'another pull request with the same head ref is open',
  }),
  unreadHead: (ref: string) => ({
    why: `the pull requests of git ref ${show(ref)} could not be read`,
    kind: 'the pull requests of the git ref could not be read',
  }),
  closedLately: (number: number) => ({
    why: `pull request #${number} has been closed for less than \`closed_for\``,
    kind: 'the pull request has been closed for less than `closed_for`',
  }),
  /** `olderThan` as in `14d`. */
  notOlder: (olderThan: string) => ({
    why: `it is not older than ${olderThan}`,
    kind: `it is not older than ${olderThan}`,
  }),
  unknownAge: { why: 'its age is unknown', kind: 'the age is unknown' },
  noPullRequest: { why: 'its metadata names no pull request', kind: 'the metadata names no pull request' },
  gitBranch: (ref: string) => ({ why: `git branch ${show(ref)} exists`, kind: 'the git branch exists' }),
  slow: {
    why: 'its pull request could not be checked again right before the deletion',
    kind: 'the pull request could not be checked again right before the deletion',
  },
  unreadGitBranch: { why: 'git branches could not be read', kind: 'git branches could not be read' },
  noReference: {
    why: 'its name refers to no pull request or git branch',
    kind: 'the name refers to no pull request or git branch',
  },
  used: (sinceMs: number) => ({
    why: `its compute was last active ${duration(sinceMs)} ago`,
    kind: 'the compute has been active within `unused_for`',
  }),
  /** A branch without compute. */
  unusedSince: (sinceMs: number) => ({
    why: `it has no compute, and was created or reset ${duration(sinceMs)} ago`,
    kind: 'the branch has no compute, and was created or reset within `unused_for`',
  }),
  unknownUse: { why: 'its last activity is unknown', kind: 'the last activity is unknown' },
} satisfies Record<string, Keep | ((...of: never[]) => Keep)>;

/** Logs why each branch is kept; beyond `maxNamed`, how many are kept for each reason. */
export function logKept(log: Pick<Log, 'info'>, kept: KeptBranch[]): void {
  for (const { branch, why } of kept.slice(0, maxNamed)) {
    log.info(`Kept branch ${show(branch.name)} (${branch.id}): ${why}`);
  }
  const rest = kept.slice(maxNamed);
  if (rest.length === 0) return;
  const kinds = [...Map.groupBy(rest, ({ kind }) => kind)].sort(([, a], [, b]) => b.length - a.length);
  const reasons = kinds.map(([kind, { length }]) => `${length} because ${kind}`);
  log.info(`Kept ${count(rest.length, 'more branch')}: ${reasons.join(', ')}`);
}
