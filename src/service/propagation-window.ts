import type { Clock } from '../http/clock.ts';
import type { RetryWindow } from '../http/request.ts';

/**
 * How long each propagation window is, in milliseconds: the seconds after a change in which parts of the service may not know it yet. Seen
 * on the public service, with a margin.
 */
export const propagationMs = {
  /** Reads of a branch after its create. They fail with 404 (unknown) or 422 (not ready). */
  branch: 15_000,
  /** Changes of a branch after its create. Shorter than reads, because a 422 may also be a permanent error. */
  change: 5_000,
  /** A branch asked for by its ID, of which nobody knows how old it is: another job may have created it a moment ago. */
  branchId: 3_000,
  /** An operation right after the response that named it. */
  operation: 10_000,
  /** An operation in the project's list of operations. */
  listedOperation: 5_000,
  /** The URL of Auth or of the Data API: a 404 usually means that the feature is off. Other reads have found the branch by then. */
  feature: 300,
  /** An object of any kind on a new branch: its 404 or 422 may also be final. */
  object: 5_000,
  /** A create that was interrupted before its response, or a reset whose response timed out: the service may still act on it. */
  lostCreate: 30_000,
} as const;

/** The precision of the `Date` header and of the times in responses, in milliseconds. */
export const dateGrainMs = 1_000;
/** A service may stamp a branch a moment later than its own `Date` header, in milliseconds. */
const stampSlackMs = 1_000;

/** The window for reads of a branch, or undefined if the branch is old enough to be known everywhere. */
export function branchWindow(options: {
  branch: { created_at: string };
  clock: Clock;
  /** The service's clock when it returned the branch, in milliseconds since the epoch: a runner's clock may be minutes off. */
  date?: number;
  /** Whether this run has created the branch, so that its age need not be looked at. */
  created?: boolean;
}): RetryWindow | undefined {
  const { branch, clock, date, created = false } = options;
  const now = clock.now();
  const age = (date ?? now) - Date.parse(branch.created_at);
  const isNew = created || (age >= -stampSlackMs && age < propagationMs.branch);
  return isNew ? { statuses: [404, 422], until: now + propagationMs.branch } : undefined;
}

/** The part of a branch's window that holds for changes. */
export function changeWindow(window: RetryWindow | undefined, clock: Clock): RetryWindow | undefined {
  return window && { statuses: [422], until: Math.min(window.until, clock.now() + propagationMs.change) };
}

/** The window for something that may be unknown (404) for `ms` from now. */
export function unknownWindow(ms: number, clock: Clock): RetryWindow {
  return { statuses: [404], until: clock.now() + ms };
}
