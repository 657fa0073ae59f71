import type { Log } from '../runner/log.ts';
import type { Branch } from '../service/types.ts';
import { count, duration } from '../text/format.ts';
import { oneLine, show } from '../text/inert.ts';

/** Why a branch is kept. */
export interface Keep {
  /** As a clause: `pull request #7 is open`. */
  why: string;
}

export interface KeptBranch extends Keep {
  branch: Branch;
}

export const keep = {
  isDefault: { why: 'it is the default branch' },
  isProtected: { why: 'it is protected' },
  unknownProtection: {
    why: 'the list of branches does not say whether it is the default branch or protected',
  },
  excluded: { why: 'it matches `exclude_pattern`' },
  /** `name` as in `octo/api`, or empty; `own` is the repository that prunes, which may have the same name. */
  otherRepository: (name: string, id: string, own: { repository: string; repositoryId: string }) => ({
    why:
      name === ''
        ? `it belongs to the repository with ID ${oneLine(id, 100)}`
        : name.toLowerCase() === own.repository.toLowerCase()
          ? `it belongs to another repository called ${show(name)} (ID ${oneLine(id, 100)}, not ${oneLine(own.repositoryId, 100)})`
          : `it belongs to repository ${show(name)}`,
  }),
  /** `owner` as in `pull request #7 of octo/api`, or empty. */
  unlistedOwner: (owner: string) => ({
    why: `its metadata, which was missing from the list of branches, points to ${owner || 'no repository'}`,
  }),
  noMetadata: { why: 'its metadata points to no repository, and `branch_pattern` does not match its name' },
  noRepository: {
    why: 'it has metadata, which points to no repository',
  },
  isTag: { why: 'its name refers to a tag, and tags are not looked up' },
  /** `change` as in `was renamed to "x" in the meantime`. */
  changed: (change: string) => ({ why: `it ${change}` }),
  newChild: (name: string) => ({ why: `it now has a child branch (${show(name)})` }),
  isParent: { why: 'it is the parent of the new branch' },
  open: (number: number) => ({ why: `pull request #${number} is open` }),
  /** `pullRequest` as in `#7`. */
  unread: (pullRequest: string) => ({
    why: `the state of ${pullRequest} could not be read`,
  }),
  openHead: (number: number, ref: string) => ({
    why: `pull request #${number} with the same head ref (${show(ref)}) is open`,
  }),
  unreadHead: (ref: string) => ({
    why: `the pull requests of git ref ${show(ref)} could not be read`,
  }),
  closedLately: (number: number) => ({
    why: `pull request #${number} has been closed for less than \`closed_for\``,
  }),
  /** `olderThan` as in `14d`. */
  notOlder: (olderThan: string) => ({
    why: `it is not older than ${olderThan}`,
  }),
  unknownAge: { why: 'its age is unknown' },
  noPullRequest: { why: 'its metadata points to no pull request' },
  running: (runId: string) => ({ why: `workflow run ${runId}, which uses it for a rehearsal, has not ended` }),
  unreadRun: (runId: string | undefined) => ({
    why: `it is a rehearsal that has not expired, and ${runId === undefined ? 'its workflow run is unknown' : `the state of workflow run ${runId} could not be read`}`,
  }),
  gitBranch: (ref: string) => ({ why: `git branch ${show(ref)} exists` }),
  slow: {
    why: 'its pull request could not be checked again right before the deletion',
  },
  unreadGitBranch: { why: 'git branches could not be read' },
  noReference: {
    why: 'its name refers to no pull request or git branch',
  },
  used: (sinceMs: number) => ({
    why: `its compute was last active ${duration(sinceMs)} ago`,
  }),
  /** A branch without compute. */
  unusedSince: (sinceMs: number) => ({
    why: `it has no compute, and was created or reset ${duration(sinceMs)} ago`,
  }),
  unknownUse: { why: 'its last activity is unknown' },
} satisfies Record<string, Keep | ((...of: never[]) => Keep)>;

/** Logs why each branch is kept, in a group that folds. */
export function logKept(log: Pick<Log, 'group'>, kept: KeptBranch[]): void {
  if (kept.length === 0) return;
  const lines = kept.map(({ branch, why }) => `Kept branch ${show(branch.name)} (${branch.id}): ${why}`);
  log.group(`Kept ${count(kept.length, 'branch')}`, lines);
}
