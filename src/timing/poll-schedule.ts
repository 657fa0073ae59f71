import { type Forecast, inSequence } from './forecast.ts';

/** What is known when the next poll is planned. Durations are in milliseconds. */
export interface Progress {
  /** Of everything that has not ended yet, in sequence; undefined for something of which no earlier run is known. */
  forecasts: readonly (Forecast | undefined)[];
  /** How long the first of them will have been running when a poll that is sent now arrives. */
  elapsedMs: number;
  /** How often this wait has met the rate limit. */
  rateLimits: number;
}

/** The first poll, which also brings the earlier runs, in milliseconds after the start. */
export const firstPollMs = 100;
/** What one poll costs, as milliseconds of lateness. Random within these bounds, so that steps that began together drift apart. */
const pollCostMs = { least: 12, most: 24 };
/** Bounds of an aimed delay. The longest one is also how late the failure of a long operation is noticed. */
const aimedMs = { shortest: 40, longest: 6_000 };
/** Past the forecast, the next delay as a multiple of how late it already is: steps that queue up must not poll more than they used to. */
const overdueGrowth = 1;
/** Without a forecast. Delays grow by half at first, and later by twice the unit each time: 15 polls in 10 s. */
const blindMs = { unit: 60, shortest: 100, longest: 3_000 };
/** The shortest delay after a rate limit; it doubles with each further one. */
const limitedMs = { first: 1_000, longest: 15_000 };

/**
 * The delay before the next poll, in milliseconds. It follows the plan in which lateness and polls together cost least: sparse where
 * an end is unlikely, dense where it is likely, and backing off once it takes longer than ever before. `random`: from 0 to 1.
 */
export function nextPollMs(progress: Progress, random: () => number): number {
  const { forecasts, elapsedMs, rateLimits } = progress;
  const known = forecasts.filter((one) => one !== undefined);
  const isKnown = known.length > 0 && known.length === forecasts.length;
  const delay = isKnown
    ? within(aimedMs, aim({ forecast: inSequence(known), elapsedMs, random }))
    : within(blindMs, blindDelay(Math.max(0, elapsedMs)));
  const polite = rateLimits === 0 ? 0 : Math.min(limitedMs.longest, limitedMs.first * 2 ** (rateLimits - 1));
  return Math.max(polite, delay);
}

function blindDelay(elapsedMs: number): number {
  return Math.min(elapsedMs / 2, 2 * Math.sqrt(blindMs.unit * elapsedMs)) + blindMs.unit;
}

function within({ shortest, longest }: { shortest: number; longest: number }, ms: number): number {
  return Math.min(longest, Math.max(shortest, ms));
}

function aim(options: { forecast: Forecast; elapsedMs: number; random: () => number }): number {
  const { forecast, elapsedMs, random } = options;
  const last = forecast.at(-1) ?? 0;
  const spread = last - (forecast[0] ?? 0);
  // It may take longer than ever before.
  const ahead = [...forecast, last + 0.2 * spread, last + 0.5 * spread].filter((ms) => ms > elapsedMs);
  if (ahead.length < 2) return (elapsedMs - last) * overdueGrowth;
  const cost = pollCostMs.least + (pollCostMs.most - pollCostMs.least) * random();
  return firstPoll(ahead, cost) - elapsedMs;
}

/**
 * The first poll of the cheapest plan for these possible ends, ascending and each as likely as the next: every poll that is sent costs
 * `cost`, and every end that passes costs the time until the next poll.
 */
function firstPoll(ends: number[], cost: number): number {
  const count = ends.length;
  /** What the cheapest plan costs if the ends before this one have passed without being it, times the number of ends. */
  const cheapest = new Array<number>(count + 1).fill(0);
  let first = count - 1;
  for (let from = count - 1; from >= 0; from--) {
    let least = Number.POSITIVE_INFINITY;
    let lateness = 0;
    // A poll at `to` notices the ends from `from` to `to`.
    for (let to = from; to < count; to++) {
      lateness += (to - from) * ((ends[to] ?? 0) - (ends[to - 1] ?? 0));
      const total = lateness + cost * (count - from) + (cheapest[to + 1] ?? 0);
      if (total >= least) continue;
      least = total;
      first = to;
    }
    cheapest[from] = least;
  }
  return ends[first] ?? 0;
}
