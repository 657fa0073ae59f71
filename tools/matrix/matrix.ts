import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { type Cell, columnOf, expectedOutcome, nameOf, playCell } from './cell.ts';
import { faultKinds } from './faults.ts';
import type { Play } from './play.ts';
import { plays } from './plays.ts';

interface Deviation {
  cell: string;
  wrong: string[];
}

/** Every cell of one play: each of its requests × each fault, once and always, and the play without a fault. */
export function cellsOf(play: Play): Cell[] {
  const faulty = Object.keys(play.requests).flatMap((request) =>
    faultKinds.flatMap((fault) => (['once', 'always'] as const).map((mode) => ({ play, request, fault, mode }))),
  );
  return [{ play, mode: 'once' }, ...faulty];
}

/**
 * A sample of the cells for `npm test`: every play without a fault, every fault once and always, and every outcome in each
 * column of the table, once and always. Faults and plays are used about equally often.
 */
export function sampleOf(plays: Play[]): Cell[] {
  const all = plays.flatMap(cellsOf);
  const faulty = all.flatMap((cell) => {
    const { play, request, fault, mode } = cell;
    if (!request || !fault) return [];
    const { ok, sent } = expectedOutcome(cell);
    const covers = [`${fault.name} ${mode}`, `${columnOf(cell)} ${mode} ${ok} ${sent}`];
    return [{ cell, covers, tags: [`${fault.name} ${mode}`, play.name, `${play.name}/${request}`] }];
  });
  const open = new Set(faulty.flatMap(({ covers }) => covers));
  const uses = new Map<string, number>();
  const sample = all.filter(({ request }) => request === undefined);
  while (open.size > 0) {
    const worth = ({ covers, tags }: (typeof faulty)[number]) =>
      1_000 * covers.filter((one) => open.has(one)).length - tags.reduce((sum, tag) => sum + (uses.get(tag) ?? 0), 0);
    const [best] = faulty.map((one) => ({ ...one, worth: worth(one) })).sort((one, other) => other.worth - one.worth);
    if (!best) break;
    sample.push(best.cell);
    for (const tag of best.tags) uses.set(tag, (uses.get(tag) ?? 0) + 1);
    for (const covered of best.covers) open.delete(covered);
  }
  return sample;
}

/** What became of the cells so far. */
export interface Progress {
  done: number;
  deviations: Deviation[];
  /** Cells that failed, and are played again, alone, once all others are done. */
  doubtful: Cell[];
}

interface PlayOptions {
  atOnce: number;
  /** Called after each cell. */
  onDone?: (progress: Progress) => void;
  /** Once aborted, no further cell is played, and those that are being played do not count. */
  signal?: AbortSignal;
}

/** Plays cells, `atOnce` at a time, and returns those that deviate from the table. */
export async function playCells(cells: Cell[], options: PlayOptions): Promise<Progress & { replayed: number }> {
  const { atOnce, onDone, signal } = options;
  const elsewhere = await listenElsewhere();
  const play = (cell: Cell) =>
    playCell(cell, { elsewhere: elsewhere.origin, heard: elsewhere.heard }).catch((error) => [String(error)]);
  const rest = [...cells];
  const progress: Progress = { done: 0, deviations: [], doubtful: [] };
  const { deviations, doubtful } = progress;
  const worker = async () => {
    for (let cell = rest.shift(); cell && !signal?.aborted; cell = rest.shift()) {
      const wrong = await play(cell);
      if (signal?.aborted) return;
      if (wrong.length > 0) doubtful.push(cell);
      else progress.done++;
      onDone?.(progress);
    }
  };
  let replayed = 0;
  try {
    await Promise.all(Array.from({ length: atOnce }, worker));
    // With 1.5 s per request, cells can fail on a busy machine, so the failed ones are played again alone.
    for (let [cell] = doubtful; cell && !signal?.aborted; [cell] = doubtful) {
      const wrong = await play(cell);
      if (signal?.aborted) break;
      doubtful.shift();
      replayed++;
      progress.done++;
      if (wrong.length > 0) deviations.push({ cell: nameOf(cell), wrong });
      onDone?.(progress);
    }
  } finally {
    await elsewhere.close();
  }
  return { ...progress, replayed };
}

/** A server of another origin as the target of redirects; it counts requests. */
async function listenElsewhere() {
  let requests = 0;
  const server = createServer((_, response) => {
    requests++;
    response.end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard: () => requests,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The number of runs and the result, on one line. */
export function figures(played: { cells: Cell[]; deviations: Deviation[]; replayed: number; ms: number }): string {
  const { cells, deviations, replayed, ms } = played;
  const situations = new Set(cells.map(({ play }) => play));
  const requests = new Set(cells.flatMap(({ play, request }) => (request ? [`${play.name}/${request}`] : [])));
  const faults = new Set(cells.flatMap(({ fault }) => (fault ? [fault] : [])));
  return (
    `Fault matrix: ${situations.size} situations, ${requests.size} requests, ${faults.size} faults, once and always: ` +
    `${cells.length} runs in ${Math.round(ms / 1000)} s, ${cells.length - deviations.length} as the table has it, ` +
    `${deviations.length} not (${replayed} played once more, alone)`
  );
}

/** The least time between two lines of progress, in milliseconds. */
const progressMs = 5_000;

/** The cells that the command line selects. */
function select(options: { commands?: string; shard: string; part: string }): Cell[] {
  const { part } = options;
  const commands = options.commands?.split(',');
  const [, index = 0, count = 0] = (/^(\d+)\/(\d+)$/.exec(options.shard) ?? []).map(Number);
  const selected = plays
    .filter(({ inputs }) => commands === undefined || commands.includes(inputs.command ?? ''))
    .flatMap(cellsOf)
    .filter((cell) => nameOf(cell).includes(part))
    .filter((_, at) => at % count === index - 1);
  if (selected.length === 0) throw new Error('No run is selected');
  return selected;
}

/**
 * `npm run matrix -- [--commands delete,prune] [--shard 1/4] [--at-once 16] [part of a name]`: plays all selected cells. Prints
 * progress, each deviation, and the result on one line. After Ctrl+C it ends with what it has.
 */
async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      commands: { type: 'string' },
      shard: { type: 'string', default: '1/1' },
      'at-once': { type: 'string', default: '16' },
    },
  });
  const cells = select({ ...values, part: positionals[0] ?? '' });
  const started = performance.now();
  const stop = new AbortController();
  // A second signal ends the process at once.
  process.once('SIGINT', () => {
    console.log('Stopping; waiting for the runs that are in progress');
    stop.abort();
  });
  let printed = 0;
  let lineAt = Number.NEGATIVE_INFINITY;
  const progress = await playCells(cells, {
    atOnce: Number(values['at-once']),
    signal: stop.signal,
    onDone({ done, deviations, doubtful }) {
      for (const { cell, wrong } of deviations.slice(printed)) console.log(`${cell}\n  ${wrong.join('\n  ')}`);
      printed = deviations.length;
      if (performance.now() - lineAt < progressMs) return;
      lineAt = performance.now();
      console.log(`${done} of ${cells.length} done, ${doubtful.length} to play again, ${deviations.length} failed`);
    },
  });
  for (const cell of progress.doubtful) console.log(`Not played again: ${nameOf(cell)}`);
  if (stop.signal.aborted) console.log(`Stopped after ${progress.done} of ${cells.length} runs`);
  else console.log(figures({ ...progress, cells, ms: performance.now() - started }));
  if (stop.signal.aborted) process.exitCode = 130;
  else if (progress.deviations.length > 0) process.exitCode = 1;
}

if (import.meta.main) {
  await main();
  // After thousands of runs, a process that steps share may still hold this one open.
  process.exit();
}
