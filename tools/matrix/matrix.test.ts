import { expect, it } from 'vitest';
import { actionCells } from './actions.ts';
import { playCells } from './matrix.ts';
import { requestCells } from './requests.ts';

/** Those that don't wait for a timeout; of the steps, which take a process each, every fifth, and those without a fault. */
const steps = actionCells.filter(
  ({ name, mode }, index) => !name.includes(' / ') || (mode === 'once' && index % 5 === 0),
);
const sample = [...requestCells.filter(({ mode }) => mode === 'once'), ...steps];

it('requests and actions handle every fault as they should', { timeout: 600_000 }, async () => {
  expect(await playCells(sample, 8)).toEqual([]);
});
