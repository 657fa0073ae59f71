import { ownerKeys } from '../branch/metadata.ts';
import { describeOwner } from '../branch/owner.ts';
import { type Context, projectOf } from '../context.ts';
import type { Clock } from '../http/clock.ts';
import { isNotFoundOrGone } from '../http/errors.ts';
import type { RetryWindow } from '../http/request.ts';
import { lookUpEffect } from '../http/retry.ts';
import { type FoundBranch, getBranch, nameAndId } from '../service/branches.ts';
import { KeptError, RenamedError } from '../service/errors.ts';
import type { About, Change, Doing } from '../service/project.ts';
import { branchWindow, changeWindow } from '../service/propagation-window.ts';
import type { Branch } from '../service/types.ts';
import { show } from '../text/inert.ts';

/** For how long a branch counts as unchanged after it was read, in milliseconds. */
export const freshMs = 2_000;
/** How often a branch is read for one attempt of a change, if the service takes longer than that to respond. */
const mostReads = 3;

/**
 * What is known of a branch: as it was seen, when by both clocks (`date` is the service's, `readAt` the runner's), and until when another
 * read may lag behind. It changes the branch only as long as it is the one that was seen; what `check` reads anew, only `now` returns.
 */
export interface Sighting extends About, FoundBranch {
  /** Whether this step has created it. */
  readonly created: boolean;
  /** Its children; undefined if they were not read, or too long ago. */
  readonly children?: Branch[];
  readonly window: RetryWindow | undefined;
  /** A shorter window, for requests whose error may just as well be final: only a 422 is retried, for a few seconds. */
  readonly shortWindow: RetryWindow | undefined;
  /** The same sighting, with what is known of the branch by now. Changes still require that it is the one that was seen first. */
  with(branch: Branch): Sighting;
  /** The branch as it was last read after it was seen: again if that was too long ago. Undefined if it was not read again, or is gone. */
  now(): Promise<Branch | undefined>;
  /** Sends a change. Before each attempt, it makes sure that the branch is still the one that was seen. */
  change<T>(change: Change<T>): Promise<T>;
  /** Throws if the branch is no longer the one that was seen. `mayHaveActed`: a change may take effect yet. */
  check(doing: Doing, mayHaveActed?: boolean): Promise<void>;
}

const infinitives: Record<Doing, string> = {
  deleted: 'delete it',
  reset: 'reset it',
  'given an expiry': 'set its expiry',
  changed: 'change it',
};

/** A branch that has been read, or with `created`, that this step has just created. */
export function sight(context: Context, found: FoundBranch, { created = false } = {}): Sighting {
  const project = projectOf(context);
  const { api } = project;
  const { clock } = api;
  const first = found.branch;
  const window = branchWindow({ ...found, clock, created });
  const windowNow = () => (window && clock.now() < window.until ? window : undefined);
  const reading = reader(context, found, windowNow);

  const about = (branch: Branch): Sighting => ({
    ...project,
    branch,
    created,
    date: found.date,
    readAt: found.readAt,
    get children() {
      return isFresh(found.readAt, clock) ? found.children : undefined;
    },
    get window() {
      return windowNow();
    },
    get shortWindow() {
      return changeWindow(windowNow(), clock);
    },
    with(now) {
      reading.saw(now);
      return about(now);
    },
    now: reading.now,
    async check(doing, mayHaveActed = false) {
      const what = whatChanged(first, await reading.now(), { strict: doing !== 'changed' });
      if (what === undefined) return;
      const outcome = mayHaveActed
        ? `so the request to ${infinitives[doing]} was not sent again. An earlier attempt got no response, and may still take effect.`
        : `so it was not ${doing}.`;
      const message = `Branch ${nameAndId(first)} ${what.change}, ${outcome}`;
      const change = { why: what.change, mayHaveActed };
      throw what.renamed ? new RenamedError(message, change) : new KeptError(message, change);
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

/** Whether what was requested then still counts as true. */
function isFresh(readAt: number, clock: Clock): boolean {
  return clock.now() - readAt < freshMs;
}

/**
 * Reads a branch that was read before again if that was too long ago. If the service is slow, the last of a few reads counts. `now` is as in
 * `Sighting`: if the branch is gone, the change itself reports that, and can do no harm. `saw` is told of any other read.
 */
function reader(
  context: Context,
  { branch, ...found }: Pick<FoundBranch, 'branch' | 'readAt'>,
  windowNow: () => RetryWindow | undefined,
): Pick<Sighting, 'now'> & { saw: (branch: Branch) => void } {
  const project = projectOf(context);
  const { clock } = project.api;
  let { readAt } = found;
  let latest: Branch | undefined;
  return {
    async now() {
      for (let reads = 0; reads < mostReads && !isFresh(readAt, clock); reads++) {
        const window = changeWindow(windowNow(), clock);
        readAt = clock.now();
        try {
          latest = (await getBranch({ ...project, branchId: branch.id, window })).branch;
        } catch (error) {
          if (!isNotFoundOrGone(error)) throw error;
          latest = undefined;
          break;
        }
      }
      return latest;
    },
    saw(now) {
      latest = now;
    },
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
