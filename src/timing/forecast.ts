/** How long something may take: durations in milliseconds, ascending, each as likely as the next. */
export type Forecast = readonly number[];

/** Runs that a forecast goes by: enough to show two modes, few enough to follow a service that becomes slower or faster. */
const mostRuns = 16;
/** The most durations in a forecast: enough to describe a sequence. */
const mostDurations = 48;
/** How far runs scatter around one that was seen, as a share of it, if it is the only one. The more are known, the less it matters. */
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
