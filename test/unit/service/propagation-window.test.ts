import { describe, expect, it } from 'vitest';
import { branchWindow, changeWindow, unknownWindow } from '../../../src/service/propagation-window.ts';
import { FakeClock } from '../../../tools/clock.ts';

const hour = 3_600_000;
const created_at = '2026-03-04T05:06:07Z';
const created = Date.parse(created_at);

describe('the propagation window of a branch', () => {
  const windowAt = (now: number, options: { date?: number; created?: boolean } = {}) =>
    branchWindow({ branch: { created_at }, clock: new FakeClock(now), ...options });

  it('is open for 15 s from when the branch was read', () => {
    expect(windowAt(created + 14_999)).toEqual({ statuses: [404, 422], until: created + 14_999 + 15_000 });
    expect(windowAt(created + 15_000)).toBeUndefined();
  });

  it.each([
    ['is new', 5_000, true],
    ['was stamped a moment after the response', -1_000, true],
    ['was stamped long after it, so that one of the clocks is wrong', -1_001, false],
    ['is old', 60_000, false],
  ])("uses the service's clock if the response has a date: the branch %s", (_, age, isOpen) => {
    // The runner's clock may be an hour fast or slow.
    for (const runner of [created + hour, created - hour])
      expect(windowAt(runner, { date: created + age })?.until).toBe(isOpen ? runner + 15_000 : undefined);
  });

  it('is open for a branch that this run has created, whatever the clocks say', () => {
    expect(windowAt(created + hour, { created: true })?.until).toBe(created + hour + 15_000);
  });
});

describe('the propagation window for changes', () => {
  it('is shorter, and covers only branches that are not ready', () => {
    const clock = new FakeClock(created);
    const of = (ms: number) => changeWindow({ statuses: [404, 422], until: created + ms }, clock);
    expect(of(15_000)).toEqual({ statuses: [422], until: created + 5_000 });
    expect(of(2_000)).toEqual({ statuses: [422], until: created + 2_000 });
    expect(changeWindow(undefined, clock)).toBeUndefined();
  });
});

it('can be opened for anything that may be unknown', () => {
  expect(unknownWindow(3_000, new FakeClock(created))).toEqual({ statuses: [404], until: created + 3_000 });
});
