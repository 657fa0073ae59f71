import { describe, expect, it } from 'vitest';
import { branchNameFromRef } from '../../src/text/branch-name.ts';
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
  step,
} from '../support/pruning.ts';

eachTestWithGitHub();

describe('prune by metadata', () => {
  it('deletes the branches of closed and merged pull requests only', () =>
    inProject(
      [
        ofPull(1),
        ofPull(2),
        ofPull(3),
        ofPull(4, { name: 'another name' }),
        ofPull(5, { name: 'unknown pull request' }),
        ofPull(2, { name: 'of another', annotations: { 'github-commit-repo': 'octo-org/other' } }),
        ofPull(2, { name: 'protected', protected: true }),
        { name: 'pushed', annotations: { 'github-commit-repo': repository }, endpoint: false },
        ofPull(2, { name: 'no number', annotations: { 'github-pr-number': '2; drop' } }),
        { name: 'preview/pr-2-manual', endpoint: false },
      ],
      async (scene) => {
        github.state.addPull({ number: 1 });
        github.state.addPull({ number: 2, state: 'closed' });
        github.state.addPull({ number: 3, state: 'merged' });
        github.state.addPull({ number: 4, state: 'closed' });
        const run = await scene.succeeds(step());
        expect(pruned(run)).toEqual({
          'preview/pr-2': 'pull request #2 is closed',
          'preview/pr-3': 'pull request #3 is closed',
          'another name': 'pull request #4 is closed',
        });
        expect(names(scene)).toEqual(
          [
            'main',
            'no number',
            'of another',
            'preview/pr-1',
            'preview/pr-2-manual',
            'protected',
            'pushed',
            'unknown pull request',
          ].sort(),
        );
        expect(run.annotations.warning.join()).toMatch(/Could not read the state of 1 pull request \(#5\)/);
        expect(run.annotations.notice.join()).toContain('Deleted 3 of 11 branches');
      },
    ));

  it('compares repository names without case', () =>
    inProject([ofPull(2, { annotations: { 'github-commit-repo': 'Octo-Org/OCTO-repo' } })], async (scene) => {
      github.state.addPull({ number: 2, state: 'closed' });
      expect(Object.keys(pruned(await scene.succeeds(step())))).toEqual(['preview/pr-2']);
    }));

  it('deletes branches of this repository that are older than `older_than`', () =>
    inProject(
      [
        ofPull(1, { createdAt: Date.now() - 40 * day }),
        ofPull(2, { createdAt: Date.now() - 13 * day }),
        ofPull(3, { createdAt: Date.now() - 40 * day }),
        { name: 'pushed', annotations: { 'github-commit-repo': repository }, createdAt: Date.now() - 15 * day },
        { name: 'nobody', createdAt: Date.now() - 15 * day },
        { name: 'other', annotations: { 'github-commit-repo': 'a/b' }, createdAt: Date.now() - 15 * day },
      ],
      async (scene) => {
        github.state.addPull({ number: 1 });
        github.state.addPull({ number: 2 });
        const run = await scene.succeeds(step({ older_than: '14d' }));
        expect(pruned(run)).toEqual({ pushed: 'it is older than 14d' });
        expect(run.maskedLog()).toMatch(/Kept branch "preview\/pr-1" .*: pull request #1 is open/);
        expect(run.maskedLog()).toMatch(
          /Kept branch "preview\/pr-3" .*: the state of pull request #3 could not be read/,
        );
      },
    ));

  it('keeps the branches that match `exclude_pattern`', () =>
    inProject(
      [ofPull(2), ofPull(2, { name: 'staging-1' }), { name: 'demo', createdAt: 0 }, { name: 'preview/gone' }],
      async (scene) => {
        github.state.addPull({ number: 2, state: 'closed' });
        const run = await scene.succeeds(
          step({ older_than: '1d', branch_pattern: '*', exclude_pattern: 'staging-*\ndemo, preview/g*' }),
        );
        expect(Object.keys(pruned(run))).toEqual(['preview/pr-2']);
        expect(run.maskedLog()).toMatch(/Kept branch "staging-1" .*: it matches `exclude_pattern`/);
      },
    ));

  it('deletes with `closed_for` only what has been closed for at least this long', () =>
    inProject([ofPull(2), ofPull(3), ofPull(4)], async (scene) => {
      const closedAt = (days: number) => new Date(Date.now() - days * day).toISOString();
      github.state.addPull({ number: 2, state: 'closed', closedAt: closedAt(8) });
      github.state.addPull({ number: 3, state: 'merged', closedAt: closedAt(6) });
      github.state.addPull({ number: 4 });
      const run = await scene.succeeds(step({ closed_for: '7d' }));
      expect(pruned(run)).toEqual({ 'preview/pr-2': 'pull request #2 is closed' });
      expect(run.maskedLog()).toMatch(/Kept branch "preview\/pr-3" .*: .* closed for less than `closed_for`/);
    }));

  it('deletes with `unused_for` only what has not been active for this long', () =>
    inProject(
      [
        ofPull(2, { endpoint: true }),
        ofPull(3, { endpoint: true }),
        ofPull(4),
        ofPull(5, { createdAt: Date.now() - 4 * day }),
      ],
      async (scene) => {
        for (const number of [2, 3, 4, 5]) github.state.addPull({ number, state: 'closed' });
        const [endpoint] = scene.service.endpoints('preview/pr-2');
        if (endpoint) {
          endpoint.last_active = new Date(Date.now() - 4 * day).toISOString();
          endpoint.current_state = 'idle';
        }
        const run = await scene.succeeds(step({ unused_for: '3d' }));
        expect(Object.keys(pruned(run)).sort()).toEqual(['preview/pr-2', 'preview/pr-5']);
        expect(run.maskedLog()).toMatch(/Kept branch "preview\/pr-3" .*: its compute is active/);
        expect(run.calls.filter((call) => call.startsWith('GET /endpoints'))).toHaveLength(1);
      },
    ));

  it('keeps the branch of a closed pull request if another one has the same head ref', () =>
    inProject(
      [
        ofPull(5, { name: 'preview/feature', annotations: { 'github-commit-ref': 'feature' } }),
        ofPull(7, { name: 'preview/other', annotations: { 'github-commit-ref': 'other' } }),
      ],
      async (scene) => {
        github.state.addPull({ number: 5, state: 'closed', head: 'feature' });
        github.state.addPull({ number: 6, head: 'feature' });
        github.state.addPull({ number: 7, state: 'closed', head: 'other' });
        github.state.addPull({ number: 8, state: 'closed', head: 'other' });
        const run = await scene.succeeds(step());
        expect(Object.keys(pruned(run))).toEqual(['preview/other']);
        expect(run.maskedLog()).toMatch(
          /Kept branch "preview\/feature" .*: pull request #6 with the same head ref \("feature"\) is open/,
        );
      },
    ));
});

describe('prune by `branch_pattern`', () => {
  const long = `feature/${'x'.repeat(120)}`;

  it('deletes branches named after closed pull requests and deleted git branches', () =>
    inProject(
      [
        'preview/pr-1',
        'preview/pr-2',
        'preview/pr-2-login',
        'preview/pr-2/api',
        'preview/pr-1/api',
        'preview/expr-2',
        'preview/feature/there',
        'preview/feature/gone',
        'preview/Fix-äöü-now',
        branchNameFromRef(long),
        branchNameFromRef(`${long}y`),
        'preview/FEATURE-there',
        'preview/',
        'other/feature/gone',
      ].map((name) => ({ name, endpoint: false })),
      async (scene) => {
        github.state.addPull({ number: 1 });
        github.state.addPull({ number: 2, state: 'closed' });
        for (const ref of ['feature/there', long, 'Fix-äöü-now']) github.state.addBranch(ref);
        const run = await scene.succeeds(step({ branch_pattern: 'preview/*' }));
        expect(pruned(run)).toEqual({
          'preview/pr-2': 'pull request #2 is closed',
          'preview/pr-2-login': 'pull request #2 is closed',
          'preview/pr-2/api': 'git branch "pr-2/api" does not exist',
          'preview/expr-2': 'git branch "expr-2" does not exist',
          'preview/feature/gone': 'git branch "feature/gone" does not exist',
          [branchNameFromRef(`${long}y`)]:
            `git branch "${branchNameFromRef(`${long}y`).slice('preview/'.length)}" does not exist`,
        });
      },
    ));

  it('never deletes a branch whose metadata names another repository', () =>
    inProject(
      [
        { name: 'preview/gone', endpoint: false, annotations: { 'github-commit-repo': 'octo-org/other' } },
        { name: 'preview/pr-2', endpoint: false, annotations: { 'github-commit-repo': 'octo-org/other' } },
        { name: 'preview/own', endpoint: false, annotations: { 'github-commit-repo': repository } },
      ],
      async (scene) => {
        github.state.addPull({ number: 2, state: 'closed' });
        expect(pruned(await scene.succeeds(step({ branch_pattern: 'preview/*' })))).toEqual({});
      },
    ));

  it('keeps branches of tags, and those whose metadata names no repository, and says why', () =>
    inProject(
      [
        { name: 'preview/tags/v1.2', endpoint: false },
        { name: 'preview/pr-2', endpoint: false, annotations: { 'github-pr-number': '2' } },
        { name: 'preview/gone', endpoint: false, annotations: { 'github-commit-ref': 'gone' } },
        { name: 'preview/hers', endpoint: false, annotations: { owner: 'alice' } },
      ],
      async (scene) => {
        github.state.addPull({ number: 2, state: 'closed' });
        const run = await scene.succeeds(step({ branch_pattern: 'preview/*' }));
        expect(pruned(run)).toEqual({});
        const why = 'its metadata names no repository, so it may belong to another tool';
        const lines = [`pr-2" .*: ${why}`, `gone" .*: ${why}`, `hers" .*: ${why}`];
        for (const line of ['tags/v1.2" .*: its name refers to a tag', ...lines]) {
          expect(run.maskedLog()).toMatch(new RegExp(`Kept branch "preview/${line}`));
        }
      },
    ));

  it('ignores `branch_pattern` if the service lists branches without their metadata', () =>
    inProject(
      [
        { name: 'preview/pr-2', endpoint: false, annotations: { 'github-commit-repo': 'octo-org/other' } },
        { name: 'preview/gone', endpoint: false },
      ],
      async (scene) => {
        github.state.addPull({ number: 2, state: 'closed' });
        scene.service.faults.add({
          method: 'GET',
          path: /\/branches$/,
          transform: (body) => ({ ...(body as object), annotations: undefined }),
        });
        const run = await scene.play(step({ branch_pattern: 'preview/*' }));
        expect([run.conclusion, pruned(run)]).toEqual(['success', {}]);
        expect(run.annotations.warning.join()).toContain('`branch_pattern` is ignored');
        expect(names(scene)).toContain('preview/pr-2');
      },
    ));

  it('keeps every branch whose name may have the number of an open pull request', () => {
    const mine = ['pr_2', 'PR.2', 'pr2', 'pr/2', 'pull-2', 'pull/2', '2', '2-login', 'login-pr2'];
    const branches = [...mine, 'pr3'].map((rest) => ({ name: `preview/${rest}`, endpoint: false }));
    return inProject(branches, async (scene) => {
      github.state.addPull({ number: 2 });
      github.state.addPull({ number: 3, state: 'closed' });
      const run = await scene.succeeds(step({ branch_pattern: 'preview/*' }));
      expect(Object.keys(pruned(run))).toEqual(['preview/pr3']);
    });
  });

  it('keeps a branch whose metadata only the branch itself has', () =>
    inProject(
      [
        { name: 'preview/pr-2', endpoint: false, annotations: { 'github-commit-repo': 'octo-org/other' } },
        { name: 'preview/pr-3', endpoint: false, annotations: {} },
      ],
      async (scene) => {
        for (const number of [2, 3]) github.state.addPull({ number, state: 'closed' });
        const transform = (body: unknown) => ({ ...(body as object), annotations: {} });
        scene.service.faults.add({ method: 'GET', path: /\/branches$/, transform });
        const run = await scene.succeeds(step({ branch_pattern: 'preview/*' }));
        expect(run.maskedLog()).toMatch(
          /Kept branch "preview\/pr-2" .*: the list of branches showed no metadata for it, but it has some \(it belongs to octo-org\/other\)/,
        );
        expect(names(scene)).toContain('preview/pr-2');
        expect(names(scene)).not.toContain('preview/pr-3');
      },
    ));

  it('reads all pages of git branches, and treats none as deleted if a page is missing', () =>
    inProject([{ name: 'preview/z-last', endpoint: false }, ofPull(2)], async (scene) => {
      github.state.addPull({ number: 2, state: 'closed' });
      for (let i = 0; i < 250; i++) github.state.addBranch(`a-${String(i).padStart(3, '0')}`);
      github.state.addBranch('z-last');
      const plenty = await scene.succeeds(step({ branch_pattern: 'preview/*', dry_run: 'true' }));
      expect(pruned(plenty)).toEqual({ 'preview/pr-2': 'pull request #2 is closed' });

      github.state.deleteBranch('z-last');
      github.fault({ path: /\/branches$/, times: 99, response: { status: 400, body: { message: 'no' } } });
      const run = await scene.succeeds(step({ branch_pattern: 'preview/*' }));
      expect(Object.keys(pruned(run))).toEqual(['preview/pr-2']);
      expect(run.annotations.warning.join('\n')).toContain('Could not list all git branches');
      expect(run.maskedLog()).toMatch(/Kept branch "preview\/z-last" .*: git branches could not be read/);
    }));

  it('keeps a branch if the git branch exists, or is the head of an open pull request', () =>
    inProject(
      ['preview/fix-pr-12', 'preview/pr-12', 'preview/u\u0308ber', 'preview/forked'].map((name) => ({
        name,
        endpoint: false,
      })),
      async (scene) => {
        github.state.addPull({ number: 12, state: 'closed' });
        github.state.addPull({ number: 13, head: 'forked', fork: 'someone/fork' });
        for (const ref of ['fix-pr-12', '\u00fcber']) github.state.addBranch(ref);
        const run = await scene.succeeds(step({ branch_pattern: 'preview/*' }));
        expect(pruned(run)).toEqual({ 'preview/pr-12': 'pull request #12 is closed' });
        expect(run.maskedLog()).toMatch(/Kept branch "preview\/fix-pr-12" .*: git branch "fix-pr-12" exists/);
        expect(run.maskedLog()).toMatch(/Kept branch "preview\/forked" .*: pull request #13 .* is open/);
      },
    ));
});

describe('prune', () => {
  it('keeps a branch if its child is kept, and deletes children before their parents', () =>
    inProject(
      [
        ofPull(2),
        ofPull(2, { name: 'child', parent: 'preview/pr-2' }),
        ofPull(2, { name: 'grandchild', parent: 'child' }),
        ofPull(3),
        { name: 'open', parent: 'preview/pr-3', endpoint: false },
      ],
      async (scene) => {
        github.state.addPull({ number: 2, state: 'closed' });
        github.state.addPull({ number: 3, state: 'closed' });
        const run = await scene.succeeds(step({ wait: 'false' }));
        expect(Object.keys(pruned(run))).toEqual(['grandchild', 'child', 'preview/pr-2']);
        expect(deletes(run)).toHaveLength(3);
        expect(run.maskedLog()).toContain('Kept branch "preview/pr-3"');
        expect(run.summary).toContain('kept: its child branch "open" is kept');
        await scene.service.idle();
        expect(names(scene)).toEqual(['main', 'open', 'preview/pr-3']);
      },
    ));

  it('deletes nothing with `dry_run`', () =>
    inProject([ofPull(2)], async (scene) => {
      github.state.addPull({ number: 2, state: 'closed' });
      const run = await scene.succeeds(step({ dry_run: 'true' }));
      expect(pruned(run)).toEqual({ 'preview/pr-2': 'pull request #2 is closed' });
      expect(run.calls).toEqual(['GET /branches 200']);
      expect(run.annotations.notice.join()).toContain('Would delete 1 of 2 branches (dry run)');
    }));
});

describe('a repository that was renamed or transferred', () => {
  const id = '11';
  const of = (number: number, annotations: Record<string, string>) =>
    ofPull(number, { name: `of ${number}`, annotations });

  it('still prunes its branches, and none of the repository that had its name', () =>
    inProject(
      [
        of(2, { 'github-commit-repo': 'octo-org/before', 'github-repository-id': id }),
        of(3, { 'github-commit-repo': repository, 'github-repository-id': '12' }),
        of(4, { 'github-commit-repo': repository }),
        of(5, { 'github-commit-repo': 'octo-org/before', 'github-repository-id': id, 'github-pr-number': '' }),
      ],
      async (scene) => {
        for (const number of [2, 3, 4]) github.state.addPull({ number, state: 'closed' });
        const play = step();
        const run = await scene.succeeds({ ...play, env: { ...play.env, GITHUB_REPOSITORY_ID: id } });
        expect(pruned(run)).toEqual({ 'of 2': 'pull request #2 is closed', 'of 4': 'pull request #4 is closed' });
        expect(run.stdout).toMatch(
          /Kept branch "of 3" .*another repository that is also called "octo-org\/octo-repo" \(its ID is 12, this run's repository has ID 11\)/,
        );
        // A pull request of another repository is not even looked up.
        expect(github.requests.map(({ path }) => path)).not.toContain('/repos/octo-org/octo-repo/pulls/3');
      },
    ));

  it('that takes over a name gets none of its branches', () =>
    inProject([of(2, { 'github-commit-repo': repository, 'github-repository-id': id })], async (scene) => {
      github.state.addPull({ number: 2, state: 'closed' });
      const play = step({ older_than: '1h', branch_pattern: 'of *' });
      const run = await scene.succeeds({ ...play, env: { ...play.env, GITHUB_REPOSITORY_ID: '99' } });
      expect(pruned(run)).toEqual({});
      expect(names(scene)).toEqual(['main', 'of 2']);
    }));
});
