import { describe, expect, it } from 'vitest';
import { createPatience } from '../../../src/service/operations.ts';

const start = Date.parse('2026-03-04T05:06:07Z');
const at = (seconds: number) => new Date(start + seconds * 1_000).toISOString();

/** What a poll shows, this many seconds after the start. */
interface Poll {
  at: number;
  status?: string;
  failures?: number;
  retryAt?: string;
}

/** After how many seconds a failure counts as final; undefined if it never does. */
function finalAfter(polls: Poll[]): number | undefined {
  const hasFailed = createPatience(start);
  return polls.find(({ at: seconds, status = 'failed', failures = 1, retryAt }) =>
    hasFailed(
      { status, failures_count: failures, ...(retryAt === undefined ? {} : { retry_at: retryAt }) },
      start + seconds * 1_000,
    ),
  )?.at;
}

const every = (seconds: number[], poll: Omit<Poll, 'at'> = {}) => seconds.map((one) => ({ at: one, ...poll }));

describe('a failed operation', () => {
  it('has failed for good 30 s after it was first seen', () => {
    expect(finalAfter(every([5, 20, 34.9, 35]))).toBe(35);
  });

  it('has not failed for good while it runs', () => {
    expect(finalAfter(every([0, 60, 120], { status: 'running' }))).toBeUndefined();
    expect(finalAfter([...every([0, 60], { status: 'running' }), { at: 89 }])).toBeUndefined();
  });

  it('gets as much time again if it ran in between', () => {
    expect(finalAfter([{ at: 0 }, { at: 20, status: 'running' }, ...every([29, 31, 58, 59])])).toBe(59);
  });

  it('gets as much time again when its failures rise, but not when they fall', () => {
    expect(finalAfter([{ at: 0 }, { at: 20, failures: 2 }, ...every([30, 49, 50], { failures: 2 })])).toBe(50);
    expect(finalAfter([{ at: 0, failures: 3 }, { at: 20, failures: 2 }, { at: 25, failures: 3 }, { at: 30 }])).toBe(30);
  });

  it('gets as much time again when `retry_at` changes', () => {
    expect(finalAfter([{ at: 0 }, ...every([20, 30, 49, 50], { retryAt: at(1) })])).toBe(50);
    expect(finalAfter([{ at: 0, retryAt: at(1) }, ...every([20, 30, 50], { retryAt: at(2) })])).toBe(50);
  });

  it('gets 30 s after `retry_at`', () => {
    expect(finalAfter(every([0, 60, 129, 130], { retryAt: at(100) }))).toBe(130);
    expect(finalAfter(every([0, 29, 30], { retryAt: at(-100) }))).toBe(30);
    expect(finalAfter(every([0, 29, 30], { retryAt: 'soon' }))).toBe(30);
  });

  it('does not count a `retry_at` from before it failed', () => {
    const before = { at: 0, status: 'running', retryAt: at(500) };
    expect(finalAfter([before, ...every([10, 39, 40])])).toBe(40);
  });
});
