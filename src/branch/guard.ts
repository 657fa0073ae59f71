import { unlessNotFound } from '../http/errors.ts';
import { type Found, findWithChildren, getBranch, nameAndId } from '../service/branches.ts';
import { RefusedError } from '../service/errors.ts';
import type { Branch } from '../service/types.ts';
import { listSome } from '../text/format.ts';
import { show } from '../text/inert.ts';

/** How old a reading may be when a request that ends something is sent, in milliseconds. */
export const freshMs = 10_000;

interface Options {
  doing: 'deleted' | 'reset';
  /** Whether the branch may have children, because its old state is kept for them. */
  keepsChildren?: boolean;
}

/** A branch was not deleted or reset because of its children. */
export class ChildrenError extends RefusedError {}

/** Throws if a branch is not the one that was meant, or must stay. It may ask elsewhere. */
export type Check = (branch: Branch) => void | Promise<void>;

/**
 * For `beforeAttempt` of a request that deletes or resets a branch: makes sure that the branch was read at most ten seconds before it is sent, also if
 * it is sent again, and that this reading passes `check` and the guards. A branch that is gone by then is left to the request.
 */
export function guarded(found: Found, options: Options & { check: Check }): () => Promise<void> {
  const { clock } = found.api;
  const { branch } = found;
  const isFresh = ({ readAt, children }: Found) => children !== undefined && clock.now() - readAt <= freshMs;
  let reading = found;
  let checked: Found | undefined;
  return async () => {
    // A reading that is too old once its check has ended is followed by another one.
    while (reading !== checked || !isFresh(reading)) {
      if (!isFresh(reading)) {
        const is = ({ id }: Branch) => id === branch.id;
        const now =
          (await findWithChildren({ ...found, is, goal: `read branch ${show(branch.name)} again` })) ??
          // A list may not have a new branch yet.
          (await unlessNotFound(getBranch(found)));
        if (!now) return;
        reading = { children: [], ...now };
      }
      if (!isFresh(reading)) {
        throw new RefusedError(
          `Branch ${nameAndId(branch)} was not ${options.doing}, because the service takes too long to say what it is now. Run the step again.`,
        );
      }
      await options.check(reading.branch);
      checkGuards(reading, options);
      checked = reading;
    }
  };
}

export function checkGuards({ branch, children = [] }: Found, { doing, keepsChildren = false }: Options): void {
  const why = whyProtected(branch);
  if (why !== undefined) {
    throw new RefusedError(
      `Branch ${nameAndId(branch)} was not ${doing}, because ${why}. Use another branch, or change that in the service's console.`,
    );
  }
  if (children.length === 0 || keepsChildren) return;
  const next = doing === 'reset' ? 'To keep its old state for them, set `preserve_under_name`.' : 'Delete them first.';
  const have = children.length === 1 ? 'has a child branch' : 'has child branches';
  const which = `${have} (${listSome(children.map(nameAndId), 5)})`;
  throw new ChildrenError(`Branch ${nameAndId(branch)} ${which}, so it was not ${doing}. ${next}`);
}

/** Why a branch is never deleted or reset, as a clause; undefined if it may be. */
export function whyProtected(branch: Branch): string | undefined {
  if (branch.default) return 'it is the default branch';
  if (branch.protected) return 'it is protected';
  const isSaid = branch.default === false && branch.protected === false;
  return isSaid ? undefined : 'the service does not say whether it is the default branch or protected';
}
