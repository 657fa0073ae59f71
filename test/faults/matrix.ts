import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Cell, columnOf, expectedOutcome, nameOf, playCell } from './cell.ts';
import { faultKinds } from './faults.ts';
import type { Play } from './play.ts';
import { plays } from './plays.ts';

export interface Deviation {
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

/** Plays cells, `atOnce` at a time, and returns those that deviate from the table. */
export async function playCells(
  cells: Cell[],
  options: { atOnce: number; onDone?: (cell: Cell, wrong: string[]) => void },
): Promise<{ deviations: Deviation[]; replayed: number }> {
  const elsewhere = await listenElsewhere();
  const play = (cell: Cell) =>
    playCell(cell, { elsewhere: elsewhere.origin, heard: elsewhere.heard }).catch((error) => [String(error)]);
  const rest = [...cells];
  const doubtful: Cell[] = [];
  const worker = async () => {
    for (let cell = rest.shift(); cell; cell = rest.shift()) {
      const wrong = await play(cell);
      if (wrong.length > 0) doubtful.push(cell);
      else options.onDone?.(cell, wrong);
    }
  };
  const deviations: Deviation[] = [];
  try {
    await Promise.all(Array.from({ length: options.atOnce }, worker));
    // With 1.5 s per request, cells can fail on a busy machine, so the failed ones are played again alone.
    for (const cell of doubtful) {
      const wrong = await play(cell);
      options.onDone?.(cell, wrong);
      if (wrong.length > 0) deviations.push({ cell: nameOf(cell), wrong });
    }
  } finally {
    await elsewhere.close();
  }
  return { deviations, replayed: doubtful.length };
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

/** `npm run matrix -- [part of a cell's name]`: plays all cells and prints the result on one line. */
async function main(wanted: string | undefined): Promise<void> {
  const started = performance.now();
  const cells = plays.flatMap(cellsOf).filter((cell) => !wanted || nameOf(cell).includes(wanted));
  let done = 0;
  const { deviations, replayed } = await playCells(cells, {
    atOnce: 16,
    onDone: (cell, wrong) => {
      done++;
      if (wrong.length > 0) console.log(`${nameOf(cell)}\n  ${wrong.join('\n  ')}`);
      if (process.stderr.isTTY) process.stderr.write(`\r${done} of ${cells.length}`);
    },
  });
  console.log(figures({ cells, deviations, replayed, ms: performance.now() - started }));
  if (deviations.length > 0) process.exitCode = 1;
}

if (import.meta.main) await main(process.argv[2]);
