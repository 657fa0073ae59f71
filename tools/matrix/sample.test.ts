import { expect, it } from 'vitest';
import { figures, playCells, sampleOf } from './matrix.ts';
import { plays } from './plays.ts';

it('every kind of request handles every fault as the table of outcomes says', { timeout: 600_000 }, async () => {
  const started = performance.now();
  const cells = sampleOf(plays);
  const { deviations, replayed } = await playCells(cells, { atOnce: 16 });
  console.log(figures({ cells, deviations, replayed, ms: performance.now() - started }));
  expect(deviations).toEqual([]);
});
