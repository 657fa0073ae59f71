import { expect, it } from 'vitest';
import { deadlineIn, noDeadline } from '../../../src/http/deadline.ts';
import { FakeClock } from '../../support/clock.ts';

const { signal } = new AbortController();

it('says how much time is left', () => {
  const clock = new FakeClock();
  const deadline = deadlineIn(5_000, { signal, clock });
  expect(deadline.signal).toBe(signal);
  expect(deadline.remainingMs()).toBe(5_000);
  clock.pass(4_000);
  expect(deadline.remainingMs()).toBe(1_000);
  clock.pass(4_000);
  expect(deadline.remainingMs()).toBe(0);
  expect(noDeadline(signal)).toMatchObject({ signal });
  expect(noDeadline(signal).remainingMs()).toBe(Number.POSITIVE_INFINITY);
});
