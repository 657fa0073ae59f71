import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { count, duration, listSome, size } from '../../../src/text/format.ts';

describe('a duration', () => {
  it.each([
    [0, '0ms'],
    [999.4, '999ms'],
    [999.6, '1s'],
    [1_000, '1s'],
    [2_449, '2.4s'],
    [59_949, '59.9s'],
    [59_960, '1m'],
    [60_000, '1m'],
    [200_000, '3m 20s'],
    [3_599_600, '1h'],
    [3_600_000, '1h'],
    [86_400_000, '24h'],
    [14 * 86_400_000, '14d'],
    [14.5 * 86_400_000, '14d 12h'],
    [2 * 86_400_000 - 1, '2d'],
    [25 * 3_600_000, '25h'],
    [3_661_000, '1h 1m'],
    [50 * 3_600_000, '2d 2h'],
  ])('of %d ms is %s', (ms, text) => {
    expect(duration(ms)).toBe(text);
  });

  it('never shows 60s, 60m or 1000ms', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 40 * 86_400_000 }), (ms) => {
        expect(duration(ms)).not.toMatch(/\b(1000ms|60(\.\d)?s|60m|24h$.+)/);
      }),
    );
  });
});

describe('a size', () => {
  it.each([
    [0, '0 kB'],
    [40, '0 kB'],
    [8192, '8 kB'],
    [1024 ** 2 - 1, '1023 kB'],
    [1024 ** 2, '1 MB'],
    [1.96 * 1024 ** 2, '1.9 MB'],
    [31.5 * 1024 ** 2, '31 MB'],
    [11.9 * 1024 ** 3, '11 GB'],
    [2340 * 1024 ** 4, '2340 TB'],
  ])('of %d bytes is %s', (bytes, text) => {
    expect(size(bytes)).toBe(text);
  });
});

describe('a count', () => {
  it.each([
    [1, 'branch', '1 branch'],
    [2, 'branch', '2 branches'],
    [0, 'pull request', '0 pull requests'],
    [3, 'address', '3 addresses'],
    [3, 'index', '3 indexes'],
    [3, 'input', '3 inputs'],
    [2, 'check', '2 checks'],
  ])('of %d %s is %s', (number, noun, text) => {
    expect(count(number, noun)).toBe(text);
  });
});

describe('a list', () => {
  it.each([
    [[], ''],
    [['a'], 'a'],
    [['a', 'b'], 'a, b'],
    [['a', 'b', 'c'], 'a, b and 1 more'],
    [['a', 'b', 'c', 'd'], 'a, b and 2 more'],
  ])('of at most two of %j is "%s"', (items, text) => {
    expect(listSome(items, 2)).toBe(text);
  });

  it('can have another separator', () => {
    expect(listSome(['a', 'b'], 2, '; ')).toBe('a; b');
  });
});
