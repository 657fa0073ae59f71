import { describe, expect, it } from 'vitest';
import type { LockFound } from '../../../src/rehearse/locks.ts';
import type { Rehearsal } from '../../../src/rehearse/observe.ts';
import { rehearsalFailure, rehearsalIn, rehearsalSection, selfWaitIn } from '../../../src/report/rehearsal.ts';

const lock = (heldMs: number): LockFound => ({
  relation: { name: 'public.users', rows: 3, size: 8_192, oid: 1 } as unknown as LockFound['relation'],
  mode: 'AccessExclusiveLock',
  blocks: 'reads and writes',
  heldMs,
  statement: 'ALTER TABLE users ADD a int',
  tookIt: true,
  longest: undefined,
  times: 1,
});
const rehearsal = (over: Partial<Rehearsal> = {}): Rehearsal => ({
  ...({ exitCode: 0, stoppedBy: undefined, durationMs: 2_400, walBytes: 29 * 1024 * 1024 } as Rehearsal),
  ...{
    maxLockMs: undefined,
    sampledEveryMs: 26,
    longestGapMs: 40,
    locks: [],
    unseen: [],
    rewritten: [],
    resized: [],
    selfWaits: [],
  },
  ...{ statements: [], output: [], connected: true, gaps: [] },
  ...over,
});
const section = (over: Partial<Rehearsal> = {}) =>
  rehearsalSection({ rehearsal: rehearsal(over), diff: undefined }, undefined).join('\n');

describe('the report of a rehearsal', () => {
  it('is one line if there is nothing to worry about', () => {
    const ran = '✅ The migration ran in 2.4s and wrote 29 MB of WAL.';
    expect(section({ locks: [lock(300)] })).toContain(`${ran} The longest lock was 300ms, on \`public.users\`.\n`);
    expect(section()).toContain(`${ran} No table was blocked for longer than 40ms.\n`);
  });

  it('leaves out how much WAL was written if that is not known', () => {
    expect(section({ walBytes: undefined })).toMatch(/^✅ The migration ran in 2\.4s\. No table/);
    expect(section({ walBytes: undefined, locks: [lock(3_000)] })).toMatch(/^The command took 2\.4s\.\n/);
    const diff = { branchName: 'x', baseName: 'x', basePoint: undefined, all: false, databases: [], failOn: [] };
    expect(rehearsalIn({ rehearsal: rehearsal({ walBytes: undefined }), diff })).not.toContain('WAL');
  });

  it('lists the findings that were accepted even then', () => {
    const accepted = { rule: 'drop-column', object: 'public.users.name', detail: '' } as const;
    const database = { database: 'app', isNew: false, isGone: false, text: '', findings: [], ignored: [accepted] };
    const diff = {
      branchName: 'x',
      baseName: 'x',
      basePoint: undefined,
      all: false,
      databases: [database],
      failOn: [],
    };
    const lines = rehearsalSection({ rehearsal: rehearsal(), diff }, undefined);
    expect(lines[0]).toMatch(/^✅/);
    expect(lines[1]).toMatch(/1 ignored finding \(<code>ignore_rules<\/code>\)[\s\S]*public\.users\.name/);
    expect(lines).toHaveLength(3);
  });

  it('says what took how long, and what was seen last', () => {
    expect(section({ locks: [lock(3_000)] })).toMatch(/^The command took 2\.4s and wrote 29 MB of WAL\.\n/);
    const failed = section({ exitCode: 1, statements: ['SELECT 1'] });
    expect(failed).toMatch(/^❌ \*\*Exit code 1\*\*\. The command took 2\.4s and wrote /);
    expect(failed).toContain('<summary>Last statement seen</summary>');
    expect(section({ exitCode: 1, statements: ['a', 'b'] })).toContain('<summary>Last 2 statements seen</summary>');
  });

  it('says what it may mean that nothing connected to the branch', () => {
    const head = '> [!CAUTION]\n> The command does not seem to have connected to the rehearsal branch';
    expect(section({ connected: false })).toContain(`${head}. Make it use \`DATABASE_URL\`. If its configuration`);
    expect(section({ connected: false, exitCode: 1 })).toContain(
      `${head}: it may use a URL other than \`DATABASE_URL\`, or have failed to connect, for example with a TLS error.`,
    );
  });

  it('says what it cannot show', () => {
    expect(section()).toContain('<sub>Locks were sampled every 26ms, so shorter locks may be missing. ');
    expect(section({ longestGapMs: 130 })).toContain('every 26ms (longest gap: 130ms), so shorter locks may');
  });
});

describe('a rehearsal in one sentence', () => {
  const diff = { branchName: 'x', baseName: 'main', basePoint: undefined, all: false, databases: [], failOn: [] };

  it('says what was blocked and rewritten', () => {
    expect(rehearsalIn({ rehearsal: rehearsal(), diff })).toBe(
      'The command took 2.4s: no blocked table was observed; 29 MB of WAL was written',
    );
    const { relation } = lock(0);
    const slow = rehearsal({ locks: [lock(300)], rewritten: [{ relation, sizeAfter: 9_000 }] });
    expect(rehearsalIn({ rehearsal: slow, diff })).toBe(
      'The command took 2.4s: public.users was blocked for 300ms; public.users was rewritten; 29 MB of WAL was written',
    );
  });
});

describe('`max_lock`', () => {
  const gaps = ['Lock sampling was interrupted: connection reset.'];
  const failure = (over: Partial<Rehearsal>) => rehearsalFailure(rehearsal({ maxLockMs: 1_000, ...over })).join(' ');

  it('is not fully checked if not everything was observed', () => {
    expect(failure({})).toBe('');
    expect(failure({ gaps })).toBe(
      `Not everything was observed, so \`max_lock\` could not be fully checked. ${gaps[0]} Run the step again.`,
    );
  });

  it.each([
    [['up', 'error: relation "a" does not exist', '    at migrate.js:3'], 'error: relation "a" does not exist.'],
    [['PG::Error: ERROR:  no table', 'LINE 1: SELECT', '', 'Tasks: TOP => db:migrate'], 'PG::Error: ERROR:  no table.'],
    [['Error: one', 'Error: two', 'end', ''], 'Error: two.'],
    [['no such table', ''], 'no such table.'],
    [['12 errors in 3 files', 'see the log'], 'see the log.'],
  ])('names the line of the output that says what went wrong: %j', (output, line) => {
    expect(failure({ exitCode: 1, output })).toBe(`The command failed with exit code 1 (\`run\`): ${line}`);
  });

  it('is in the report if it fails the step, however short the lock was', () => {
    expect(section({ maxLockMs: 200, locks: [lock(300)] })).toContain(
      '> [!CAUTION]\n> **A lock was held for longer than 200ms**: the step fails (`max_lock`)\n',
    );
    expect(section({ maxLockMs: 200, locks: [lock(300), lock(400)] })).toContain(
      '**Locks were held for longer than 200ms**',
    );
    expect(section({ maxLockMs: 300, locks: [lock(300)] })).toContain('✅');
  });

  it('does not count as unchecked if a lock exceeds it all the same', () => {
    const both = failure({ gaps, locks: [lock(2_000)] });
    expect(failure({ locks: [lock(2_000), lock(3_000)] })).toMatch(/^Locks were held .*; .*, or raise `max_lock`\.$/);
    expect(both).toMatch(/^A lock was held for longer than 1s \(`max_lock`\): public\.users: /);
    expect(both).toContain(
      `. Change the migration, or raise \`max_lock\`. Not everything was observed, so other locks may also exceed \`max_lock\`. ${gaps[0]}`,
    );
  });
});

describe('a command that is stopped', () => {
  const failure = (over: Partial<Rehearsal>) => rehearsalFailure(rehearsal({ exitCode: 143, ...over })).join(' ');

  it.each([
    ['max_duration', '`max_duration`'],
    ['timeout', 'to leave the rest of `timeout` for the cleanup'],
  ] as const)('may need more time: %s', (stoppedBy, limit) => {
    expect(failure({ stoppedBy })).toBe(
      `The command was stopped after 2.4s (${limit}), and ended with exit code 143. Make the command faster, or raise \`${stoppedBy}\`.`,
    );
  });

  it('needs no more time if it blocks itself', () => {
    const selfWaits = [{ waiting: undefined, holder: undefined }];
    expect(failure({ stoppedBy: 'timeout', selfWaits })).toMatch(/exit code 143\. The command blocked itself/);
  });
});

describe('a command that blocks itself', () => {
  it('is described with as much as is known', () => {
    expect(selfWaitIn({ waiting: 'CREATE INDEX CONCURRENTLY i ON t (a)', holder: 'BEGIN' }, { runs: true })).toBe(
      "The command is blocking itself: `CREATE INDEX CONCURRENTLY i ON t (a)` waits for a lock that another of the command's connections holds in an open transaction (last statement: `BEGIN`). The command is stuck until that transaction ends. Make the command end that transaction first, or use a single connection.",
    );
    expect(selfWaitIn({ waiting: undefined, holder: undefined }, { runs: false })).toBe(
      "The command blocked itself: a statement waited for a lock that another of the command's connections held in an open transaction. Make the command end that transaction first, or use a single connection.",
    );
  });
});
