import { expect, it } from 'vitest';
import { rehearse } from '../../../src/rehearse/action.ts';
import { failures } from '../../../src/rehearse/gates.ts';
import type { Observed } from '../../../src/rehearse/observe.ts';

const observed = (readMs: number): Observed => ({
  ...{ exitCode: 0, stoppedBy: undefined, durationMs: 19_000, walBytes: 2_000_000, readMs, sampledEveryMs: 25 },
  ...{ locks: [], deadlocks: 0, connected: true, gaps: [], load: undefined },
  ...{ rewritten: [], rows: [], losses: [], invalidIndexes: [] },
});

it.each([
  [12_000, 'Ran for 19s (12s of it reading from storage) with exit code 0;'],
  [900, 'Ran for 19s with exit code 0;'],
])('tells if the pages were cold: %i ms of reading', (readMs, expected) => {
  expect(rehearse.report({ ...rehearse.empty(), observed: observed(readMs) }).at(-1)).toContain(expected);
});

it('fails `max_lock`, and says so, if the probe waits without limit', () => {
  const facts = {
    ...rehearse.empty(),
    observed: observed(0),
    probe: { outcome: 'waits' as const, givesUpMs: undefined },
  };
  expect(failures(facts)).toEqual([]);
  expect(failures({ ...facts, maxLockMs: 20_000 })).toEqual([
    expect.stringMatching(/^The command waits without limit for a table that is being read/),
  ]);
  expect(rehearse.report(facts).join('\n')).toContain('**If a table is being read**, the command waits without limit');
});
