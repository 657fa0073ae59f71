import { expect, it } from 'vitest';
import { rehearse } from '../../../src/rehearse/action.ts';
import { failures, unseenBy } from '../../../src/rehearse/gates.ts';
import type { Observed } from '../../../src/rehearse/observe.ts';

const observed: Observed = {
  ...{ exitCode: 0, stoppedBy: undefined, durationMs: 19_000, walBytes: 2_000_000, sampledEveryMs: 25 },
  ...{ locks: [], deadlocks: 0, connected: true, gaps: [], load: undefined },
  ...{ rewritten: [], rows: [], losses: [], invalidIndexes: [] },
};

it('fails `max_lock`, and says so, if the probe waits without limit', () => {
  const facts = {
    ...rehearse.empty(),
    observed,
    probe: { outcome: 'waits' as const, givesUpMs: undefined },
  };
  expect(failures(facts)).toEqual([]);
  expect(failures({ ...facts, maxLockMs: 20_000 })).toEqual([
    expect.stringMatching(/^The command waits without limit for a table that is being read/),
  ]);
  expect(rehearse.report(facts).join('\n')).toContain('**If a table is being read**, the command waits without limit');
});

it('fails `max_lock` if the probe has measured nothing, and only warns without it', () => {
  const unprobed = 'The command did not connect when it ran a second time (`probe_locks`).';
  const facts = { ...rehearse.empty(), observed, unprobed };
  expect(failures(facts)).toEqual([]);
  expect(rehearse.report(facts)[0]).toContain('The command did not connect when it ran a second time');
  expect(failures({ ...facts, maxLockMs: 20_000 })).toEqual([`${unprobed} \`max_lock\` can't be checked.`]);
  expect(rehearse.outputs(facts).rehearsal).toContain('"probe":null');
});

it.each([0, 143])('fails if `then` was stopped, whatever its exit code: %i', (exitCode) => {
  const afterwards = { exitCode, stoppedBy: 'timeout' as const };
  const facts = { ...rehearse.empty(), observed, afterwards };
  const stopped = `\`then\` was stopped (\`timeout\`), and ended with exit code ${exitCode}. Make it faster, or raise \`timeout\`.`;
  expect(failures(facts)).toEqual([stopped]);
  expect(rehearse.report(facts).join()).not.toContain('succeeded');
  expect(rehearse.outputs(facts).rehearsal).toContain(`"then":{"exit_code":${exitCode}}`);
});

const load: NonNullable<Observed['load']> = {
  ...{
    connected: true,
    overlapped: true,
    exitCode: 0,
    waitedMs: 0,
    table: undefined,
    failed: [],
    deadlocks: 0,
    rollbacks: 0,
  },
};

it('says that a loss of rows does not count, because of a load', () => {
  const loss = { rule: 'delete-rows', level: 'destructive', object: 'public.users', detail: '5 rows' } as const;
  const facts = { ...rehearse.empty(), findings: [loss], failOn: ['destructive' as const], observed };
  const withLoad = { ...facts, observed: { ...observed, load } };
  const why = 'With `load`, that does not fail the step.';
  expect([failures(facts).length, rehearse.report(facts).join().includes(why)]).toEqual([1, false]);
  expect([failures(withLoad).length, rehearse.report(withLoad).join().includes(why)]).toEqual([0, true]);
});

it('does not blame the load if nothing of the migration connected', () => {
  const missed = { ...observed, load: { ...load, overlapped: false } };
  expect(unseenBy(missed)).toEqual([expect.stringContaining('was not seen at the same time')]);
  expect(unseenBy({ ...missed, connected: false })).toEqual([expect.stringContaining('Nothing connected')]);
});
