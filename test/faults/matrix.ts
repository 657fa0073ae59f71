import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Cell, columnOf, nameOf, playCell } from './cell.ts';
import { faultKinds } from './faults.ts';
import { columns } from './outcomes.ts';
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
 * A part of the cells for each day's work: every situation without a fault, and every place of the table, which is a column and a
 * fault, once or always in turn, on the requests of that column one after the other.
 */
export function sampleOf(plays: Play[]): Cell[] {
  const places = Map.groupBy(plays.flatMap(cellsOf), (cell) => columnOf(cell));
  return [...places].flatMap(([column, cells]) => {
    if (column === undefined) return cells;
    return faultKinds.flatMap((fault, index) => {
      const mode = (index + columns.indexOf(column)) % 2 === 0 ? 'once' : 'always';
      const candidates = cells.filter((cell) => cell.fault === fault && cell.mode === mode);
      return candidates[index % candidates.length] ?? [];
    });
  });
}

/** Plays cells, so many at a time, and says which were not as the table has it. */
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
    // Where a request may take a second and a half, a busy machine fails what is right: what counts is the cell by itself.
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

/** A server of another origin, to which redirects lead; it counts whoever comes. */
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

/** The size and the result, as one line. */
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

/** `npm run matrix -- [part of a cell's name]`: all cells, and their number and result as one line. */
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
