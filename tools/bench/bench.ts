import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '../files.ts';
import { median, percentile, table } from './figures.ts';
import { reviewed } from './review.ts';
import { countRequests, measureLateness, measureStart } from './steps.ts';

/**
 * Measures how much time a step takes beyond the service's own: as ratios to a bare Node.js, as counts, and as lateness. Run it on an idle
 * machine.
 *
 *   node tools/bench/bench.ts            prints the tables
 *   node tools/bench/bench.ts start      only how fast a step starts
 *   node tools/bench/bench.ts --runs 1   with few repetitions
 */
export interface Results {
  counts: Awaited<ReturnType<typeof countRequests>>;
  start: Awaited<ReturnType<typeof measureStart>>;
  late: Awaited<ReturnType<typeof measureLateness>>[];
}

export async function bench(options: { runs: number; seconds: number[] }): Promise<Results> {
  const { runs, seconds } = options;
  const late: Results['late'] = [];
  const counts = await countRequests();
  const start = await measureStart(runs);
  for (const one of seconds) late.push(await measureLateness({ seconds: one, runs }));
  return { counts, start, late };
}

function spread(values: number[], digits: number): string {
  const [low, middle, high] = [percentile(values, 0.1), median(values), percentile(values, 0.9)];
  return `${middle.toFixed(digits)} (${low.toFixed(digits)} to ${high.toFixed(digits)})`;
}

function measured({ counts, start, late }: Results): string[] {
  return [
    table(
      ['step', 'requests', 'in sequence'],
      counts.map(({ step, requests, rounds }) => [step, requests, rounds]),
    ),
    started(start),
    table(
      ['each of two operations takes about', 'late by, ms', 'polls'],
      late.map((runs) => [
        `${runs[0]?.seconds} s`,
        spread(
          runs.map((one) => one.lateMs),
          0,
        ),
        spread(
          runs.map((one) => one.polls),
          0,
        ),
      ]),
    ),
  ];
}

function started(start: Results['start']): string {
  return table(
    ['a `create`, compared with a bare Node.js', 'median (10% to 90%)'],
    [
      [
        'time until the first request',
        spread(
          start.map((one) => one.firstRequest),
          2,
        ),
      ],
      [
        'memory at most, waiting for the branch',
        spread(
          start.map((one) => one.memory),
          2,
        ),
      ],
    ],
  );
}

function sizes(): string {
  const dist = join(ROOT, 'dist');
  return table(
    ['dist', 'kB'],
    readdirSync(dist).map((name) => [name, Math.round(statSync(join(dist, name)).size / 1_000)]),
  );
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { runs: { type: 'string', default: '15' } },
    allowPositionals: true,
  });
  const runs = Number(values.runs);
  const [part, ...more] = positionals;
  if (more.length > 0 || (part !== undefined && part !== 'start'))
    throw new Error(`unknown argument ${positionals.join(' ')}; there is only start`);
  if (part === 'start') {
    console.log([started(await measureStart(runs)), sizes()].join('\n\n'));
    return;
  }
  const results = await bench({ runs, seconds: [0.2, 0.8, 1.7, 3.2] });
  const tables = [...measured(results), reviewed(), sizes()];
  console.log(tables.join('\n\n'));
}

if (import.meta.main) await main();
