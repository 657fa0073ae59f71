import { type Context, projectOf } from '../context.ts';
import { isNotFoundOrGone } from '../http/errors.ts';
import { lookUpEffect } from '../http/retry.ts';
import { type FoundBranch, getBranch, nameAndId } from '../service/branches.ts';
import { BranchGoneError, RefusedError } from '../service/errors.ts';
import type { About, Change, Doing } from '../service/project.ts';
import { branchWindow, changeWindow, type PropagationWindow } from '../service/propagation-window.ts';
import type { Branch } from '../service/types.ts';
import { show } from '../text/inert.ts';
import { describeOwner, ownerKeys } from './owner.ts';

/** For how long a branch counts as unchanged after it was read, in milliseconds. */
const freshMs = 2_000;

/**
 * What is known of a branch: as it was read, when by the service's clock, and until when another read may lag behind. It changes the
 * branch only as long as it is the one that was seen.
 */
export interface Sighting extends About, FoundBranch {
  readonly window: PropagationWindow | undefined;
  /** A shorter window, for requests whose error may just as well be final: only a 422 is retried, for a few seconds. */
  readonly shortWindow: PropagationWindow | undefined;
  /** The same sighting, with what is known of the branch by now. Changes still require that it is the one that was seen first. */
  with(branch: Branch): Sighting;
  /** Sends a change. Before each attempt, it makes sure that the branch is still the one that was seen. */
  change<T>(change: Change<T>): Promise<T>;
  /** Throws if the branch is no longer the one that was seen, if that was too long ago. `mayHaveActed`: a change may take effect yet. */
  check(doing: Doing, mayHaveActed?: boolean): Promise<void>;
}

/** A branch that has just been read, or with `created`, that this step has just created. */
export function sight(context: Context, found: FoundBranch, { created = false } = {}): Sighting {
  const project = projectOf(context);
  const { api } = project;
  const { clock } = api;
  const first = found.branch;
  const window = branchWindow({ ...found, clock, created });
  const windowNow = () => (window && clock.now() < window.until ? window : undefined);
  const readAgain = reader(context, found, windowNow);

  const about = (branch: Branch): Sighting => ({
    ...project,
    branch,
    date: found.date,
    children: found.children,
    get window() {
      return windowNow();
    },
    get shortWindow() {
      return changeWindow(windowNow(), clock);
    },
    with: about,
    async check(doing, mayHaveActed = false) {
      const what = whatChanged(first, await readAgain(), { strict: doing !== 'changed' });
      if (what === undefined) return;
      const then = mayHaveActed ? ' An earlier attempt got no response, and may still take effect.' : '';
      const message = `Branch ${nameAndId(first)} ${what.change}, so it was not ${doing}.${then}`;
      throw what.renamed ? new BranchGoneError(message) : new RefusedError(message);
    },
    async change({ doing, happened, refusals, ...spec }) {
      const { value } = await api.request({
        ...spec,
        window: spec.recover ? undefined : changeWindow(windowNow(), clock),
        beforeAttempt: async (mayHaveActed) => {
          const instead = await spec.beforeAttempt?.(mayHaveActed);
          if (instead) return instead;
          // One that is looked up after a lost response is only sent again if it has not acted.
          await seen.check(doing, mayHaveActed && !happened);
          return undefined;
        },
        recover: happened ? lookUpEffect(happened, { refusals }) : spec.recover,
      });
      return value;
    },
  });
  const seen = about(first);
  return seen;
}

/**
 * The check of the branch that `parent_branch` names, if any, before each attempt: it must still have that name. A step that gives its ID
 * means this branch, whatever its name is.
 */
export function checkParent(context: Context, parent: Branch | undefined): () => Promise<void> {
  if (parent === undefined || parent.id === context.inputs.parent_branch) return async () => {};
  const readAgain = reader(context, { branch: parent, date: undefined }, () => undefined);
  return async () => {
    const now = await readAgain();
    if (now === undefined || now.name === parent.name) return;
    throw new RefusedError(
      `Branch ${nameAndId(parent)} (\`parent_branch\`) was renamed to ${show(now.name)} in the meantime, so it was not used as the parent. Run the step again.`,
    );
  };
}

/**
 * Reads a branch that has just been read again if that was too long ago. Returns it as it was read last; undefined if it was not read
 * again, or is gone: then the change itself reports that, and can do no harm.
 */
function reader(
  context: Context,
  { branch }: FoundBranch,
  windowNow: () => PropagationWindow | undefined,
): () => Promise<Branch | undefined> {
  const project = projectOf(context);
  const { clock } = project.api;
  let readAt = clock.now();
  let latest: Branch | undefined;
  return async () => {
    const now = clock.now();
    if (now - readAt < freshMs) return latest;
    const window = changeWindow(windowNow(), clock);
    try {
      latest = (await getBranch({ ...project, branchId: branch.id, window })).branch;
    } catch (error) {
      if (!isNotFoundOrGone(error)) throw error;
      latest = undefined;
    }
    readAt = now;
    return latest;
  };
}

/**
 * What has happened to a branch since it was read, if it must not be changed then: `was renamed to "x" in the meantime`. Without `strict`, a branch may
 * be protected, and may get its first metadata: the response to a create has none.
 */
export function whatChanged(
  before: Branch,
  now: Branch | undefined,
  { strict = true } = {},
): { change: string; renamed?: true } | undefined {
  if (now === undefined) return undefined;
  if (now.name !== before.name) return { change: `was renamed to ${show(now.name)} in the meantime`, renamed: true };
  if (now.default && !before.default) return { change: "became the project's default branch in the meantime" };
  if (now.protected && !before.protected && strict) return { change: 'was protected in the meantime' };
  // Metadata that is missing says nothing about the owner.
  const isOther = (key: string) =>
    now.metadata[key] && now.metadata[key] !== before.metadata[key] && (strict || before.metadata[key]);
  if (!ownerKeys.some(isOther)) return undefined;
  const verb = ownerKeys.some((key) => before.metadata[key]) ? 'reassigned' : 'assigned';
  return { change: `was ${verb} to ${describeOwner(now)} in the meantime (see its metadata)` };
}

/** A branch as it is now. One that was asked for by name and has been renamed is no longer the one that was asked for. */
export function sameBranch(context: Context, before: Branch, now: Branch): Branch {
  const { inputs, command } = context;
  // Without a branch in its inputs, `wait` uses the ID in the operations.
  const byName = inputs.branch_name !== undefined || (inputs.branch_id === undefined && command !== 'wait');
  if (!byName || now.name === before.name) return now;
  throw new BranchGoneError(`Branch ${nameAndId(before)} was renamed to ${show(now.name)} in the meantime`);
}
