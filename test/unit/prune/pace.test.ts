import { describe, expect, it } from 'vitest';
import { createPace, forEachLimited } from '../../../src/prune/pace.ts';
import { FakeClock } from '../../support/clock.ts';

describe('the pace', () => {
  it('lets a burst through at once and the rest at an even rate', async () => {
    const clock = new FakeClock();
    const start = clock.now();
    const pace = createPace({ burst: 3, perSecond: 4, clock, signal: new AbortController().signal });
    const times: number[] = [];
    for (let i = 0; i < 6; i++) {
      await pace();
      times.push(clock.now() - start);
    }
    expect(times).toEqual([0, 0, 0, 250, 500, 750]);
    clock.pass(60_000);
    await pace();
    expect(clock.now() - start).toBe(60_750);
  });
});

describe('forEachLimited', () => {
  it('processes at most `limit` items at once, and each one once', async () => {
    let now = 0;
    let most = 0;
    const done: number[] = [];
    await forEachLimited([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
      most = Math.max(most, ++now);
      await new Promise((resolve) => setImmediate(resolve));
      now--;
      done.push(item);
    });
    expect(most).toBe(3);
    expect(done.sort()).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it('starts nothing more after an error, and throws it', async () => {
    const begun: number[] = [];
    const work = forEachLimited([1, 2, 3, 4, 5, 6], 2, async (item) => {
      begun.push(item);
      await new Promise((resolve) => setImmediate(resolve));
      if (item === 2) throw new Error('two');
    });
    await expect(work).rejects.toThrow('two');
    expect(begun.length).toBeLessThan(5);
  });
});
