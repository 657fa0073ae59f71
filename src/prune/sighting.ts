import { ownerKeys } from '../branch/metadata.ts';
import { describeOwner } from '../branch/owner.ts';
import { type Context, projectOf } from '../context.ts';
import { isNotFoundOrGone } from '../http/errors.ts';
import type { RequestSpec } from '../http/request.ts';
import { type FoundBranch, getBranch, nameAndId } from '../service/branches.ts';
import { RefusedError } from '../service/errors.ts';
import type { About } from '../service/project.ts';
import type { Branch } from '../service/types.ts';
import { show } from '../text/inert.ts';

/** For how long a branch counts as unchanged after it was read, in milliseconds. */
export const freshMs = 2_000;
/** How often a branch is read for one attempt of a change, if the service takes longer than that to respond. */
const mostReads = 3;

/** What is known of a branch: as it was seen, and when. It is deleted only as long as it is the one that was seen. */
export interface Sighting extends About {
  /** The branch as it was last read after it was seen: again if that was too long ago. Undefined if it was not read again, or is gone. */
  now(): Promise<Branch | undefined>;
  /** Sends a delete. Before each attempt, it makes sure that the branch is still the one that was seen. */
  change<T>(change: RequestSpec<T>): Promise<T>;
}

export function sight(context: Context, found: FoundBranch): Sighting {
  const project = projectOf(context);
  const { api } = project;
  const { branch } = found;
  let { readAt } = found;
  let latest: Branch | undefined;
  /** If the branch is gone, the delete itself reports that. */
  const now = async () => {
    for (let reads = 0; reads < mostReads && api.clock.now() - readAt >= freshMs; reads++) {
      readAt = api.clock.now();
      try {
        latest = (await getBranch({ ...project, branchId: branch.id })).branch;
      } catch (error) {
        if (!isNotFoundOrGone(error)) throw error;
        latest = undefined;
        break;
      }
    }
    return latest;
  };
  return {
    ...project,
    branch,
    now,
    async change(spec) {
      const { value } = await api.request({
        ...spec,
        beforeAttempt: async (mayHaveActed) => {
          const instead = await spec.beforeAttempt?.(mayHaveActed);
          if (instead) return instead;
          const what = whatChanged(branch, await now());
          if (what === undefined) return undefined;
          const outcome = mayHaveActed
            ? 'so the request to delete it was not sent again. An earlier attempt got no response, and may still take effect.'
            : 'so it was not deleted.';
          throw new RefusedError(`Branch ${nameAndId(branch)} ${what.change}, ${outcome}`);
        },
      });
      return value;
    },
  };
}

/**
 * What has happened to a branch since it was read, if it must not be changed then: `was renamed to "x" in the meantime`.
 */
export function whatChanged(before: Branch, now: Branch | undefined): { change: string } | undefined {
  if (now === undefined) return undefined;
  if (now.name !== before.name) return { change: `was renamed to ${show(now.name)} in the meantime` };
  if (now.default && !before.default) return { change: "became the project's default branch in the meantime" };
  if (now.protected && !before.protected) return { change: 'was protected in the meantime' };
  // Metadata that is missing says nothing about the owner.
  const isOther = (key: string) => now.metadata[key] && now.metadata[key] !== before.metadata[key];
  if (!ownerKeys.some(isOther)) return undefined;
  const verb = ownerKeys.some((key) => before.metadata[key]) ? 'reassigned' : 'assigned';
  return { change: `was ${verb} to ${describeOwner(now)} in the meantime (see its metadata)` };
}
