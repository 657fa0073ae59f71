import { describe, expect, it } from 'vitest';
import { primaryRateLimit, secondaryRateLimit } from '../support/github.ts';
import {
  day,
  deletes,
  github,
  inProject,
  names,
  ofPull,
  pruned,
  queries,
  startOver,
  step,
} from '../support/pruning.ts';
import { rendered, seen } from '../support/rendered.ts';
import { withScenario } from '../support/scenario.ts';

describe('when something fails', () => {
  it('goes on with the others, and names at the end what could not be deleted', () =>
    inProject(
      [ofPull(2), ofPull(3), ofPull(3, { name: 'child', parent: 'preview/pr-3' }), ofPull(4)],
      async (scene) => {
        for (const number of [2, 3, 4]) github.state.addPull({ number, state: 'closed' });
        const child = scene.service.branch('child')?.id;
        scene.service.faults.add({
          method: 'DELETE',
          path: new RegExp(`${child}$`),
          status: 400,
          body: { request_id: 'r-1', code: '', message: 'it is in use' },
        });
        const run = await scene.fails(step());
        expect(pruned(run)).toEqual({
          'preview/pr-2': 'pull request #2 is closed',
          'preview/pr-4': 'pull request #4 is closed',
        });
        expect(run.message).toContain('2 branches could not be deleted, and 2 were');
        expect(run.message).toMatch(/"child" \(br-.*it is in use/);
        expect(run.message).toMatch(/"preview\/pr-3" .*its child branch "child" could not be deleted/);
        expect(names(scene)).toEqual(['child', 'main', 'preview/pr-3']);
      },
    ));

  it('names an operation that ended in an error', () =>
    inProject([ofPull(2), ofPull(3)], async (scene) => {
      for (const number of [2, 3]) github.state.addPull({ number, state: 'closed' });
      scene.service.faults.operation({ action: 'delete_timeline', nth: 1, outcome: 'error', message: 'disk on fire' });
      const run = await scene.fails(step());
      expect(run.message).toMatch(/1 branch could not be deleted, and 1 was:.*disk on fire/s);
      expect(Object.keys(pruned(run))).toHaveLength(1);
    }));

  it('shows no secret that the service says in a refusal, whatever Markdown makes of its characters', () => {
    const key = 'napi-_abc*def$ghi-_jkl';
    return inProject(
      [ofPull(2, { createdAt: Date.now() - 3 * day })],
      async (scene) => {
        github.state.addPull({ number: 2 });
        scene.service.faults.add({
          method: 'DELETE',
          path: /branches/,
          status: 403,
          body: { request_id: 'r-1', code: '', message: `key ${key} may not delete` },
        });
        const run = await scene.fails(step({ older_than: '1d' }));
        expect(run.message).toContain('key *** may not delete');
        expect(seen(rendered(run.summary))).toContain('not deleted: Could not delete branch');
        expect(seen(rendered(run.summary))).toContain('key *** may not delete');
      },
      { apiKeys: [key] },
    );
  });

  it.each([
    ['the first deletion', 1, 0],
    ['a later one', 6, 5],
  ])('ends soon where %s meets a rate limit that outlasts the step, and names what is left', (_, nth, gone) =>
    inProject(
      [
        ...Array.from({ length: 840 }, (__, i) => ofPull(i + 1)),
        ofPull(900, { name: 'a parent' }),
        ofPull(900, { name: 'a child', parent: 'a parent' }),
      ],
      async (scene) => {
        for (let number = 1; number <= 900; number++) github.state.addPull({ number, state: 'closed' });
        const limited = { status: 429, headers: { 'retry-after': '3600' }, body: { code: '', message: 'slow down' } };
        scene.service.faults.add({ method: 'DELETE', path: /branches/, when: () => ++seenDeletes >= nth, ...limited });
        scene.service.faults.add({ method: 'GET', path: /operations/, when: () => seenDeletes >= nth, ...limited });
        let seenDeletes = 0;
        const run = await scene.fails(step());
        const left = 842 - gone;
        expect(run.message).toContain(`${left} branches could not be deleted, and ${gone} were:`);
        expect(run.message).toMatch(/- "preview\/pr-\d+" \(br-.*answered 429: slow down; the next try would be in 1 h/);
        expect(run.message).toMatch(/was not sent: the service has answered 429 before, and asks for quiet for /);
        expect(run.message).toContain(`- and ${left - 20} more`);
        expect(run.summary).toContain('| `a parent` |');
        // the pace of the deletions alone would take 80 s
        expect(run.durationMs).toBeLessThan(60_000);
        expect(Object.keys(pruned(run))).toHaveLength(gone);
        expect(deletes(run).length).toBeLessThan(nth + 4);
      },
    ),
  );

  it('says so where it cannot wait for what it has deleted, for the limit outlasts the step', () =>
    inProject([ofPull(2), ofPull(3)], async (scene) => {
      for (const number of [2, 3]) github.state.addPull({ number, state: 'closed' });
      const body = { code: '', message: 'slow down' };
      scene.service.faults.add({ path: /operations/, status: 429, headers: { 'retry-after': '3600' }, body });
      const run = await scene.fails(step());
      expect(run.message).toMatch(/Could not list the operations of the project: .*answered 429: slow down/);
      expect(run.durationMs).toBeLessThan(60_000);
      expect(Object.keys(pruned(run))).toHaveLength(2);
    }));

  it.each([
    ['no token', { inputs: { github_token: ' ' } }, /github_token: is empty/],
    ['a token that GitHub rejects', { inputs: { github_token: 'ghs_expired' } }, /GitHub rejects the token \(401/],
  ])('deletes nothing with %s', (_, more, message) =>
    inProject([ofPull(2)], async (scene) => {
      github.state.addPull({ number: 2, state: 'closed' });
      const run = await scene.fails(step(more.inputs));
      expect(run.message).toMatch(message);
      expect(deletes(run)).toEqual([]);
    }),
  );

  it('names the permission that is missing, before anything is deleted', () =>
    inProject([ofPull(2, { createdAt: 0 }), { name: 'preview/gone', endpoint: false }], async (scene) => {
      await startOver({ permissions: { pullRequests: 'none' } });
      const pulls = await scene.fails(step({ older_than: '1d' }));
      expect(pulls.message).toContain('permissions: pull-requests: read');
      await startOver({ permissions: { contents: 'none' } });
      github.state.addPull({ number: 2, state: 'closed' });
      const refs = await scene.fails(step({ branch_pattern: 'preview/*' }));
      expect(refs.message).toContain('permissions: contents: read');
      expect([...deletes(pulls), ...deletes(refs)]).toEqual([]);
    }));

  it.each([
    ['no default branch at all', { defaultBranchRef: null }],
    ['a default branch that is not listed', { defaultBranchRef: { name: 'main' } }],
  ])('takes a list of git branches without the default one for no list (%s)', (_, more) =>
    inProject([{ name: 'preview/main' }, { name: 'preview/gone' }], async (scene) => {
      const refs = { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } };
      github.fault({ path: /graphql$/, answer: { status: 200, body: { data: { repository: { refs, ...more } } } } });
      const run = await scene.succeeds(step({ branch_pattern: 'preview/*' }));
      expect(run.annotations.warning.join()).toMatch(/could not all be read \(.*without the default branch\)/);
      expect([deletes(run), names(scene)]).toEqual([[], ['main', 'preview/gone', 'preview/main']]);
    }),
  );

  it('says so where the token is of another repository', () =>
    inProject([ofPull(2)], async (scene) => {
      await startOver({ repository: 'octo-org/other' });
      const run = await scene.fails(step());
      expect(run.message).toContain('GitHub shows the token no repository octo-org/octo-repo');
      expect(deletes(run)).toEqual([]);
    }));

  it('takes nothing for closed while GitHub is down, and still goes by age', () =>
    inProject([ofPull(2), ofPull(3, { createdAt: Date.now() - 3 * day })], async (scene) => {
      for (const number of [2, 3]) github.state.addPull({ number, state: 'closed' });
      github.fault({ path: /graphql/, times: 99, answer: { status: 502, body: '<html>' } });
      const run = await scene.succeeds(step({ older_than: '2d' }));
      expect(pruned(run)).toEqual({ 'preview/pr-3': 'older than 2d' });
      expect(run.annotations.warning.join()).toMatch(/state of 2 pull requests could not be read.*502/);
      expect(queries().length).toBeLessThanOrEqual(4);
    }));

  it('waits for a rate limit of GitHub, but not past the end of the step', () =>
    inProject([ofPull(2)], async (scene) => {
      github.state.addPull({ number: 2, state: 'closed' });
      github.fault({ path: /graphql/, answer: secondaryRateLimit({ retryAfter: '1' }) });
      const waited = await scene.succeeds(step({ dry_run: 'true' }));
      expect(Object.keys(pruned(waited))).toEqual(['preview/pr-2']);
      expect(waited.maskedLog()).toContain('trying again in 1 s');

      github.fault({ path: /graphql/, answer: primaryRateLimit({ resetsAt: Math.ceil(Date.now() / 1000) + 3000 }) });
      const late = await scene.succeeds(step({ timeout: '5m' }));
      expect(pruned(late)).toEqual({});
      expect(late.annotations.warning.join()).toContain("GitHub's rate limit is reached");
      expect(late.durationMs).toBeLessThan(60_000);
    }));
});

describe('when it ends early', () => {
  it.each(['before', 'after'] as const)(
    'names the branch that it has asked to delete without an answer (%s it acts)',
    (hang) =>
      inProject([ofPull(2), ofPull(3)], async (scene) => {
        for (const number of [2, 3]) github.state.addPull({ number, state: 'closed' });
        const id = scene.service.branches().find((branch) => branch.name === 'preview/pr-2')?.id;
        scene.service.faults.add({ method: 'DELETE', path: new RegExp(String(id)), hang });
        const run = await scene.fails(step({ timeout: '5s' }));
        expect(Object.keys(pruned(run))).toEqual(['preview/pr-3']);
        // The time is over during the last try, in the pause before it, or while the other deletion is waited for.
        expect(run.message).toContain('"preview/pr-2"');
        expect(run.maskedLog()).toContain('Asked to delete, without an answer, branch "preview/pr-2" (');
        expect(seen(rendered(run.summary))).toContain('asked to be deleted: ');
        expect(names(scene)).toEqual(hang === 'before' ? ['main', 'preview/pr-2'] : ['main']);
      }),
  );

  it('says what was deleted until then, and what to do about the rest', () =>
    inProject(
      Array.from({ length: 12 }, (_, i) => ofPull(i + 1)),
      async (scene) => {
        for (let number = 1; number <= 12; number++) github.state.addPull({ number, state: 'closed' });
        const all = names(scene);
        const run = await scene.fails(step({ timeout: '4s' }));
        expect(run.message).toContain('The time for the step is over');
        expect(run.message).toContain('What was deleted until then is gone. Run it again');
        const deleted = Object.keys(pruned(run));
        expect(deleted.length).toBeGreaterThan(0);
        expect(deleted.length).toBeLessThan(12);
        await scene.service.idle();
        // A deletion that was under way when the time was over may have come through or not: the step says which one.
        const left = names(scene);
        const gone = all.filter((name) => !left.includes(name) && !deleted.includes(name));
        for (const name of gone) expect(run.message).toMatch(new RegExp(`; whether .*"${name}".* too was not seen`));
        expect(left.filter((name) => deleted.includes(name))).toEqual([]);
      },
      // one deletion after another, each of them more than half a second
      { lockProject: true, operationMs: 700 },
    ));
});

describe('as a good guest', () => {
  it('looks at 5,000 branches in few requests, and deletes few at a time', () =>
    withScenario({ operationMs: 5, slots: 4 }, async (scene) => {
      const many = Array.from({ length: 4_999 }, (_, i) => ofPull(i + 1, { name: `preview/pr-${i + 1}` }));
      await scene.service.addBranches(many);
      for (let number = 1; number < 5_000; number++)
        github.state.addPull({ number, state: number > 4_880 ? 'closed' : 'open' });
      const run = await scene.succeeds(step({ timeout: '5m' }));
      expect(Object.keys(pruned(run))).toHaveLength(119);
      expect(scene.service.branches()).toHaveLength(5_000 - 119);
      expect(run.calls.filter((call) => call === 'GET /branches 200').length).toBeLessThanOrEqual(5);
      expect(queries()).toHaveLength(50);
      expect(github.mostAtOnce).toBe(1);
      const waits = run.calls.filter((call) => call.startsWith('GET /operations'));
      expect(waits.length).toBeLessThan(15);
    }));

  it('lets locks and rate limits pass, all its requests together', () =>
    inProject(
      Array.from({ length: 30 }, (_, i) => ofPull(i + 1)),
      async (scene) => {
        for (let number = 1; number <= 30; number++) github.state.addPull({ number, state: 'closed' });
        const run = await scene.succeeds(step({ timeout: '2m' }));
        expect(Object.keys(pruned(run))).toHaveLength(30);
        const refused = run.calls.filter((call) => / 429$/.test(call));
        expect(refused.length).toBeGreaterThan(0);
        // those in flight when the limit is met, not one for each branch
        expect(refused.length).toBeLessThan(20);
      },
      { lockProject: true, rateLimit: { perSecond: 10 } },
    ));

  it('deletes for good with hard_delete', () =>
    inProject([ofPull(2)], async (scene) => {
      github.state.addPull({ number: 2, state: 'closed' });
      const run = await scene.succeeds(step({ hard_delete: 'true' }));
      const [request] = run.requests.filter((one) => one.method === 'DELETE');
      expect(request?.query).toEqual({ hard_delete: 'true' });
    }));
});
