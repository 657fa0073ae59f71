import { percentile } from './figures.ts';
import { type ScheduleName, schedules, type Wait } from './schedules.ts';

/** How long a run takes whose usual duration is `ms`; `age` counts back from the newest run, 0. */
type Distribution = (options: { ms: number; age: number; random: () => number }) => number;

const around = (ms: number, share: number, random: () => number) => ms * (1 + share * (2 * random() - 1));

export const distributions: Record<string, Distribution> = {
  'scattered by 20%': ({ ms, random }) => around(ms, 0.2, random),
  steady: ({ ms, random }) => around(ms, 0.03, random),
  'two modes': ({ ms, random }) => around(random() < 0.5 ? ms : 2.5 * ms, 0.1, random),
  'slower and slower': ({ ms, age, random }) => around(ms * (1 - 0.03 * age), 0.1, random),
  'one in 20 slow': ({ ms, random }) => around(random() < 0.05 ? 5 * ms : ms, 0.1, random),
};

export interface Simulated {
  distribution: string;
  /** Usual duration of both operations together, in seconds. */
  seconds: number;
  /** Earlier runs that are known. */
  runs: number;
  schedules: Record<ScheduleName, { meanLateMs: number; lateMs90: number; meanPolls: number; polls90: number }>;
}

const roundTripMs = 40;

/**
 * Waits for two operations one after another, many times, with each schedule. `share`: the first operation's share of the time, from 0 to 1.
 * The same seed gives the same figures.
 */
export function simulate(options: {
  distribution: string;
  seconds: number;
  runs: number;
  waits: number;
  share?: number;
}): Simulated {
  const { distribution, seconds, runs, waits, share = 0.5 } = options;
  const random = seeded(7);
  const duration = distributions[distribution];
  if (!duration) throw new Error(`there is no distribution ${distribution}`);
  const usualMs = [share, 1 - share].map((part) => seconds * 1_000 * part);
  const situations = Array.from({ length: waits }, (): Wait => {
    const history = usualMs.map((ms) =>
      Array.from({ length: runs }, (_, index) => duration({ ms, age: index + 1, random })),
    );
    return { durations: usualMs.map((ms) => duration({ ms, age: 0, random })), history, roundTripMs, random };
  });
  const figures = (name: ScheduleName) => {
    const all = situations.map((wait) => schedules[name](wait));
    const late = all.map(({ lateMs }) => lateMs);
    const polls = all.map((one) => one.polls);
    return {
      meanLateMs: mean(late),
      lateMs90: percentile(late, 0.9),
      meanPolls: mean(polls),
      polls90: percentile(polls, 0.9),
    };
  };
  const names = Object.keys(schedules) as ScheduleName[];
  const entries = names.map((name) => [name, figures(name)]);
  return { distribution, seconds, runs, schedules: Object.fromEntries(entries) };
}

/** Requests of many steps that begin at once, and wait for two operations that queue: each takes as long as all before it, too. */
export function crowd(options: { steps: number; seconds: number }): Record<ScheduleName, number> {
  const { steps, seconds } = options;
  const random = seeded(11);
  const ms = (seconds * 1_000) / 2;
  const count = (name: ScheduleName) => {
    let polls = 0;
    for (let place = 0; place < steps; place++) {
      const durations = [0, 1].map(() => around(ms * (1 + place / 4), 0.2, random));
      const history = [0, 1].map(() => Array.from({ length: 10 }, () => around(ms, 0.2, random)));
      polls += schedules[name]({ durations, history, roundTripMs, random }).polls;
    }
    return polls;
  };
  return { predicted: count('predicted'), growing: count('growing'), 'every second': count('every second') };
}

/** A small generator of numbers from 0 to 1. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function mean(values: number[]): number {
  return values.reduce((total, one) => total + one, 0) / values.length;
}
