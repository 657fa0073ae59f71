import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/prune/prune.ts';
import { parseGlob } from '../../../src/text/glob.ts';
import { day, world } from './world.ts';

const deletes = (calls: string[]) => calls.filter((call) => call.startsWith('DELETE'));

/** A DELETE that the service lets wait for longer than a reading counts; meanwhile, something changes. */
function meanwhile(all: ReturnType<typeof world>, change: () => void): void {
  let sent = 0;
  all.before((call) => {
    if (!call.startsWith('DELETE') || ++sent > 1) return undefined;
    change();
    return { status: 429, headers: { 'retry-after': '11' } };
  });
}

describe('a request that is sent again more than ten seconds later', () => {
  it.each<[string, (all: ReturnType<typeof world>) => void, string]>([
    ['its pull request is reopened', ({ gitHub }) => reopen(gitHub, 1), 'pull request #1 is open'],
    [
      'another pull request from its git branch is opened',
      ({ gitHub }) => gitHub.addPull({ number: 99, head: 'feature/1' }),
      'pull request #99 from a git branch of this name ("feature/1") is open',
    ],
    ['it is protected', ({ account }) => set(account.branch('br-1'), { protected: true }), 'it is protected'],
    [
      'it becomes the default branch',
      ({ account }) => set(account.branch('br-1'), { default: true }),
      'it is the default branch',
    ],
    [
      'it gets another owner',
      ({ account }) => set(account.metadata['br-1'], { 'github-commit-repo': 'octo-org/other' }),
      'it belongs to pull request #1 of octo-org/other',
    ],
    [
      'it gets a child branch',
      ({ account }) => account.add({ name: 'child', parent_id: 'br-1' }),
      'its child branch "child" is not deleted',
    ],
  ])('is not sent if %s', async (_, change, why) => {
    const all = world();
    all.add(1, { metadata: { 'github-commit-ref': 'feature/1' } });
    meanwhile(all, () => change(all));
    expect((await all.prune()).kept).toMatchObject({ 'preview/pr-1': why });
    expect(deletes(all.calls)).toHaveLength(1);
  });

  it('is not sent if its compute wakes, or is about to', async () => {
    for (const state of [{ current_state: 'active' }, { pending_state: 'active' }, { current_state: 'init' }]) {
      const all = world();
      const { id } = all.add(1);
      const endpoint = all.account.addEndpoint(id, { last_active: new Date(all.clock.now() - 9 * day).toISOString() });
      meanwhile(all, () => Object.assign(endpoint, state));
      expect((await all.prune({ unusedFor: day })).kept).toEqual({ 'preview/pr-1': 'its compute is active' });
    }
  });

  it('is not sent if its git branch is pushed again', async () => {
    const all = world();
    all.addUnnamed('preview/gone');
    meanwhile(all, () => all.gitHub.addBranch('gone'));
    expect((await all.prune({ patterns: [parseGlob('preview/*')] })).kept).toEqual({
      'preview/gone': 'git branch "gone" exists, or a pull request from it is open',
    });
    expect(deletes(all.calls)).toHaveLength(1);
  });
});

describe('a branch is deleted', () => {
  it('only by what was read at most ten seconds before, however many there are', async () => {
    const all = world({ latencyMs: 400 });
    for (let number = 1; number <= 60; number++) all.add(number);
    const late: string[] = [];
    let readAt = 0;
    all.before((call) => {
      if (call === 'GET /branches') readAt = all.clock.now();
      if (call.startsWith('DELETE') && all.clock.now() - readAt > 10_400) late.push(call);
      return undefined;
    });
    const { deleted } = await all.prune();
    expect([Object.keys(deleted).length, late]).toEqual([60, []]);
  });
});

describe('300 stale branches', () => {
  it('take few requests to GitHub, and not more to the service than it allows', async () => {
    const all = world({ latencyMs: 5 });
    for (let number = 1; number <= 300; number++) all.add(2 * number);
    const at: number[] = [];
    all.before((call) => {
      if (!call.startsWith('GitHub')) at.push(all.clock.now());
      return undefined;
    });
    expect(Object.keys((await all.prune()).deleted)).toHaveLength(300);
    // A page of pull requests for each hundred, and two for each round. 1,000 an hour are enough for 2,000 branches many times over.
    expect(all.calls.filter((call) => call.startsWith('GitHub')).length).toBeLessThan(20);
    const most = (ms: number) =>
      Math.max(...at.map((start, from) => at.slice(from).findIndex((time) => time >= start + ms)));
    expect(most(60_000)).toBeLessThan(700);
    expect(most(1_000)).toBeLessThan(40);
  });
});

it('nothing is read once no other branch is to be deleted', async () => {
  const all = world();
  for (const number of [1, 2]) all.add(number);
  const { deleted } = await all.prune();
  expect(Object.keys(deleted)).toHaveLength(2);
  const after = all.calls.slice(all.calls.findLastIndex((call) => call.startsWith('DELETE')) + 1);
  expect(new Set(after)).toEqual(new Set(['GET /operations']));
});

describe('a branch that cannot be deleted', () => {
  it('does not stop the others, except for its parents', async () => {
    const all = world();
    const { id } = all.add(1);
    all.add(2, { parent_id: id });
    all.add(3);
    all.before((call) => (call === 'DELETE br-2' ? { status: 400, body: { message: 'in use' } } : undefined));
    const { deleted, failed, kept } = await all.prune();
    expect(Object.keys(deleted)).toEqual(['preview/pr-3']);
    expect(failed).toEqual({ 'preview/pr-2': '400, in use' });
    expect(kept).toEqual({ 'preview/pr-1': 'its child branch "preview/pr-2" is not deleted' });
  });

  it('because it stays locked does not stop the others, and is named', async () => {
    const all = world({ timeoutMs: 120_000 });
    for (let number = 1; number <= 64; number++) all.add(number);
    all.before((call) => (/^DELETE br-[1-4]$/.test(call) ? { status: 423, body: { message: 'locked' } } : undefined));
    const { deleted, failed } = await all.prune();
    expect(Object.keys(deleted)).toHaveLength(60);
    expect(Object.keys(failed).toSorted()).toEqual([1, 2, 3, 4].map((number) => `preview/pr-${number}`));
    for (const why of Object.values(failed)) expect(why).toContain('423, locked');
  });

  it('because it cannot be read does not stop the others', async () => {
    const all = world({ timeoutMs: 120_000 });
    for (let number = 1; number <= 64; number++) all.addUnnamed(`preview/gone-${number}`);
    all.account.on('GET /branches/*', (_, id) =>
      id === 'br-1' ? { status: 500, body: { message: 'oops' } } : undefined,
    );
    const { deleted, failed } = await all.prune({ patterns: [parseGlob('preview/*')] });
    expect([Object.keys(deleted).length, Object.keys(failed)]).toEqual([63, ['preview/gone-1']]);
  });

  it('because its deletion never ends is named', async () => {
    const all = world({ timeoutMs: 60_000 });
    all.add(1);
    all.before((call) => {
      for (const one of all.account.operations) if (call === 'GET /operations') set(one, { status: 'running' });
      return undefined;
    });
    const { deleted, failed } = await all.prune();
    expect(deleted).toEqual({});
    expect(failed['preview/pr-1']).toBe('its deletion has begun, but was not seen to end: The time is over');
  });

  it.each([60, 1])('because its deletion never ends does not stop the others, %i of them', async (most) => {
    const all = world({ timeoutMs: 120_000 });
    for (let number = 1; number <= most; number++) all.add(number);
    const parent = all.add(61);
    all.add(62, { parent_id: parent.id });
    all.before((call) => {
      const [first] = all.account.operations;
      if (call === 'GET /operations' && first) set(first, { status: 'running' });
      return undefined;
    });
    const { deleted, failed } = await all.prune();
    expect(Object.keys(deleted)).toHaveLength(most + 1);
    expect(Object.keys(failed)).toEqual(['preview/pr-1']);
  });

  it('because its operations cannot be read is named', async () => {
    const all = world();
    all.add(1);
    all.before((call) => (call === 'GET /operations' ? { status: 403, body: { message: 'no' } } : undefined));
    expect((await all.prune()).failed).toEqual({
      'preview/pr-1': 'its deletion has begun, but was not seen to end: 403, no',
    });
  });

  it('because reading takes too long is tried until the time is over, with a warning', async () => {
    const all = world({ latencyMs: 11_000, timeoutMs: 600_000 });
    all.add(1);
    expect((await all.prune()).failed).toEqual({ 'preview/pr-1': 'The time is over' });
    expect(all.warnings).toEqual([
      expect.stringMatching(/^Reading branches and pull requests took longer than ten seconds, .* set fewer `repo/),
    ]);
    expect(all.left()).toEqual(['preview/pr-1']);
  });

  it('because GitHub lets it wait for too long is deleted once it does no more', async () => {
    const all = world();
    all.add(1);
    const waits = { status: 429, headers: { 'retry-after': '12' }, body: {} };
    let rounds = 0;
    let isLimited = false;
    all.before((call) => {
      if (call === 'GET /branches') isLimited = ++rounds <= 5;
      if (!call.startsWith('GitHub') || !isLimited) return undefined;
      isLimited = false;
      return waits;
    });
    expect(Object.keys((await all.prune()).deleted)).toEqual(['preview/pr-1']);
    expect(rounds).toBe(6);
  });

  it('because it stays locked uses up no rate limit of GitHub', async () => {
    const all = world({ timeoutMs: 1_200_000 });
    all.addUnnamed('preview/gone');
    for (let n = 1; n <= 300; n++) all.gitHub.addBranch(`b-${n}`);
    all.before((call) => (call.startsWith('DELETE') ? { status: 423, body: { message: 'locked' } } : undefined));
    expect(Object.keys((await all.prune({ patterns: [parseGlob('preview/*')] })).failed)).toEqual(['preview/gone']);
    expect(all.calls.filter((call) => call.startsWith('GitHub')).length).toBeLessThan(250);
  });

  it('is named if the operation fails', async () => {
    const all = world();
    all.add(1);
    all.before((call) => {
      for (const one of all.account.operations)
        if (call === 'GET /operations') set(one, { status: 'error', error: 'disk on fire' });
      return undefined;
    });
    expect((await all.prune()).failed['preview/pr-1']).toContain('disk on fire');
  });

  it.each([
    ['a rejected key', { status: 401 }],
    ['a rate limit that outlasts the step', { status: 429, headers: { 'retry-after': '7200' } }],
  ])('because of %s ends the prune', async (_, reply) => {
    const all = world();
    for (const number of [1, 2, 3, 4, 5, 6, 7, 8, 9]) all.add(number);
    all.before((call) => (call.startsWith('DELETE') ? reply : undefined));
    await expect(all.prune()).rejects.toThrow(String(reply.status));
    expect(deletes(all.calls).length).toBeLessThanOrEqual(4);
  });

  it('may be deleted although the response was lost: the next reading tells', async () => {
    for (const hasActed of [true, false]) {
      const all = world();
      const { id } = all.add(1);
      let sent = 0;
      all.before((call) => {
        if (!call.startsWith('DELETE') || ++sent > 1) return undefined;
        if (hasActed) all.account.remove(id);
        return { error: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) };
      });
      expect(Object.keys((await all.prune()).deleted)).toEqual(['preview/pr-1']);
    }
  });

  it('is said to be unknown if the step ends before that', async () => {
    const all = world({ timeoutMs: 5_000 });
    all.add(1);
    all.before((call) => (call.startsWith('DELETE') ? { error: new Error('lost') } : undefined));
    const { failed } = await all.prune();
    expect(failed['preview/pr-1']).toMatch(/^it is unknown whether it was deleted: no response/);
  });

  it('is said to be unknown if what is read next would keep it', async () => {
    const all = world();
    all.add(1);
    let sent = 0;
    all.before((call) => {
      const pull = all.gitHub.pulls.get(1);
      if (!call.startsWith('DELETE') || ++sent > 1 || !pull) return undefined;
      all.gitHub.setPullState(pull, 'open');
      all.clock.pass(11_000);
      return { error: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) };
    });
    const { failed } = await all.prune();
    expect(failed['preview/pr-1']).toBe(
      'it is unknown whether it was deleted, because no response said so; then: pull request #1 is open',
    );
  });

  it.each<[string, (all: ReturnType<typeof world>) => void, RegExp]>([
    ['it has a child', (all) => void all.account.add({ name: 'kid', parent_id: 'br-1' }), /its child branch "kid"/],
    [
      'nothing can be read',
      (all) => all.before((call) => (call.includes('/pulls') ? { status: 403 } : undefined)),
      /403/,
    ],
  ])('is said to be unknown if by then %s', async (_, change, why) => {
    const all = world();
    all.add(1);
    let isSent = false;
    all.before((call) => {
      if (!call.startsWith('DELETE') || isSent) return undefined;
      isSent = true;
      change(all);
      all.clock.pass(11_000);
      return { error: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) };
    });
    const told: Outcome[][] = [];
    await all.prune({ record: ({ outcomes }) => told.push(outcomes) }).catch(() => {});
    const one = told.at(-1)?.find(({ branch }) => branch.id === 'br-1');
    expect(one).toMatchObject({ outcome: 'failed', note: expect.stringMatching(why) });
    expect(one?.note).toMatch(/^it is unknown whether it was deleted, because no response said so; then: /);
  });

  it('counts as deleted if somebody else was faster', async () => {
    const all = world();
    const { id } = all.add(1);
    all.add(2);
    all.before((call) => {
      if (call === `DELETE ${id}`) all.account.remove(id);
      return undefined;
    });
    expect(Object.keys((await all.prune()).deleted).sort()).toEqual(['preview/pr-1', 'preview/pr-2']);
  });
});

describe('parents', () => {
  it('are deleted after their children, and kept with one that is kept', async () => {
    const all = world();
    const parent = all.add(1);
    const child = all.add(2, { parent_id: parent.id });
    all.add(3, { parent_id: child.id });
    const other = all.add(4);
    all.add(5, { parent_id: other.id, pull: { state: 'open' } });
    const { deleted, kept } = await all.prune();
    expect(deletes(all.calls)).toEqual(['DELETE br-3', 'DELETE br-2', 'DELETE br-1']);
    expect(Object.keys(deleted)).toHaveLength(3);
    expect(kept['preview/pr-4']).toBe('its child branch "preview/pr-5" is not deleted');
    // Without a wait of ten seconds for each level.
    expect(all.clock.pauses.filter((ms) => ms > 5_000)).toEqual([]);
  });

  it('of each other are left alone', async () => {
    const all = world();
    all.add(1, { id: 'br-a', parent_id: 'br-b' });
    all.add(2, { id: 'br-b', parent_id: 'br-a' });
    await all.prune();
    expect(all.left()).toHaveLength(2);
  });
});

function set(object: object | undefined, fields: object): void {
  Object.assign(object ?? {}, fields);
}

function reopen(gitHub: ReturnType<typeof world>['gitHub'], number: number): void {
  const pull = gitHub.pulls.get(number);
  if (pull) gitHub.setPullState(pull, 'open');
}
