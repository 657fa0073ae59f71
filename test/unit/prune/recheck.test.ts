import { describe, expect, it } from 'vitest';
import { carryOut } from '../../../src/prune/carry-out.ts';
import { createRecheck } from '../../../src/prune/evidence.ts';
import type { StaleBranch } from '../../../src/prune/rules.ts';
import type { Reply, Sent } from '../../support/mock-api.ts';
import { fieldsFor, type GitHubScript, pruneContext, stale } from './prune-context.ts';

const start = Date.parse('2026-03-04T05:06:07Z');
/** A stale branch of a closed pull request, whose state was read at the start. */
const ofPull = (number: number, more: Partial<StaleBranch['evidence']> = {}, branch: object = {}): StaleBranch =>
  stale(`br-${number}`, branch, {
    evidence: { pullRequests: [number], headRefs: [], gitRefs: [], ...more },
    readAt: start,
  });

/** The service's list of these branches. */
const listOf = (branches: StaleBranch[]): Reply => ({
  body: { branches: branches.map(({ branch }) => branch), annotations: {} },
});

/** Whether each of the branches must be kept, in sequence, `afterMs` after their state was read. */
async function recheck(branches: StaleBranch[], gitHub: GitHubScript, afterMs = 15_001, now = branches) {
  const { context, clock, queries, warnings } = pruneContext([listOf(now)], undefined, gitHub);
  clock.pass(afterMs);
  const { whyKeep } = createRecheck(context, branches);
  const whys: (string | undefined)[] = [];
  for (const branch of branches) whys.push(await whyKeep(branch, async () => branch.branch));
  return { whys, queries, warnings };
}

const fields =
  (states: Parameters<typeof fieldsFor>[2]): GitHubScript =>
  (query, variables) =>
    fieldsFor(query, variables, states);

describe('the check right before a deletion', () => {
  it('sends nothing while the state is at most 15 s old, or if the deletion depends on none', async () => {
    expect((await recheck([ofPull(7)], fields({ open: () => true }), 15_000)).whys).toEqual([undefined]);
    const old = { ...stale('old'), readAt: start };
    expect(await recheck([old], () => 500, 99_000)).toEqual({ whys: [undefined], queries: [], warnings: [] });
  });

  it('checks branches that depend on a pull request along with others', async () => {
    const old = { ...stale('old'), readAt: start };
    const { whys, queries, warnings } = await recheck([old, ofPull(7)], fields({}));
    expect([whys, queries.length, warnings]).toEqual([[undefined, undefined], 1, []]);
  });

  it('ends with the step', async () => {
    const { context, clock, stop } = pruneContext([listOf([ofPull(7)])], undefined, () => 500);
    clock.pass(15_001);
    // While it waits to retry.
    clock.onSleep = () => stop();
    const { whyKeep } = createRecheck(context, [ofPull(7)]);
    await expect(whyKeep(ofPull(7), async () => undefined)).rejects.toMatchObject({ name: 'StoppedError' });
  });

  it('keeps a branch that has a child by now, unless the child is part of the same prune', async () => {
    const parent = ofPull(7);
    const planned = ofPull(8, {}, { parent_id: 'br-7' });
    expect((await recheck([planned, parent], fields({}))).whys).toEqual([undefined, undefined]);
    const child = stale('new', { parent_id: 'br-7' });
    const { whys } = await recheck([planned, parent], fields({}), 15_001, [planned, parent, child]);
    expect(whys).toEqual([undefined, 'it now has a child branch ("new")']);
  });

  it('keeps a branch if the list no longer says that it may be deleted', async () => {
    const now = ofPull(7);
    now.branch = { ...now.branch, protected: undefined };
    const { whys } = await recheck([ofPull(7)], fields({}), 15_001, [now]);
    expect(whys).toEqual(['the list of branches does not say whether it is the default branch or protected']);
  });

  it('keeps a branch whose pull request was reopened', async () => {
    const { whys, queries } = await recheck([ofPull(7), ofPull(8)], fields({ open: (number) => number === 7 }));
    expect(whys).toEqual(['pull request #7 is open', undefined]);
    expect(queries).toHaveLength(1);
  });

  it('keeps a branch whose pull request was reopened and closed again, with `closed_for`', async () => {
    const by = (closedBy: string) => ofPull(7, { closedBy: Date.parse(closedBy) });
    const { whys } = await recheck([by('2025-12-31T00:00:00Z'), by('2026-01-01T00:00:00Z')], fields({}));
    expect(whys).toEqual([expect.stringContaining('closed for less than'), undefined]);
  });

  it('keeps a branch whose refs are in use again, in any Unicode form', async () => {
    const [nfc, nfd] = ['\u00fcber', 'u\u0308ber'];
    const head = ofPull(7, { headRefs: [nfc] });
    const git = ofPull(8, { headRefs: [nfc], gitRefs: [nfc] });
    expect((await recheck([head], fields({ openHead: (ref) => (ref === nfd ? 9 : 0) }))).whys).toEqual([
      `pull request #9 with the same head ref ("${nfc}") is open`,
    ]);
    expect((await recheck([git], fields({ exists: (ref) => ref === nfd }))).whys).toEqual([
      `git branch "${nfc}" exists`,
    ]);
    expect((await recheck([head, git], fields({}))).whys).toEqual([undefined, undefined]);
  });

  it.each([
    ['was renamed to "kept"', { name: 'kept' }],
    ['was protected', { protected: true }],
    ["became the project's default branch", { default: true }],
  ])('keeps a branch that %s since it was listed', async (change, fields) => {
    const branches = [ofPull(7), { ...stale('old'), readAt: start }];
    const now = branches.map((one) => ({ ...one, branch: { ...one.branch, ...fields } }));
    const why = `it ${change} in the meantime`;
    expect((await recheck(branches, () => ({}), 15_001, now)).whys).toEqual([why, why]);
    expect((await recheck(branches, () => ({}), 15_000, now)).whys).toEqual([undefined, undefined]);
  });

  it('keeps a branch if something about it could not be read', async () => {
    const branch = ofPull(7, { headRefs: ['x'], gitRefs: ['x'] });
    const without = (name: string) =>
      recheck([branch], (query, variables) => ({ ...fieldsFor(query, variables, {}), [name]: undefined }));
    expect((await without('p7')).whys).toEqual(['the state of pull request #7 could not be read']);
    expect((await without('h0')).whys).toEqual(['the pull requests of git ref "x" could not be read']);
    expect((await without('g0')).whys).toEqual(['git branches could not be read']);
  });

  it.each([500, 401])('keeps all that are left if GitHub fails (%i), and warns once', async (status) => {
    const branches = Array.from({ length: 150 }, (_, index) => ofPull(index + 1));
    const { whys, queries, warnings } = await recheck([...branches, stale('old')], () => status);
    expect(whys.slice(0, -1).every((why) => why?.includes('could not be read'))).toBe(true);
    expect(whys.at(-1)).toBeUndefined();
    expect(queries.length).toBeLessThanOrEqual(4);
    expect(warnings).toEqual([expect.stringContaining('Could not check the pull requests again')]);
  });

  it('uses the same state of a pull request for all its branches', async () => {
    const both = ofPull(1, { pullRequests: [1, 500] });
    const branches = [...Array.from({ length: 101 }, (_, index) => ofPull(index + 1)), ofPull(1), both];
    let reads = 0;
    const { whys } = await recheck(branches, (query, variables) =>
      fieldsFor(query, variables, { open: (number) => number === 1 && reads++ > 0 }),
    );
    expect(whys[0]).toBeUndefined();
    expect(whys.slice(-2)).toEqual([undefined, undefined]);
  });

  it('keeps a branch if the state is always too old by the time that it is read', async () => {
    const slow = async (states: (query: number) => Parameters<typeof fieldsFor>[2]) => {
      const branch = ofPull(7);
      const { context, clock, queries } = pruneContext([listOf([branch])], undefined, (query, variables) => {
        clock.pass(15_001);
        return fieldsFor(query, variables, states(queries.length));
      });
      clock.pass(15_001);
      const why = await createRecheck(context, [branch]).whyKeep(branch, async () => branch.branch);
      return [why, queries.length];
    };
    const tooOld = 'the last check before its deletion took too long';
    expect(await slow(() => ({}))).toEqual([tooOld, 5]);
    expect(await slow((query) => ({ open: () => query === 5 }))).toEqual(['pull request #7 is open', 5]);
  });

  it('reads the state again if the read of the branch took too long', async () => {
    const branch = ofPull(7);
    const { context, clock, queries } = pruneContext(
      [listOf([branch])],
      undefined,
      fields({ open: () => queries.length === 2 }),
    );
    let reads = 0;
    const slowRead = async () => {
      if (reads++ === 0) clock.pass(15_001);
      return branch.branch;
    };
    expect(await createRecheck(context, [branch]).whyKeep(branch, slowRead)).toBeUndefined();
    expect([queries.length, reads]).toEqual([1, 2]);
    clock.pass(15_001);
    const { whyKeep } = createRecheck(context, [branch]);
    expect(await whyKeep(branch, slowRead)).toBe('pull request #7 is open');
  });

  it('reads a hundred pull requests per query', async () => {
    const branches = Array.from({ length: 250 }, (_, index) => ofPull(index + 1));
    const { whys, queries } = await recheck(branches, fields({}));
    expect(whys.every((why) => why === undefined)).toBe(true);
    expect(queries).toHaveLength(3);
  });
});

describe('a long prune', () => {
  const deleted = ({ path }: Sent): Reply => {
    const id = /branches\/([\w-]+)/.exec(path)?.[1] ?? '';
    return { body: { branch: { id, name: id, created_at: '2025-01-01T00:00:00Z' }, operations: [] } };
  };

  async function removal(layers: StaleBranch[][], replies: (request: Sent) => Reply, gitHub: GitHubScript) {
    const list = listOf(layers.flat());
    const isList = ({ method, path }: Sent) => method === 'GET' && /\/branches\?/.test(path);
    const { context, clock, queries, sent, lines } = pruneContext(
      (request) => (isList(request) ? list : replies(request)),
      undefined,
      gitHub,
    );
    const plan = { layers, keptParents: [], total: 2, now: start };
    await carryOut(context, plan, { wait: true });
    const { pruned = [] } = context.result();
    const outcomes = Object.fromEntries(pruned.map(({ id, outcome, note }) => [id, note ?? outcome]));
    return {
      outcomes,
      clock,
      queries,
      lines,
      sent: sent.filter((one) => !isList(one)).map(({ method, path }) => `${method} ${path}`),
    };
  }

  it('never uses a state older than 15 s, and reads them a hundred at a time', async () => {
    const branches = Array.from({ length: 1_000 }, (_, index) => ofPull(index + 1));
    const isOpen = (number: number) => number % 100 === 0;
    const { outcomes, clock, queries } = await removal([branches], deleted, fields({ open: isOpen }));
    // The first 300 are deleted within 15 s, almost all of them after a read of their own.
    const kept = [400, 500, 600, 700, 800, 900, 1_000];
    for (const number of kept) expect(outcomes[`br-${number}`]).toBe(`pull request #${number} is open`);
    expect(Object.values(outcomes).filter((one) => one === 'deleted')).toHaveLength(993);
    expect(clock.now() - start).toBeGreaterThan(60_000);
    expect(queries.length).toBeLessThanOrEqual(14);
  });

  it('checks again before a deletion is retried, such as that of a locked project', async () => {
    let locks = 0;
    const locked = (request: Sent): Reply =>
      request.method === 'DELETE' && ++locks < 20 ? { status: 423 } : deleted(request);
    const { outcomes, lines } = await removal([[ofPull(7)]], locked, fields({ open: () => true }));
    expect(outcomes).toEqual({ 'br-7': 'pull request #7 is open' });
    expect(lines).toContain('Kept branch "br-7" (br-7): pull request #7 is open');
    expect(locks).toBeLessThan(20);
  });

  it('keeps the parent of a branch that it keeps', async () => {
    const late = (one: StaleBranch): StaleBranch => ({ ...one, readAt: start - 20_000 });
    const child = late(ofPull(7, {}, { parent_id: 'br-8' }));
    const { outcomes, sent } = await removal(
      [[child], [late(ofPull(8))]],
      deleted,
      fields({ open: (number) => number === 7 }),
    );
    expect(outcomes).toEqual({ 'br-7': 'pull request #7 is open', 'br-8': 'its child branch "br-7" is kept' });
    expect(sent).toEqual([]);
  });

  it('is unsure of a branch whose deletion got no response before its pull request was reopened', async () => {
    const lost = (request: Sent): Reply => (request.method === 'DELETE' ? { status: 504 } : deleted(request));
    const { outcomes } = await removal([[ofPull(7)]], lost, fields({ open: () => true }));
    expect(outcomes['br-7']).toMatch(
      /504|the delete request got no response, and was not sent again, because the branch must be kept now \(pull request #7/,
    );
  });
});
