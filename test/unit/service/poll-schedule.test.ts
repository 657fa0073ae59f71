import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forecastFrom, inSequence, nextPollMs, quantile } from '../../../src/service/poll-schedule.ts';

const duration = fc.double({ min: 1, max: 600_000, noNaN: true });
const runs = fc.array(duration, { minLength: 1, maxLength: 30 });
const share = fc.double({ min: 0, max: 1, noNaN: true });

describe('a forecast', () => {
  it('is ascending, and around the runs that it was made from', () => {
    fc.assert(
      fc.property(runs, (known) => {
        const forecast = forecastFrom(known) ?? [];
        expect(forecast).toEqual([...forecast].sort((one, other) => one - other));
        expect(forecast[0]).toBeGreaterThanOrEqual(Math.min(...known) * 0.8 - 1e-9);
        expect(forecast.at(-1)).toBeLessThanOrEqual(Math.max(...known) * 1.2 + 1e-9);
      }),
    );
  });

  it('needs at least one run that took any time', () => {
    expect(forecastFrom([])).toBeUndefined();
    expect(forecastFrom([0, -1])).toBeUndefined();
  });

  it('goes by the newest runs', () => {
    const forecast = forecastFrom([...Array(20).fill(100), ...Array(80).fill(9_000)]) ?? [];
    expect(forecast.at(-1)).toBeLessThan(200);
  });

  it('of a sequence is the sum, and stays small', () => {
    fc.assert(
      fc.property(fc.array(runs, { minLength: 1, maxLength: 5 }), (all) => {
        const forecasts = all.map((one) => forecastFrom(one) ?? []);
        const total = inSequence(forecasts);
        const sum = (at: number) => forecasts.reduce((ms, one) => ms + (one.at(at) ?? 0), 0);
        expect(total.length).toBeLessThanOrEqual(48);
        expect(total[0]).toBeGreaterThanOrEqual(sum(0) * 0.999);
        expect(total.at(-1)).toBeLessThanOrEqual(sum(-1) * 1.001);
      }),
    );
  });

  it('has quantiles between its ends', () => {
    fc.assert(
      fc.property(runs, share, (known, at) => {
        const forecast = forecastFrom(known) ?? [];
        const value = quantile(forecast, at);
        expect(value).toBeGreaterThanOrEqual(forecast[0] ?? 0);
        expect(value).toBeLessThanOrEqual(forecast.at(-1) ?? 0);
      }),
    );
  });
});

describe('the next poll', () => {
  const situation = fc.record({
    forecasts: fc.array(
      fc.option(runs, { nil: undefined }).map((one) => one && forecastFrom(one)),
      { minLength: 1, maxLength: 4 },
    ),
    ended: fc.nat(3),
    elapsedMs: fc.double({ min: 0, max: 3_600_000, noNaN: true }),
    rateLimits: fc.nat(20),
  });

  it('comes after 40 ms at the earliest, and after 6 s at the latest, except after a rate limit', () => {
    fc.assert(
      fc.property(situation, share, (now, random) => {
        const delay = nextPollMs(now, () => random);
        expect(delay).toBeGreaterThanOrEqual(now.rateLimits > 0 ? 1_000 : 40);
        expect(delay).toBeLessThanOrEqual(now.rateLimits > 0 ? 15_000 : 6_000);
      }),
    );
  });

  it('comes no sooner after more rate limits', () => {
    fc.assert(
      fc.property(situation, share, (now, random) => {
        const more = { ...now, rateLimits: now.rateLimits + 1 };
        expect(nextPollMs(more, () => random)).toBeGreaterThanOrEqual(nextPollMs(now, () => random));
      }),
    );
  });

  const delayAt = (elapsedMs: number, forecasts: (number[] | undefined)[], random = 0.5) =>
    nextPollMs({ forecasts, ended: 0, elapsedMs, rateLimits: 0 }, () => random);

  it('plans the first of many operations only, so that planning takes less time than they do', () => {
    const forecast = [...(forecastFrom([900, 1_000, 1_100]) ?? [])];
    const started = performance.now();
    const delay = delayAt(100, Array(20_000).fill(forecast));
    expect(performance.now() - started).toBeLessThan(1_000);
    expect(delay).toBe(delayAt(100, Array(16).fill(forecast)));
    expect(delay).toBe(delayAt(100, [...Array(16).fill(forecast), undefined]));
  });

  it('aims between the earliest and the latest end that is likely', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 800, max: 1_200 }), { minLength: 10, maxLength: 10 }),
        share,
        (known, at) => {
          const forecast = forecastFrom(known) ?? [];
          const aim = 100 + delayAt(100, [[...forecast]], at);
          expect(aim).toBeGreaterThanOrEqual(forecast[0] ?? 0);
          expect(aim).toBeLessThanOrEqual(forecast.at(-1) ?? 0);
        },
      ),
    );
  });

  it('skips the time between two modes', () => {
    const forecast = [...Array(8).fill(500), ...Array(8).fill(4_000)];
    expect(delayAt(100, [forecast])).toBeLessThan(450);
    expect(510 + delayAt(510, [forecast])).toBeGreaterThan(3_900);
  });

  it('aims at the end of a sequence, not at its first part', () => {
    expect(
      delayAt(100, [
        [1_000, 1_010],
        [2_000, 2_010],
      ]),
    ).toBeGreaterThan(2_800);
  });

  it('backs off once it takes longer than ever before', () => {
    const forecast = [900, 1_000, 1_100];
    const delays = [1_300, 1_600, 2_500, 5_000, 60_000].map((elapsed) => delayAt(elapsed, [forecast]));
    expect(delays).toEqual([...delays].sort((one, other) => one - other));
    expect(delays[0]).toBeLessThan(250);
    expect(delays.at(-1)).toBe(6_000);
  });

  it('does not wait for a forecast if one part of the sequence has none', () => {
    expect(delayAt(100, [[60_000], undefined])).toBeLessThan(300);
  });

  it('comes at most 15 times in the first 10 s without any forecast', () => {
    let polls = 1;
    for (let now = 100; now < 10_000; polls++) now += delayAt(now, [undefined]);
    expect(polls).toBeGreaterThan(10);
    expect(polls).toBeLessThanOrEqual(15);
  });

  it('saves polls for the last of a sequence without any forecast', () => {
    const at = (forecasts: undefined[], ended: number) =>
      nextPollMs({ forecasts, ended, elapsedMs: 2_000, rateLimits: 0 }, () => 0.5);
    const alone = at([undefined], 0);
    expect(at([undefined, undefined], 0)).toBeGreaterThan(1.3 * alone);
    expect(at([undefined], 1)).toBeLessThan(0.8 * alone);
  });
});
