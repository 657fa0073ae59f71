import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type GitHub, startGitHub } from '../../tools/github/index.ts';
import { pullRequest } from '../../tools/runner/events.ts';
import type { AddedBranch, ServiceOptions } from '../../tools/service/index.ts';
import { type Scenario, withScenario } from '../support/scenario.ts';

const token = 'ghs_secretTokenOfThisRun';
const ours = (number: number): AddedBranch => ({
  name: `preview/pr-${number}`,
  endpoint: false,
  annotations: { 'github-commit-repo': 'octo-org/octo-repo', 'github-pr-number': String(number) },
});

let github: GitHub;
beforeEach(async () => {
  github = await startGitHub({ token });
  github.state.addPull({ number: 2, state: 'closed' });
  github.state.addPull({ number: 3, state: 'merged' });
  github.state.addPull({ number: 4 });
});
afterEach(() => github.close());

/** A full project: main, and the branches of pull requests 2 and 3 (both closed) and 4 (open). */
function full(test: (scene: Scenario) => Promise<void>, options: ServiceOptions = {}) {
  return withScenario({ operationMs: 5, branchLimit: 4, ...options }, async (scene) => {
    await scene.service.addBranches([ours(2), ours(3), ours(4)]);
    await test(scene);
  });
}

const step = (inputs: Record<string, string> = {}) => ({ event: pullRequest({ number: 7 }), inputs, env: github.env });
const names = (scene: Scenario) =>
  scene.service
    .branches()
    .map((branch) => branch.name)
    .sort();

it('`on_limit: fail` prunes nothing, and says what could', () =>
  full(async (scene) => {
    const run = await scene.fails(step());
    expect(run.message).toMatch(
      /BRANCHES_LIMIT_EXCEEDED.* Delete branches that you no longer need \(stale ones with `on_limit: prune`/,
    );
    expect(names(scene)).toHaveLength(4);
  }));

describe('`on_limit: prune`', () => {
  it('prunes once and creates the branch', () =>
    full(async (scene) => {
      const run = await scene.succeeds(step({ on_limit: 'prune' }));
      expect(run.outputs).toMatchObject({ created: 'true', branch_name: 'preview/pr-7' });
      expect(names(scene)).toEqual(['main', 'preview/pr-4', 'preview/pr-7']);
      expect(run.calls.filter((call) => call.startsWith('POST'))).toEqual(['POST /branches 422', 'POST /branches 201']);
      expect(run.stdout).toMatch(/Deleted branch "preview\/pr-2" \(br-[\w-]+\): pull request #2 is closed/);
    }));

  it('never prunes the parent of the new branch', () =>
    full(async (scene) => {
      await scene.succeeds(step({ on_limit: 'prune', parent_branch: 'preview/pr-2' }));
      expect(names(scene)).toContain('preview/pr-2');
    }));

  it('fails if that makes no room, after a second create', () =>
    full(async (scene) => {
      for (const number of [2, 3]) github.state.addPull({ number });
      const run = await scene.fails(step({ on_limit: 'prune' }));
      expect(run.message).toContain(
        'Delete branches that you no longer need (pruning left no room; the log says what it deleted)',
      );
      expect(run.calls.filter((call) => call.startsWith('POST'))).toHaveLength(2);
    }));

  it('succeeds if another job has made room in the meantime', () =>
    full(async (scene) => {
      for (const number of [2, 3]) github.state.addPull({ number });
      scene.service.faults.add({
        ...{ method: 'POST', path: /\/branches$/, times: 1, status: 422 },
        body: { code: 'BRANCHES_LIMIT_EXCEEDED', message: 'branches limit exceeded' },
      });
      await scene.service.removeBranch('preview/pr-4');
      expect((await scene.succeeds(step({ on_limit: 'prune' }))).outputs.created).toBe('true');
    }));

  it('says that the time was up, and not that nothing was pruned, if that is why', () =>
    full(
      async (scene) => {
        const run = await scene.fails(step({ on_limit: 'prune', timeout: '2s' }));
        expect(run.message).toMatch(/^Timed out after 2s/);
      },
      { operationMs: 60_000 },
    ));

  it('fails with the reason if GitHub cannot be read', () =>
    full(async (scene) => {
      await github.close();
      github = await startGitHub({ token, permissions: { pullRequests: 'none' } });
      const run = await scene.fails(step({ on_limit: 'prune' }));
      expect(run.message).toMatch(
        /pruning failed: Could not read the pull requests of octo-org\/octo-repo: .*`permissions: { pull-requests: read }`/,
      );
      expect(names(scene)).toHaveLength(4);
    }));

  it('requires a token, and says so before the first request', () =>
    full(async (scene) => {
      const run = await scene.fails(step({ on_limit: 'prune', github_token: ' ' }));
      expect(run.message).toContain('github_token');
      expect(run.requests).toEqual([]);
    }));
});
