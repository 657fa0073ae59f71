import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { deadlineIn, systemClock } from '../../../src/http/clock.ts';
import { FakeClock } from '../../../tools/clock.ts';

afterEach(() => vi.restoreAllMocks());

it('starts from the system time, and keeps running evenly if that is changed', () => {
  const hour = 3_600_000;
  const before = Date.now();
  expect(Math.abs(systemClock.now() - before)).toBeLessThan(hour);
  expect(Number.isInteger(systemClock.now())).toBe(true);
  vi.spyOn(Date, 'now').mockReturnValue(before + 5 * hour);
  expect(systemClock.now()).toBeLessThan(before + hour);
});

describe('a delay', () => {
  it('passes, with or without a signal', async () => {
    const before = systemClock.now();
    await systemClock.sleep(5);
    await systemClock.sleep(5, new AbortController().signal);
    // Timers may be early by part of a millisecond.
    expect(systemClock.now() - before).toBeGreaterThan(7);
  });

  it('ends with the reason of the signal', async () => {
    const controller = new AbortController();
    const reason = new Error('over');
    const slept = systemClock.sleep(3_600_000, controller.signal);
    await delay(1);
    controller.abort(reason);
    await expect(slept).rejects.toBe(reason);
    await expect(systemClock.sleep(3_600_000, controller.signal)).rejects.toBe(reason);
  });
});

it('says how much time is left', () => {
  const { signal } = new AbortController();
  const clock = new FakeClock();
  const deadline = deadlineIn(5_000, { signal, clock });
  expect(deadline.signal).toBe(signal);
  expect(deadline.remainingMs()).toBe(5_000);
  clock.pass(4_000);
  expect(deadline.remainingMs()).toBe(1_000);
  clock.pass(4_000);
  expect(deadline.remainingMs()).toBe(0);
  expect(deadlineIn(Number.POSITIVE_INFINITY, { signal, clock }).remainingMs()).toBe(Number.POSITIVE_INFINITY);
});
