import { describe, expect, it } from 'vitest';
import { primaryRateLimit, secondaryRateLimit } from '../../tools/github/index.ts';
import {
  day,
  deletes,
  eachTestWithGitHub,
  github,
  inProject,
  names,
  ofPull,
  pruned,
  repository,
  startOver,
  step,
} from '../support/pruning.ts';
import { rendered, seen } from '../support/rendered.ts';

eachTestWithGitHub();

describe('prune', () => {
  it('deletes the branches of closed and merged pull requests only, and says of each branch why', () =>
    inProject(
      [
        ofPull(1),
        ofPull(2),
        ofPull(3, { annotations: { 'github-commit-author-login': 'dave' } }),
        ofPull(5, { name: 'unknown' }),
        ofPull(2, { name: 'of another', annotations: { 'github-commit-repo': 'octo-org/other' } }),
        ofPull(2, { name: 'protected', protected: true }),
        { name: 'preview/pr-2-manual', endpoint: false },
      ],
      async (scene) => {
        github.state.addPull({ number: 1 });
        github.state.addPull({ number: 2, state: 'closed' });
        github.state.addPull({ number: 3, state: 'merged' });
        const run = await scene.succeeds(step());
        expect(pruned(run)).toEqual({
          'preview/pr-2': 'pull request #2 is closed',
          'preview/pr-3': 'pull request #3 is closed',
        });
        expect(run.outputs.skipped).toBe('false');
        expect(names(scene)).toEqual([
          'main',
          'of another',
          'preview/pr-1',
          'preview/pr-2-manual',
          'protected',
          'unknown',
        ]);
        expect(run.annotations.notice).toEqual(['Deleted 2 of 8 branches']);
        for (const [name, why] of [
          ['main', 'it is the default branch'],
          ['preview/pr-1', 'pull request #1 is open'],
          ['unknown', 'pull request #5 does not exist'],
          ['of another', 'it belongs to pull request #2 of octo-org/other'],
          ['protected', 'it is protected'],
          ['preview/pr-2-manual', 'it has no metadata, and `branch_pattern` is not set'],
        ]) {
          expect(run.stdout).toMatch(new RegExp(`Kept branch "${name}" \\(br-[\\w-]+\\): ${why}`));
          if (name !== 'main') expect(seen(rendered(run.summary))).toContain(why?.replaceAll('`', ''));
        }
        expect(run.stdout).toMatch(/Deleted branch "preview\/pr-3" \(br-[\w-]+\): pull request #3 is closed/);
        expect(run.summary).toContain('| Branch | Repository | Pull request | Author | Age | Result |');
        const row = /\| `preview\/pr-3` \(`br-.*`\) \| octo-org\/octo-repo \| #.*3 \| dave \| [^|]+ \| deleted: /;
        expect(run.summary).toMatch(row);
        expect(run.summary).toContain('The project has 8 branches.');
      },
    ));

  it('follows its inputs', () =>
    inProject(
      [
        ofPull(2, { createdAt: Date.now() - 9 * day }),
        ofPull(3, { endpoint: true }),
        ofPull(4),
        ofPull(2, { name: 'staging-1' }),
        {
          name: 'pushed',
          annotations: { 'github-commit-repo': repository },
          createdAt: Date.now() - 15 * day,
          endpoint: false,
        },
        { name: 'preview/gone', createdAt: Date.now() - 9 * day, endpoint: false },
        { name: 'preview/there', createdAt: Date.now() - 9 * day, endpoint: false },
      ],
      async (scene) => {
        const closedAt = (days: number) => new Date(Date.now() - days * day).toISOString();
        for (const number of [2, 3]) github.state.addPull({ number, state: 'closed', closedAt: closedAt(8) });
        github.state.addPull({ number: 4, state: 'merged', closedAt: closedAt(6) });
        github.state.addBranch('there');
        const run = await scene.succeeds(
          step({
            closed_for: '7d',
            older_than: '14d',
            unused_for: '3d',
            branch_pattern: 'preview/*, tmp/*',
            exclude_pattern: 'staging-*\ndemo-*',
          }),
        );
        expect(pruned(run)).toEqual({
          'preview/pr-2': 'pull request #2 is closed',
          pushed: 'it is older than 14d',
          'preview/gone': 'git branch "gone" does not exist',
        });
        for (const why of [
          'its compute is active',
          'it is not older than 14d',
          'it matches `exclude_pattern`',
          'git branch "there" exists',
        ]) {
          expect(run.stdout).toContain(why);
        }
        expect(run.annotations.warning).toEqual([
          expect.stringContaining('exclude_pattern: "demo-*" protects nothing'),
        ]);
      },
    ));

  it('deletes nothing with `dry_run`, and changes nothing', () =>
    inProject([ofPull(2)], async (scene) => {
      github.state.addPull({ number: 2, state: 'closed' });
      const run = await scene.succeeds(step({ dry_run: 'true' }));
      expect(pruned(run)).toEqual({ 'preview/pr-2': 'pull request #2 is closed' });
      expect(run.calls).toEqual(['GET /branches 200']);
      expect(run.annotations.notice).toEqual(['Would delete 1 of 2 branches (dry run)']);
      expect(run.summary).toContain('would be deleted: pull request');
    }));

  it('deletes children before their parents', () =>
    inProject(
      [
        ofPull(2),
        ofPull(2, { name: 'child', parent: 'preview/pr-2' }),
        ofPull(3),
        { name: 'open', parent: 'preview/pr-3', endpoint: false },
      ],
      async (scene) => {
        for (const number of [2, 3]) github.state.addPull({ number, state: 'closed' });
        const run = await scene.succeeds(step());
        expect(Object.keys(pruned(run))).toEqual(['child', 'preview/pr-2']);
        expect(run.stdout).toContain(
          'its child branch "open" is not deleted (stale, because pull request #3 is closed)',
        );
        expect(names(scene)).toEqual(['main', 'open', 'preview/pr-3']);
      },
    ));

  it('prunes the branches of several repositories, and names one that it cannot read', () =>
    inProject(
      ['web', 'api', 'secret', 'other'].map((one) =>
        ofPull(2, { name: one, annotations: { 'github-commit-repo': `octo-org/${one}` } }),
      ),
      async (scene) => {
        for (const one of ['web', 'api'])
          github.addRepository(`octo-org/${one}`).addPull({ number: 2, state: 'closed' });
        const run = await scene.succeeds(step({ repositories: 'octo-org/web, octo-org/api\nocto-org/secret' }));
        expect(Object.keys(pruned(run)).sort()).toEqual(['api', 'web']);
        expect(run.annotations.warning).toEqual([expect.stringContaining('octo-org/secret')]);
        expect(run.stdout).toMatch(/Kept branch "secret" .*: the pull requests of octo-org\/secret could not be read/);
        expect(run.stdout).toMatch(/Kept branch "other" .*: it belongs to pull request #2 of octo-org\/other/);
      },
    ));

  it('still prunes the branches of a repository that was renamed, and none of the one that had its name', () => {
    const of = (number: number, annotations: Record<string, string>) =>
      ofPull(number, { name: `of ${number}`, annotations });
    return inProject(
      [
        of(2, { 'github-commit-repo': 'octo-org/before', 'github-repository-id': '11' }),
        of(3, { 'github-commit-repo': repository, 'github-repository-id': '12' }),
        of(4, { 'github-commit-repo': repository }),
      ],
      async (scene) => {
        for (const number of [2, 3, 4]) github.state.addPull({ number, state: 'closed' });
        const play = step();
        const run = await scene.succeeds({ ...play, env: { ...play.env, GITHUB_REPOSITORY_ID: '11' } });
        expect(Object.keys(pruned(run)).sort()).toEqual(['of 2', 'of 4']);
      },
    );
  });

  it.each([
    [{ exclude_pattern: "'staging-*'" }, 'exclude_pattern'],
    [{ exclude_pattern: '- staging-*\n- demo-*' }, 'exclude_pattern'],
    [{ branch_pattern: '"preview/*"' }, 'branch_pattern'],
    [{ repositories: 'web' }, 'repositories'],
    [{ older_than: '2 weeks' }, 'older_than'],
  ])('refuses %j', (inputs, name) =>
    inProject([], async (scene) => {
      const run = await scene.fails(step(inputs as Record<string, string>));
      expect(run.message).toMatch(new RegExp(`^Invalid input:\\n- ${name}: .* is invalid; expected `));
      expect(run.requests).toEqual([]);
    }),
  );

  it('can be skipped without a key', () =>
    inProject([], async (scene) => {
      const run = await scene.succeeds(step({ api_key: '', on_missing_key: 'skip' }));
      expect(run.outputs).toEqual({ skipped: 'true' });
    }));
});

describe('prune, if something fails,', () => {
  it('deletes the other branches, and fails at the end with the names of the rest', () => {
    const key = 'napi-_abc*def$ghi-_jkl';
    return inProject(
      [ofPull(2), ofPull(3), ofPull(3, { name: 'child', parent: 'preview/pr-3' })],
      async (scene) => {
        for (const number of [2, 3]) github.state.addPull({ number, state: 'closed' });
        const path = new RegExp(`${scene.service.branch('child')?.id}$`);
        const body = { request_id: 'r-1', code: '', message: `key ${key} may not` };
        scene.service.faults.add({ method: 'DELETE', path, status: 400, body });
        const run = await scene.fails(step());
        expect(pruned(run)).toEqual({ 'preview/pr-2': 'pull request #2 is closed' });
        expect(run.message).toContain('Could not delete 1 of 2 stale branches:');
        expect(run.message).toMatch(/"child" \(br-.*400, key \*\*\* may not/);
        expect(run.stdout).toMatch(/Kept branch "preview\/pr-3" .*its child branch "child" is not deleted/);
        expect(seen(rendered(run.summary))).toContain('not deleted: 400, key *** may not');
        expect(names(scene)).toEqual(['child', 'main', 'preview/pr-3']);
      },
      { apiKeys: [key] },
    );
  });

  it('names a failed operation', () =>
    inProject([ofPull(2), ofPull(3)], async (scene) => {
      for (const number of [2, 3]) github.state.addPull({ number, state: 'closed' });
      scene.service.faults.operation({ action: 'delete_timeline', nth: 1, outcome: 'error', message: 'disk on fire' });
      const run = await scene.fails(step());
      expect(run.message).toMatch(/Could not delete 1 of 2 stale branches:.*disk on fire/s);
      expect(Object.keys(pruned(run))).toHaveLength(1);
    }));

  it.each<[string, () => Promise<void> | void, Record<string, string>, RegExp]>([
    ['an empty token', () => {}, { github_token: ' ' }, /`github_token` is empty/],
    [
      'a token that GitHub rejects',
      () => {},
      { github_token: 'ghs_expired' },
      /GitHub responded with 401.* Check that `github_token`/,
    ],
    [
      'no permission',
      () => startOver({ permissions: { pullRequests: 'none' } }),
      {},
      /`permissions: { pull-requests: read }`/,
    ],
    [
      'a token for another repository',
      () => startOver({ repository: 'octo-org/other' }),
      {},
      /octo-org\/octo-repo: .*404/,
    ],
    [
      'GitHub down',
      () => github.fault({ times: 99, response: { status: 502, body: '<html>' } }),
      {},
      /GitHub responded with 502/,
    ],
    [
      'a rate limit of GitHub that outlasts the step',
      () => github.fault({ times: 99, response: primaryRateLimit({ resetsAt: Math.ceil(Date.now() / 1000) + 3000 }) }),
      {},
      /GitHub is rate-limiting requests for another/,
    ],
  ])('deletes nothing, not even by age: %s', (_, prepare, inputs, message) =>
    inProject([ofPull(2, { createdAt: 0 })], async (scene) => {
      await prepare();
      github.state.addPull({ number: 2, state: 'closed' });
      const run = await scene.fails(step({ older_than: '1d', ...inputs }));
      expect(run.message).toMatch(message);
      expect(deletes(run)).toEqual([]);
    }),
  );

  it('waits for rate limits of GitHub, and for locks of the service', () =>
    inProject(
      Array.from({ length: 30 }, (_, i) => ofPull(i + 1)),
      async (scene) => {
        for (let number = 1; number <= 30; number++) github.state.addPull({ number, state: 'closed' });
        github.fault({ response: secondaryRateLimit({ retryAfter: '1' }) });
        const run = await scene.succeeds(step({ timeout: '2m' }));
        expect(Object.keys(pruned(run))).toHaveLength(30);
      },
      { lockProject: true },
    ));

  it('says at its timeout what may be deleted', () =>
    inProject([ofPull(2), ofPull(3)], async (scene) => {
      for (const number of [2, 3]) github.state.addPull({ number, state: 'closed' });
      const id = scene.service.branch('preview/pr-2')?.id;
      scene.service.faults.add({ method: 'DELETE', path: new RegExp(String(id)), hang: 'after' });
      const run = await scene.fails(step({ timeout: '10s' }));
      expect(names(scene)).toEqual(['main']);
      expect(Object.keys(pruned(run))).not.toContain('preview/pr-2');
      for (const text of [run.message, seen(rendered(run.summary))]) {
        expect(text).toContain('it is unknown whether it was deleted: ');
      }
    }));
});
