import { parseArgs } from 'node:util';
import { percentile, table } from './figures.ts';
import { countRequests, type Late, measureLateness, measureStart } from './steps.ts';

/**
 * Measures how much time a step takes beyond the service's own: as ratios to a bare Node.js, as counts, and as lateness. Run it on an idle
 * machine.
 *
 *   node tools/bench/bench.ts            prints the tables
 *   node tools/bench/bench.ts start      only how fast a step starts; also `--runs 1`
 */
const { values, positionals } = parseArgs({
  options: { runs: { type: 'string', default: '15' } },
  allowPositionals: true,
});
const runs = Number(values.runs);
const isWhole = !positionals.includes('start');

if (isWhole) {
  const rows = (await countRequests()).map(({ step, requests, rounds }) => [step, requests, rounds]);
  console.log(`${table(['step', 'requests', 'in sequence'], rows)}\n`);
}
const start = await measureStart(runs);
const ratio = ['time until the first request', spread(start, (one) => one, 2)];
console.log(table(['a `create`, compared with a bare Node.js', 'median (10% to 90%)'], [ratio]));
if (isWhole) {
  const rows: string[][] = [];
  for (const seconds of [0.2, 0.8, 1.7, 3.2]) {
    const late: Late[] = await measureLateness({ seconds, runs });
    rows.push([`${seconds} s`, spread(late, ({ lateMs }) => lateMs, 0), spread(late, ({ polls }) => polls, 0)]);
  }
  console.log(`\n${table(['each of two operations takes about', 'late by, ms', 'polls'], rows)}`);
}

/** `3.61 (3.40 to 4.20)` */
function spread<T>(all: T[], value: (one: T) => number, digits: number): string {
  const values = all.map(value);
  const [low, middle, high] = [percentile(values, 0.1), percentile(values, 0.5), percentile(values, 0.9)];
  return `${middle.toFixed(digits)} (${low.toFixed(digits)} to ${high.toFixed(digits)})`;
}
