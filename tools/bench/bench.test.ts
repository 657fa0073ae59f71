import { expect, it } from 'vitest';
import { bench } from './bench.ts';
import { plot } from './plot.ts';
import { crowd, simulate } from './simulation.ts';

const scattered = (seconds: number, runs = 10) =>
  simulate({ distribution: 'scattered by 20%', seconds, runs, waits: 300 });

// Only counts are compared: times say nothing on a machine that runs other tests.
it('steps send few requests, and few of them one after another', async () => {
  const { counts, start, late } = await bench({ runs: 1, seconds: [0.8] });
  expect(counts).toEqual([
    { step: 'create, `wait: false`', requests: 1, rounds: 1 },
    { step: 'create, branch exists', requests: 9, rounds: 3 },
    { step: 'get', requests: 7, rounds: 2 },
    { step: 'reset', requests: 9, rounds: 4 },
    { step: 'delete, by name', requests: 2, rounds: 2 },
    { step: 'delete, by ID', requests: 3, rounds: 2 },
  ]);
  expect(start).toHaveLength(1);
  expect(late[0]?.[0]?.polls).toBeLessThanOrEqual(12);
});

it.each([0.2, 0.4, 0.8, 1.7, 3.2])('operations of %d s need at most five polls on average', (seconds) => {
  const { predicted, growing } = scattered(seconds).schedules;
  expect(predicted.meanPolls).toBeLessThanOrEqual(5);
  expect(predicted.meanLateMs).toBeLessThan(60);
  expect(predicted.meanLateMs).toBeLessThan(growing.meanLateMs);
});

it('without earlier runs, the end of an operation of 1.7 to 10 s is noticed 300 ms late on average, with 10.6 polls', () => {
  const all = [1.7, 3.2, 5, 10].map((seconds) => scattered(seconds, 0).schedules.predicted);
  const mean = (values: number[]) => values.reduce((sum, one) => sum + one, 0) / values.length;
  expect(mean(all.map((one) => one.meanLateMs))).toBeLessThan(310);
  expect(mean(all.map((one) => one.meanPolls))).toBeLessThan(10.8);
});

it('a hundred steps at once send no more polls than with pauses that grow by half', () => {
  for (const seconds of [0.5, 2, 6]) {
    const { predicted, growing } = crowd({ steps: 100, seconds });
    expect(predicted).toBeLessThan(growing);
  }
});

it('the plot has a line for each schedule', () => {
  const svg = plot([scattered(0.2), scattered(2), scattered(10)]);
  for (const name of ['predicted', 'growing', 'every second']) expect(svg).toContain(`>${name}</text>`);
  expect(svg).not.toContain('NaN');
});
