import { type Context, projectOf } from '../context.ts';
import { ApiError } from '../http/errors.ts';
import { getBranch, nameAndId } from '../service/branches.ts';
import { RefusedError } from '../service/errors.ts';
import type { Project } from '../service/project.ts';
import { branchWindow, changeWindow, type PropagationWindow } from '../service/propagation-window.ts';
import type { Branch } from '../service/types.ts';
import { show } from '../text/inert.ts';
import { describeOwner, ownerKeys } from './owner.ts';
import { BranchGoneError } from './ready.ts';

/** For how long a branch counts as unchanged after it was read, in milliseconds. */
const freshMs = 2_000;

/**
 * The `beforeAttempt` of a change that may be retried for minutes, or is sent a while after its checks. If `branch`, which has just
 * been read, was read too long ago, it is read again; the attempt is only made if it still is what the checks were about.
 */
export function checkUnchanged(options: {
  project: Project;
  branch: Branch;
  /** The service's clock when the branch was read, in milliseconds since the epoch; undefined if unknown. */
  date: number | undefined;
  doing: 'deleted' | 'reset' | 'given an expiry' | 'changed';
}): (mayHaveActed: boolean) => Promise<void> {
  const { branch, doing } = options;
  const readIfOld = reader(options);
  return async (mayHaveActed) => {
    const what = whatChanged(branch, await readIfOld(), { strict: doing !== 'changed' });
    if (what === undefined) return undefined;
    const then = mayHaveActed ? ' An earlier attempt got no response, and may still take effect.' : '';
    const message = `Branch ${nameAndId(branch)} ${what.change} in the meantime, so it was not ${doing}.${then}`;
    throw what.renamed ? new BranchGoneError(message) : new RefusedError(message);
  };
}

/**
 * The same for the branch that `parent_branch` names, if any: the attempt is only made if it still has that name. A step that
 * gives its ID means this branch, whatever its name is.
 */
export function checkParent(context: Context, parent: Branch | undefined): () => Promise<void> {
  if (parent === undefined || parent.id === context.inputs.parent_branch) return async () => {};
  const readIfOld = reader({ project: projectOf(context), branch: parent, date: undefined });
  return async () => {
    const now = await readIfOld();
    if (now === undefined || now.name === parent.name) return;
    throw new RefusedError(
      `Branch ${nameAndId(parent)} (\`parent_branch\`) was renamed to ${show(now.name)} in the meantime, so it was not used as the parent. Run the step again.`,
    );
  };
}

/** Reads a branch that has just been read again if that was too long ago; undefined if it was not, or if the branch is gone. */
function reader(options: {
  project: Project;
  branch: Branch;
  date: number | undefined;
}): () => Promise<Branch | undefined> {
  const { project, branch, date } = options;
  const { clock } = project.api;
  const window = changeWindow(branchWindow({ branch, clock, date }), clock);
  let readAt = clock.now();
  return async () => {
    const now = clock.now();
    if (now - readAt < freshMs) return undefined;
    const read = await readIfAny({ project, branch, window });
    readAt = now;
    return read;
  };
}

/** The branch as it is now. Undefined if it is gone: then the change itself reports that, and can do no harm. */
async function readIfAny(options: {
  project: Project;
  branch: Branch;
  window: PropagationWindow | undefined;
}): Promise<Branch | undefined> {
  const { project, branch, window } = options;
  try {
    return (await getBranch({ ...project, branchId: branch.id, window })).branch;
  } catch (error) {
    if (error instanceof ApiError && (error.status === 404 || error.status === 410)) return undefined;
    throw error;
  }
}

/**
 * What has happened to a branch since it was read, if it must not be changed then: `was renamed to "x"`. Without `strict`, a branch may
 * be protected, and may get its first metadata: the response to a create has none.
 */
export function whatChanged(
  before: Branch,
  now: Branch | undefined,
  { strict = true } = {},
): { change: string; renamed?: true } | undefined {
  if (now === undefined) return undefined;
  if (now.name !== before.name) return { change: `was renamed to ${show(now.name)}`, renamed: true };
  if (now.default && !before.default) return { change: "became the project's default branch" };
  if (now.protected && !before.protected && strict) return { change: 'was protected' };
  // Metadata that is missing says nothing about the owner.
  const isOther = (key: string) =>
    now.metadata[key] && now.metadata[key] !== before.metadata[key] && (strict || before.metadata[key]);
  return ownerKeys.some(isOther) ? { change: `was assigned to ${describeOwner(now)} by its metadata` } : undefined;
}
