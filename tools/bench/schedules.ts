import { firstPollMs, forecastFrom, nextPollMs } from '../../src/service/poll-schedule.ts';

/** One wait for operations that run one after another. Durations are in milliseconds. */
export interface Wait {
  durations: number[];
  /** Of each operation: how long earlier runs took, newest first. */
  history: number[][];
  roundTripMs: number;
  /** From 0 to 1. */
  random: () => number;
}

export interface Waited {
  /** From the end of the last operation until the client knows, less one round trip. */
  lateMs: number;
  polls: number;
}

/** Plays a schedule: `delayMs` returns the delay before each poll; `ended` is how many operations the one before has found ended. */
function play(wait: Wait, delayMs: (poll: { polls: number; ended: number; nowMs: number }) => number): Waited {
  const { durations, roundTripMs } = wait;
  const total = sum(durations);
  // The client knows of the start half a round trip later.
  let nowMs = roundTripMs / 2;
  let ended = 0;
  for (let polls = 1; ; polls++) {
    nowMs += delayMs({ polls, ended, nowMs }) + roundTripMs;
    const seenAt = nowMs - roundTripMs / 2;
    ended = durations.findIndex((_, index) => sum(durations.slice(0, index + 1)) > seenAt);
    if (ended === -1) return { lateMs: nowMs - total - roundTripMs, polls };
  }
}

/** The schedule of the action: by the project's list of operations, and by how long earlier runs took. */
export function predicted(wait: Wait): Waited {
  const { durations, history, roundTripMs, random } = wait;
  const forecasts = history.map(forecastFrom);
  return play(wait, ({ polls, ended, nowMs }) => {
    if (polls === 1) return firstPollMs;
    const began = sum(durations.slice(0, ended)) + roundTripMs / 2;
    const elapsedMs = nowMs - began + roundTripMs;
    return nextPollMs({ forecasts: forecasts.slice(ended), ended, elapsedMs, rateLimits: 0 }, random);
  });
}

/** The schedule before: by operation, with pauses that grow by half, and start again with each operation. */
export function growing(wait: Wait): Waited {
  return oneByOne(wait, (nth) => Math.min(3_000, 100 * 1.5 ** nth));
}

/** A plain loop that polls each operation once a second. */
function everySecond(wait: Wait): Waited {
  return oneByOne(wait, () => 1_000);
}

/** A schedule that polls each operation by itself, so that the end of one is all that a poll can find. */
function oneByOne(wait: Wait, pauseMs: (nth: number) => number): Waited {
  const { durations, roundTripMs } = wait;
  let nowMs = roundTripMs / 2;
  let polls = 0;
  let end = 0;
  for (const duration of durations) {
    end += duration;
    let seenAt = 0;
    for (let nth = 0; seenAt < end; nth++) {
      nowMs += pauseMs(nth) + roundTripMs;
      seenAt = nowMs - roundTripMs / 2;
      polls++;
    }
  }
  return { lateMs: nowMs - end - roundTripMs, polls };
}

export const schedules = { predicted, growing, 'every second': everySecond };
export type ScheduleName = keyof typeof schedules;

function sum(all: number[]): number {
  return all.reduce((total, one) => total + one, 0);
}
