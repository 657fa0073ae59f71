import { describe, expect, it } from 'vitest';
import { forEachLimited } from '../../../src/http/concurrent.ts';

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
