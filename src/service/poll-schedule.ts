/** How long something may take: durations in milliseconds, ascending, each as likely as the next. */
export type Forecast = readonly number[];

/** Runs that a forecast goes by: enough to show two modes, few enough to follow a service that becomes slower or faster. */
const mostRuns = 16;
/** The most durations in a forecast: enough to describe a sequence. */
const mostDurations = 48;
/** The most operations that are planned at once. Later ones have polls of their own; planning thousands would take longer than they do. */
const mostPlanned = 16;
/** How far a run's duration may be from the only known one, as a share of that. With more known runs, the share shrinks. */
const scatter = 0.2;

/** The forecast after earlier runs, newest first, in milliseconds; undefined if there were none. */
export function forecastFrom(runs: number[]): Forecast | undefined {
  const known = runs.filter((ms) => ms > 0).slice(0, mostRuns);
  if (known.length === 0) return undefined;
  const width = scatter / Math.sqrt(known.length);
  return known.flatMap((ms) => [ms * (1 - width), ms, ms * (1 + width)]).sort(ascending);
}

/** The forecast for things that happen one after another. */
export function inSequence(forecasts: Forecast[]): Forecast {
  return forecasts.reduce((all, next) => thinned(all.flatMap((one) => next.map((other) => one + other))));
}

/** The duration that a forecast stays below with this probability, from 0 to 1. */
export function quantile(forecast: Forecast, share: number): number {
  const at = share * forecast.length - 0.5;
  const below = Math.max(0, Math.min(forecast.length - 1, Math.floor(at)));
  const low = forecast[below] ?? 0;
  const high = forecast[Math.min(forecast.length - 1, below + 1)] ?? low;
  return low + (high - low) * Math.max(0, Math.min(1, at - below));
}

function thinned(durations: number[]): Forecast {
  const sorted = durations.sort(ascending);
  if (sorted.length <= mostDurations) return sorted;
  return Array.from({ length: mostDurations }, (_, index) => quantile(sorted, (index + 0.5) / mostDurations));
}

function ascending(one: number, other: number): number {
  return one - other;
}

/** What is known when the next poll is planned. Durations are in milliseconds. */
export interface Progress {
  /** Of everything that has not ended yet, in sequence; undefined for something of which no earlier run is known. */
  forecasts: readonly (Forecast | undefined)[];
  /** How many have ended before them. */
  ended: number;
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
/** Bounds of a delay without a forecast. */
const blindMs = { shortest: 40, longest: 3_000 };
/**
 * Without a forecast, delays grow by half at first, and later by twice this each time: 15 polls in 10 s for one thing alone. In a sequence,
 * the end of an operation before the last only matters because the delays start over after it, so these get few of the polls.
 */
const blindStepMs = { alone: 60, followed: 150, last: 35 };
/** The shortest delay after a rate limit; it doubles with each further one. */
const limitedMs = { first: 1_000, longest: 15_000 };

/**
 * The delay before the next poll, in milliseconds. It follows the plan in which lateness and polls together cost least: sparse where
 * an end is unlikely, dense where it is likely, and backing off once it takes longer than ever before. `random`: from 0 to 1.
 */
export function nextPollMs(progress: Progress, random: () => number): number {
  const { elapsedMs, rateLimits } = progress;
  const forecasts = progress.forecasts.slice(0, mostPlanned);
  const known = forecasts.filter((one) => one !== undefined);
  const isKnown = known.length > 0 && known.length === forecasts.length;
  const delay = isKnown
    ? within(aimedMs, aim({ forecast: inSequence(known), elapsedMs, random }))
    : within(blindMs, blindDelay(progress));
  const polite = rateLimits === 0 ? 0 : Math.min(limitedMs.longest, limitedMs.first * 2 ** (rateLimits - 1));
  return Math.max(polite, delay);
}

function blindDelay({ forecasts, ended, elapsedMs }: Progress): number {
  const step = blindStepMs[forecasts.length > 1 ? 'followed' : ended > 0 ? 'last' : 'alone'];
  const elapsed = Math.max(0, elapsedMs);
  return Math.min(elapsed / 2, 2 * Math.sqrt(step * elapsed)) + Math.min(step, blindStepMs.alone);
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
  // Past the forecast, each delay is as long as the end already is late: steps that queue up poll less and less often.
  if (ahead.length < 2) return elapsedMs - last;
  const cost = pollCostMs.least + (pollCostMs.most - pollCostMs.least) * random();
  return firstPoll(ahead, cost) - elapsedMs;
}

/**
 * The first poll of the cheapest plan for these possible ends, ascending and each as likely as the next: every poll that is sent costs
 * `cost`, and every end that passes costs the time until the next poll.
 */
function firstPoll(ends: number[], cost: number): number {
  const count = ends.length;
  /** By possible end, the cost of the cheapest plan if none of the earlier ones was the actual end: the sum over the ends that are left. */
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
