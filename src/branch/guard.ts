import { unlessNotFound } from '../http/errors.ts';
import { findWithChildren, getBranch, nameAndId, saysWhetherProtected } from '../service/branches.ts';
import { RefusedError } from '../service/errors.ts';
import type { Branch } from '../service/types.ts';
import { listSome } from '../text/format.ts';
import { show } from '../text/inert.ts';
import type { BranchStep } from './step.ts';
import type { Found } from './target.ts';

/** How old a reading may be when a request that ends something is sent, in milliseconds. */
export const freshMs = 10_000;
/** How often a branch is read for one attempt, if the service takes longer than that to respond. */
const mostReads = 3;

/**
 * For `beforeAttempt` of a request that deletes or resets a branch: makes sure that the branch was read at most ten seconds before it is sent, also if
 * it is sent again, and that this reading allows it. A branch that is gone by then is left to the request.
 */
export function guarded(
  step: Pick<BranchStep, 'api'>,
  found: Found,
  options: {
    doing: 'deleted' | 'reset';
    /** Whether the branch may have children, because its old state is kept for them. */
    keepsChildren?: boolean;
    /** Throws if the branch is not the one that was meant. */
    check: (branch: Branch) => void;
  },
): () => Promise<void> {
  const { clock } = step.api;
  const { branch } = found;
  let reading = found;
  return async () => {
    for (let reads = 0; !isFresh(reading); reads++) {
      if (reads === mostReads) {
        throw new RefusedError(
          `Branch ${nameAndId(branch)} was not ${options.doing}, because the service takes too long to say what it is now. Run the step again.`,
        );
      }
      const is = ({ id }: Branch) => id === branch.id;
      const now =
        (await findWithChildren({ ...found, is, goal: `read branch ${show(branch.name)} again` })) ??
        // A list may not have a new branch yet.
        (await unlessNotFound(getBranch({ ...found, branchId: branch.id })));
      if (!now) return;
      reading = { ...found, children: [], ...now };
    }
    checkGuards(reading, options);
    options.check(reading.branch);
  };

  function isFresh({ readAt, children }: Found): boolean {
    return children !== undefined && clock.now() - readAt <= freshMs;
  }
}

/** Refuses what must never be deleted or reset. */
export function checkGuards(
  { branch, children = [] }: Pick<Found, 'branch' | 'children'>,
  { doing, keepsChildren = false }: { doing: 'deleted' | 'reset'; keepsChildren?: boolean },
): void {
  const what = branch.default ? "the project's default branch" : branch.protected ? 'a protected branch' : undefined;
  if (what !== undefined) {
    const next = branch.default
      ? 'Use another branch, or first make another one the default'
      : 'If you are sure, remove its protection';
    throw new RefusedError(
      `Branch ${nameAndId(branch)} is ${what} and is never ${doing}. Nothing was changed. ${next} in the service's console.`,
    );
  }
  if (!saysWhetherProtected(branch)) {
    throw new RefusedError(
      `The service does not say whether branch ${nameAndId(branch)} is the project's default branch or protected, so it was not ${doing}. Use the service's console instead.`,
    );
  }
  if (children.length === 0 || keepsChildren) return;
  const next =
    doing === 'reset' ? 'To reset it, keep its old state for them: set `preserve_under_name`.' : 'Delete them first.';
  throw new RefusedError(`${describeChildren({ branch, children })}, so it was not ${doing}. ${next}`);
}

/** `Branch "x" (br-…) has a child branch: "y" (br-…)`. */
export function describeChildren({ branch, children = [] }: Pick<Found, 'branch' | 'children'>): string {
  const have = children.length === 1 ? 'has a child branch' : 'has child branches';
  return `Branch ${nameAndId(branch)} ${have} (${listSome(children.map(nameAndId), 5)})`;
}
