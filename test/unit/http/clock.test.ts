import { afterEach, expect, it, vi } from 'vitest';
import { systemClock } from '../../../src/http/clock.ts';

afterEach(() => vi.restoreAllMocks());

it('starts from the system time, and keeps running evenly if that is changed', () => {
  const hour = 3_600_000;
  const before = Date.now();
  expect(Math.abs(systemClock.now() - before)).toBeLessThan(hour);
  expect(Number.isInteger(systemClock.now())).toBe(true);
  vi.spyOn(Date, 'now').mockReturnValue(before + 5 * hour);
  expect(systemClock.now()).toBeLessThan(before + hour);
});
