import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { actionCells } from './actions.ts';
import type { Mode, Place } from './faults.ts';
import { requestCells } from './requests.ts';

/** Something that is played with a fault. */
export interface Cell {
  name: string;
  mode: Mode;
  /** Returns every deviation from what is expected. */
  play: (place: Place) => Promise<string[]>;
}

export const cells: Cell[] = [...requestCells, ...actionCells];

interface Deviation {
  cell: string;
  wrong: string[];
}

/** Plays cells, `atOnce` at a time, and returns those that deviate. */
export async function playCells(chosen: Cell[], atOnce: number, onDeviation?: (one: Deviation) => void) {
  const elsewhere = await listenElsewhere();
  const deviations: Deviation[] = [];
  const rest = [...chosen];
  const worker = async () => {
    for (let cell = rest.shift(); cell; cell = rest.shift()) {
      const wrong = await cell.play({ elsewhere: elsewhere.origin }).catch((error: unknown) => [String(error)]);
      if (wrong.length === 0) continue;
      deviations.push({ cell: cell.name, wrong });
      onDeviation?.({ cell: cell.name, wrong });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  const heard = await elsewhere.close();
  if (heard > 0) deviations.push({ cell: 'redirects', wrong: [`another origin got ${heard} requests`] });
  return deviations;
}

/** A server of another origin as the target of redirects. Closing it returns how many requests it got. */
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
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      return requests;
    },
  };
}

/** `npm run matrix -- [--at-once 8] [part of a name]`: plays all cells whose name has this part. */
async function main(): Promise<void> {
  const options = { 'at-once': { type: 'string', default: '8' } } as const;
  const { values, positionals } = parseArgs({ allowPositionals: true, options });
  const chosen = cells.filter(({ name }) => name.includes(positionals[0] ?? ''));
  const started = performance.now();
  const deviations = await playCells(chosen, Number(values['at-once']), ({ cell, wrong }) =>
    console.log(`${cell}\n  ${wrong.join('\n  ')}`),
  );
  const seconds = Math.round((performance.now() - started) / 1_000);
  console.log(`Fault matrix: ${chosen.length} runs in ${seconds} s, ${deviations.length} not as expected`);
  // A process that steps share may still hold this one open.
  process.exit(chosen.length === 0 || deviations.length > 0 ? 1 : 0);
}

if (import.meta.main) await main();
