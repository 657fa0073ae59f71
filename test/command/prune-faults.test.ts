import { describe, expect, it } from 'vitest';
import { rendered, seen } from '../../tools/docs/rendered.ts';
import { primaryRateLimit, secondaryRateLimit } from '../../tools/github/index.ts';
import { held } from '../support/held.ts';
import {
  day,
  deletes,
  eachTestWithGitHub,
  github,
  inProject,
  names,
  ofPull,
  pruned,
  queries,
  startOver,
  step,
} from '../support/pruning.ts';
import { type Scenario, withScenario } from '../support/scenario.ts';

eachTestWithGitHub();

/** The list of branches as the service returns it, with another date. */
async function listed(scene: Scenario, date: string) {
  const response = await fetch(`${scene.service.baseUrl}/projects/${scene.service.projectId}/branches`, {
    headers: { authorization: `Bearer ${scene.service.apiKey}` },
  });
  return { status: 200, headers: { date }, body: (await response.json()) as object };
}

describe('prune, if something fails,', () => {
  it('deletes the other branches, and fails at the end with the names of the rest', () =>
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
        expect(run.message).toContain('Could not delete 2 of 4 stale branches:');
        expect(run.message).toMatch(/"child" \(br-.*it is in use/);
        expect(run.message).toMatch(/"preview\/pr-3" .*its child branch "child" could not be deleted/);
        expect(names(scene)).toEqual(['child', 'main', 'preview/pr-3']);
      },
    ));

  it('names a failed operation', () =>
    inProject([ofPull(2), ofPull(3)], async (scene) => {
      for (const number of [2, 3]) github.state.addPull({ number, state: 'closed' });
      scene.service.faults.operation({ action: 'delete_timeline', nth: 1, outcome: 'error', message: 'disk on fire' });
      const run = await scene.fails(step());
      expect(run.message).toMatch(/Could not delete 1 of 2 stale branches:.*disk on fire/s);
      expect(Object.keys(pruned(run))).toHaveLength(1);
    }));

  it('shows no secret from an error message, whatever Markdown escapes in it', () => {
    const key = 'napi-_abc*def$ghi-_jkl';
    return inProject(
      [ofPull(2)],
      async (scene) => {
        github.state.addPull({ number: 2, state: 'closed' });
        scene.service.faults.add({
          method: 'DELETE',
          path: /branches/,
          status: 403,
          body: { request_id: 'r-1', code: '', message: `key ${key} may not delete` },
        });
        const run = await scene.fails(step());
        expect(run.message).toContain('key *** may not delete');
        expect(seen(rendered(run.summary))).toContain('not deleted: 403, key');
        expect(seen(rendered(run.summary))).toContain('key *** may not delete');
      },
      { apiKeys: [key] },
    );
  });

  it.each([
    ['the first deletion', 1, 0],
    ['a later one', 6, 5],
  ])('fails soon if %s meets a rate limit that outlasts the step, and names the rest', (_, nth, gone) =>
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
        expect(run.message).toContain(`Could not delete ${left} of 842 stale branches:`);
        expect(run.message).toMatch(
          /- "preview\/pr-\d+" \(br-.*429, slow down.*; gave up: the next attempt would exceed `timeout`/,
        );
        expect(run.message).toMatch(/the service is rate-limiting requests \(429\) for another /);
        // The annotation has only as much as GitHub takes.
        expect(run.maskedLog()).toContain(`- and ${left - 20} more`);
        expect(run.summary).toContain('| `a parent` |');
        expect(Object.keys(pruned(run))).toHaveLength(gone);
        expect(deletes(run).length).toBeLessThan(nth + 4);
      },
    ),
  );

  it('fails if a rate limit keeps it from waiting for the deletions', () =>
    inProject([ofPull(2), ofPull(3)], async (scene) => {
      for (const number of [2, 3]) github.state.addPull({ number, state: 'closed' });
      const body = { code: '', message: 'slow down' };
      scene.service.faults.add({ path: /operations/, status: 429, headers: { 'retry-after': '3600' }, body });
      const run = await scene.fails(step());
      expect(run.message).toMatch(/Could not list the operations of the project: 429, slow down/);
      expect(Object.keys(pruned(run))).toHaveLength(2);
    }));

  it.each([
    ['no token', { inputs: { github_token: ' ' } }, /github_token.* is empty|github_token is required/],
    ['a token that GitHub rejects', { inputs: { github_token: 'ghs_expired' } }, /GitHub rejected the token \(401/],
  ])('deletes nothing with %s', (_, more, message) =>
    inProject([ofPull(2)], async (scene) => {
      github.state.addPull({ number: 2, state: 'closed' });
      const run = await scene.fails(step(more.inputs));
      expect(run.message).toMatch(message);
      expect(deletes(run)).toEqual([]);
    }),
  );

  it('names a missing permission before it deletes anything', () =>
    inProject([ofPull(2, { createdAt: 0 }), { name: 'preview/gone', endpoint: false }], async (scene) => {
      await startOver({ permissions: { pullRequests: 'none' } });
      const pulls = await scene.fails(step({ older_than: '1d' }));
      expect(pulls.message).toContain('`permissions: { pull-requests: read }`');
      await startOver({ permissions: { contents: 'none' } });
      github.state.addPull({ number: 2, state: 'closed' });
      const refs = await scene.fails(step({ branch_pattern: 'preview/*' }));
      expect(refs.message).toContain('`permissions: { contents: read }`');
      expect([...deletes(pulls), ...deletes(refs)]).toEqual([]);
    }));

  it.each([
    ['no default branch', { defaultBranchRef: null }],
    ['a default branch that is not listed', { defaultBranchRef: { name: 'main' } }],
  ])('ignores a list of git branches without the default branch (%s)', (_, more) =>
    inProject([{ name: 'preview/main' }, { name: 'preview/gone' }], async (scene) => {
      const refs = { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } };
      github.fault({ path: /graphql$/, response: { status: 200, body: { data: { repository: { refs, ...more } } } } });
      const run = await scene.succeeds(step({ branch_pattern: 'preview/*' }));
      expect(run.annotations.warning.join()).toMatch(
        /Could not list all git branches: GitHub's list lacks the repository's default branch\. Database branches that only `branch_pattern` selects are not pruned\./,
      );
      expect([deletes(run), names(scene)]).toEqual([[], ['main', 'preview/gone', 'preview/main']]);
    }),
  );

  it('says so if the token is for another repository', () =>
    inProject([ofPull(2)], async (scene) => {
      await startOver({ repository: 'octo-org/other' });
      const run = await scene.fails(step());
      expect(run.message).toContain('the token cannot see repository octo-org/octo-repo');
      expect(deletes(run)).toEqual([]);
    }));

  it('fails while GitHub is down, and deletes nothing, not even by age', () =>
    inProject([ofPull(2), ofPull(3, { createdAt: Date.now() - 3 * day })], async (scene) => {
      for (const number of [2, 3]) github.state.addPull({ number, state: 'closed' });
      github.fault({ path: /graphql/, times: 99, response: { status: 502, body: '<html>' } });
      const run = await scene.fails(step({ older_than: '2d' }));
      expect(run.message).toMatch(
        /Could not read the state of any pull request \(#2, #3\): GitHub responded with 502.*No branch was pruned/,
      );
      expect(deletes(run)).toEqual([]);
      expect(queries().length).toBeLessThanOrEqual(4);
    }));

  it('deletes what was read, and keeps a branch whose pull request was not, even by age', () =>
    inProject([ofPull(2), ofPull(3, { createdAt: Date.now() - 3 * day })], async (scene) => {
      github.state.addPull({ number: 2, state: 'closed' });
      const run = await scene.succeeds(step({ older_than: '2d' }));
      expect(Object.keys(pruned(run))).toEqual(['preview/pr-2']);
      expect(run.annotations.warning.join()).toContain('Could not read the state of 1 pull request (#3): ');
      expect(run.maskedLog()).toMatch(/Kept branch "preview\/pr-3" .*: the state of pull request #3 could not be read/);
    }));

  it.each(['closed_for', 'older_than', 'unused_for'])(
    'deletes nothing with `%s` if the clock of the service is wrong',
    (name) =>
      inProject([ofPull(2), ofPull(3)], async (scene) => {
        for (const number of [2, 3])
          github.state.addPull({ number, state: 'closed', closedAt: '2026-01-01T00:00:00Z' });
        const date = 'Thu, 01 Jan 2099 00:00:00 GMT';
        scene.service.faults.add({ path: /branches$/, times: 1, ...(await listed(scene, date)) });
        const run = await scene.fails(step({ [name]: '30d' }));
        expect(run.message).toContain("The service's clock (2099-01-01T00:00:00.000Z)");
        expect(run.message).toContain(`remove \`${name}\`.`);
        expect(deletes(run)).toEqual([]);
      }),
  );

  it('waits for a rate limit of GitHub, but not longer than the step may take', () =>
    inProject([ofPull(2)], async (scene) => {
      github.state.addPull({ number: 2, state: 'closed' });
      github.fault({ path: /graphql/, response: secondaryRateLimit({ retryAfter: '1' }) });
      const waited = await scene.succeeds(step({ dry_run: 'true' }));
      expect(Object.keys(pruned(waited))).toEqual(['preview/pr-2']);
      expect(waited.maskedLog()).toContain('retrying in 1s');

      github.fault({ path: /graphql/, response: primaryRateLimit({ resetsAt: Math.ceil(Date.now() / 1000) + 3000 }) });
      const late = await scene.fails(step({ timeout: '5m' }));
      expect(deletes(late)).toEqual([]);
      expect(late.message).toContain('GitHub is rate-limiting requests for another');
    }));
});

describe('prune, if it is stopped,', () => {
  it.each(['before', 'after'] as const)(
    'names the branch whose deletion got no response (lost %s the service acts)',
    (hang) =>
      inProject([ofPull(2), ofPull(3)], async (scene) => {
        for (const number of [2, 3]) github.state.addPull({ number, state: 'closed' });
        const id = scene.service.branches().find((branch) => branch.name === 'preview/pr-2')?.id;
        scene.service.faults.add({ method: 'DELETE', path: new RegExp(String(id)), hang });
        const run = await scene.fails(step({ timeout: '10s' }));
        expect(Object.keys(pruned(run))).toEqual(['preview/pr-3']);
        // The timeout hits the last attempt, the delay before it, or the wait for the other deletion.
        expect(run.message).toContain('"preview/pr-2"');
        expect(run.maskedLog()).toMatch(/Branch "preview\/pr-2" \(br-[\w-]+\) may still exist: /);
        expect(seen(rendered(run.summary))).toContain('may still exist: ');
        expect(names(scene)).toEqual(hang === 'before' ? ['main', 'preview/pr-2'] : ['main']);
      }),
  );

  it('says what was deleted so far, and what to do about the rest', () =>
    inProject(
      Array.from({ length: 12 }, (_, i) => ofPull(i + 1)),
      async (scene) => {
        for (let number = 1; number <= 12; number++) github.state.addPull({ number, state: 'closed' });
        const all = names(scene);
        // One deletion at a time, and the fourth one does not end in time.
        for (let nth = 1; nth <= 3; nth++) scene.service.release();
        const run = await scene.fails(step({ timeout: '10s' }));
        expect(run.message).toContain('Timed out after 10s');
        const deleted = Object.keys(pruned(run));
        expect(run.message).toMatch(/Requested the deletion of \d+ branch(es)? so far/);
        expect(run.message).toContain('Run the step again to delete any that remain');
        expect(deleted.length).toBeGreaterThan(0);
        expect(deleted.length).toBeLessThan(12);
        for (let nth = 4; nth <= 12; nth++) scene.service.release();
        await scene.service.idle();
        // A deletion that was in flight at the timeout may have succeeded; the step names it.
        const left = names(scene);
        const gone = all.filter((name) => !left.includes(name) && !deleted.includes(name));
        for (const name of gone) expect(run.message).toMatch(new RegExp(`so far \\(no response for .*"${name}".*\\)`));
        expect(left.filter((name) => deleted.includes(name))).toEqual([]);
      },
      { lockProject: true, operationMs: held },
    ));
});

describe('prune, in a large project,', () => {
  it('reads 5,000 branches in few requests, and deletes few at a time', () =>
    withScenario({ operationMs: 5, slots: 4 }, async (scene) => {
      const many = Array.from({ length: 4_999 }, (_, i) => ofPull(i + 1, { name: `preview/pr-${i + 1}` }));
      await scene.service.addBranches(many);
      for (let number = 1; number < 5_000; number++)
        github.state.addPull({ number, state: number > 4_940 ? 'closed' : 'open' });
      const run = await scene.succeeds(step({ timeout: '5m' }));
      expect(Object.keys(pruned(run))).toHaveLength(59);
      expect(scene.service.branches()).toHaveLength(5_000 - 59);
      // What was read is valid for 15 s.
      const rounds = Math.ceil(run.durationMs / 15_000);
      expect(run.calls.filter((call) => call === 'GET /branches 200').length).toBeLessThanOrEqual(5 * rounds);
      expect(queries().length).toBeLessThanOrEqual(49 + rounds);
      expect(github.mostAtOnce).toBe(1);
      const waits = run.calls.filter((call) => call.startsWith('GET /operations'));
      expect(waits.length).toBeLessThan(15);
    }));

  it('waits for locks and rate limits with all requests together', () =>
    inProject(
      Array.from({ length: 30 }, (_, i) => ofPull(i + 1)),
      async (scene) => {
        for (let number = 1; number <= 30; number++) github.state.addPull({ number, state: 'closed' });
        const run = await scene.succeeds(step({ timeout: '2m' }));
        expect(Object.keys(pruned(run))).toHaveLength(30);
        const refused = run.calls.filter((call) => / 429$/.test(call));
        expect(refused.length).toBeGreaterThan(0);
        // Only those in flight when the limit is met, not one per branch.
        expect(refused.length).toBeLessThan(20);
      },
      { lockProject: true, rateLimit: { perSecond: 10 } },
    ));

  it('stays below the rate limits of the service', () =>
    inProject(
      Array.from({ length: 120 }, (_, i) => ofPull(i + 1)),
      async (scene) => {
        for (let number = 1; number <= 120; number++) github.state.addPull({ number, state: 'closed' });
        const run = await scene.succeeds(step({ timeout: '2m' }));
        expect(Object.keys(pruned(run))).toHaveLength(120);
        expect(run.calls.filter((call) => / 429$/.test(call))).toEqual([]);
      },
      { slots: 4, operationMs: 1, rateLimit: { perSecond: 40, perMinute: 700 } },
    ));

  it('deletes without a recovery window with `hard_delete`', () =>
    inProject([ofPull(2)], async (scene) => {
      github.state.addPull({ number: 2, state: 'closed' });
      const run = await scene.succeeds(step({ hard_delete: 'true' }));
      const [request] = run.requests.filter((one) => one.method === 'DELETE');
      expect(request?.query).toEqual({ hard_delete: 'true' });
    }));
});
