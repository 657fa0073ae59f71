import { describe, expect, it } from 'vitest';
import { createPace, type Limit, deletionLimits as pruneLimits } from '../../../src/prune/carry-out.ts';
import { FakeClock } from '../../../tools/clock.ts';

/** When each of so many requests may be sent, in milliseconds, if each is sent as soon as it may be. */
async function timesOf(count: number, limits: Limit[]): Promise<number[]> {
  const clock = new FakeClock();
  const start = clock.now();
  const pace = createPace({ limits, clock, signal: new AbortController().signal });
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    await pace();
    times.push(clock.now() - start);
  }
  return times;
}

describe('the pace', () => {
  const limits = [
    { count: 3, ms: 1_000 },
    { count: 5, ms: 60_000 },
  ];

  it('lets requests through as soon as all limits allow it', async () => {
    expect(await timesOf(9, limits)).toEqual([0, 0, 0, 1_000, 1_000, 60_000, 60_000, 60_000, 61_000]);
  });

  it('reserves a time for each of several requests at once', async () => {
    const clock = new FakeClock();
    const pace = createPace({ limits, clock, signal: new AbortController().signal });
    await Promise.all(Array.from({ length: 5 }, () => pace()));
    expect(clock.pauses).toEqual([1_000, 1_000]);
  });

  it('lets as many through again after a while', async () => {
    const clock = new FakeClock();
    const pace = createPace({ limits, clock, signal: new AbortController().signal });
    for (let i = 0; i < 3; i++) await pace();
    clock.pass(60_000);
    for (let i = 0; i < 3; i++) await pace();
    expect(clock.pauses).toEqual([]);
  });

  it('of a prune takes at most 1.2 times as long as the limits of the service themselves', async () => {
    const ours = await timesOf(600, pruneLimits);
    const service = await timesOf(600, [
      { count: 40, ms: 1_000 },
      { count: 700, ms: 60_000 },
    ]);
    // And one window of a second more, because both go in steps.
    const slow = ours.filter((ms, index) => ms > 1.2 * (service[index] ?? 0) + 1_000);
    expect(slow).toEqual([]);
  });
});
