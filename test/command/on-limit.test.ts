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

describe('on_limit: fail', () => {
  it('prunes nothing, and says what could', () =>
    full(async (scene) => {
      const run = await scene.fails(step());
      expect(run.message).toContain('BRANCHES_LIMIT_EXCEEDED');
      expect(run.message).toContain(
        'The project has no room for another branch. Delete stale branches (`on_limit: prune`',
      );
      expect(names(scene)).toHaveLength(4);
      // Does the name exist?
      expect(run.calls).toEqual(['POST /branches 422', 'GET /branches 200']);
      expect(run.annotations.warning).toEqual([]);
    }));

  it('speaks of root branches if there is no room for another one', () =>
    withScenario({ operationMs: 5, rootBranchLimit: 1 }, async (scene) => {
      const run = await scene.fails(step({ branch_type: 'schema-only' }));
      expect(run.message).toContain('ROOT_BRANCHES_LIMIT_EXCEEDED');
      expect(run.message).toContain('no room for another root branch');
    }));
});

describe('on_limit: prune', () => {
  it('prunes once and creates the branch, whatever `wait` says', () =>
    full(async (scene) => {
      const run = await scene.succeeds(step({ on_limit: 'prune', wait: 'false' }));
      expect(run.outputs).toMatchObject({ created: 'true', branch_name: 'preview/pr-7' });
      expect(JSON.parse(run.outputs.pruned ?? '')).toHaveLength(2);
      expect(names(scene)).toEqual(['main', 'preview/pr-4', 'preview/pr-7']);
      expect(run.calls.filter((call) => call.startsWith('POST'))).toEqual(['POST /branches 422', 'POST /branches 201']);
      expect(run.summary).toContain('| `preview/pr-2` |');
    }));

  it('names the operations to wait for if it times out after that', () =>
    full(async (scene) => {
      scene.service.faults.operation({ action: 'create_branch', outcome: 'never' });
      const run = await scene.fails(step({ on_limit: 'prune', timeout: '15s' }));
      const ids = JSON.parse(run.outputs.operation_ids ?? '') as string[];
      expect(run.outputs.created).toBe('true');
      expect(JSON.parse(run.outputs.pruned ?? '')).toHaveLength(2);
      expect(run.message).toMatch(/`command: wait` and `operation_ids: [\w,-]+`/);
      expect(ids.some((id) => run.message.includes(`operation_ids: ${id}`))).toBe(true);
    }));

  it('never prunes the parent of the new branch', () =>
    full(async (scene) => {
      const run = await scene.succeeds(step({ on_limit: 'prune', parent_branch: 'preview/pr-2' }));
      expect(run.outputs.created).toBe('true');
      expect(names(scene)).toContain('preview/pr-2');
    }));

  it('fails if that frees no slot', () =>
    full(async (scene) => {
      for (const number of [2, 3]) github.state.addPull({ number });
      const run = await scene.fails(step({ on_limit: 'prune' }));
      expect(run.message).toContain('pruning freed no slot: no branch is stale');
      expect(run.calls.filter((call) => call.startsWith('POST'))).toHaveLength(1);
    }));

  it('fails with the reason if GitHub cannot be read', () =>
    full(async (scene) => {
      github.fault({ times: 99, response: { status: 502, body: '' } });
      const run = await scene.fails(step({ on_limit: 'prune' }));
      expect(run.message).toContain('BRANCHES_LIMIT_EXCEEDED');
      expect(run.message).toContain(
        'pruning failed: could not read the state of any pull request (#2, #3, #4): GitHub responded with 502',
      );
      expect(names(scene)).toHaveLength(4);
    }));

  it('respects the inputs that limit `prune`', () =>
    full(async (scene) => {
      const run = await scene.succeeds(step({ on_limit: 'prune', exclude_pattern: '*-2' }));
      expect(names(scene)).toEqual(['main', 'preview/pr-2', 'preview/pr-4', 'preview/pr-7']);
      expect(run.maskedLog()).toMatch(/Kept branch "preview\/pr-2" .*: it matches `exclude_pattern`/);
      expect((await scene.fails(step({ on_limit: 'prune', closed_for: '1d', branch_name: 'x' }))).message).toContain(
        'pruning freed no slot: no branch is stale',
      );
    }));

  it('says so if every stale branch has a child that is kept', () =>
    withScenario({ operationMs: 5, branchLimit: 3 }, async (scene) => {
      await scene.service.addBranches([ours(2), { ...ours(4), parent: 'preview/pr-2' }]);
      const run = await scene.fails(step({ on_limit: 'prune' }));
      expect(run.message).toMatch(
        /422 BRANCHES_LIMIT_EXCEEDED, [^;]*; pruning freed no slot: every stale branch has a child branch that is kept\. /,
      );
      expect(names(scene)).toEqual(['main', 'preview/pr-2', 'preview/pr-4']);
    }));

  it('prunes only once', () =>
    full(async (scene) => {
      scene.service.faults.add({
        method: 'POST',
        path: /branches$/,
        status: 422,
        body: { request_id: 'r', code: 'BRANCHES_LIMIT_EXCEEDED', message: 'full' },
      });
      const run = await scene.fails(step({ on_limit: 'prune' }));
      expect(run.message).toContain('another branch took it');
      expect(run.calls.filter((call) => call.startsWith('POST'))).toHaveLength(2);
    }));

  describe('if there is no room for another root branch', () => {
    const schemaOnly = () => step({ on_limit: 'prune', branch_type: 'schema-only' });
    /** A root branch of a closed pull request, with a child of another one. */
    const withRoot = (test: (scene: Scenario) => Promise<void>) =>
      withScenario({ operationMs: 5, rootBranchLimit: 2 }, async (scene) => {
        github.state.addPull({ number: 5, state: 'closed' });
        await scene.succeeds({ event: pullRequest({ number: 2 }), inputs: { branch_type: 'schema-only' } });
        await scene.service.addBranches([ours(3), { ...ours(5), parent: 'preview/pr-2' }]);
        await test(scene);
      });

    it('deletes no branch whose deletion would not help', () =>
      withScenario({ operationMs: 5, rootBranchLimit: 1 }, async (scene) => {
        await scene.service.addBranches([ours(2), ours(3)]);
        const run = await scene.fails(schemaOnly());
        expect(run.message).toContain('ROOT_BRANCHES_LIMIT_EXCEEDED');
        expect(run.message).toContain('pruning freed no slot: no root branch is stale');
        expect(names(scene)).toEqual(['main', 'preview/pr-2', 'preview/pr-3']);
        expect(run.requests.filter(({ method }) => method === 'DELETE')).toEqual([]);
        expect(run.outputs.pruned).toBe('[]');
      }));

    it('deletes stale root branches and their children only', () =>
      withRoot(async (scene) => {
        const run = await scene.succeeds(schemaOnly());
        expect(names(scene)).toEqual(['main', 'preview/pr-3', 'preview/pr-7']);
        expect(run.outputs.pruned).toMatch(/"preview\/pr-5".*"preview\/pr-2"/);
      }));

    it('says so if a stale root branch cannot be deleted', () =>
      withRoot(async (scene) => {
        const path = new RegExp(scene.service.branch('preview/pr-2')?.id ?? '');
        scene.service.faults.add({ method: 'DELETE', path, status: 409 });
        const run = await scene.fails(schemaOnly());
        expect(run.message).toContain('pruning freed no slot: the stale branches could not be deleted');
        expect(run.annotations.warning).toEqual([
          expect.stringContaining('1 branch could not be pruned: "preview/pr-2"'),
        ]);
        expect(names(scene)).toEqual(['main', 'preview/pr-2', 'preview/pr-3']);
      }));
  });

  it('requires a token, and says so before the first request', () =>
    full(async (scene) => {
      const run = await scene.fails(step({ on_limit: 'prune', github_token: ' ' }));
      expect(run.message).toContain('github_token');
      expect(run.requests).toEqual([]);
    }));

  it('prunes nothing without the permission to read pull requests', () =>
    full(async (scene) => {
      await github.close();
      github = await startGitHub({ token, permissions: { pullRequests: 'none' } });
      const run = await scene.fails(step({ on_limit: 'prune' }));
      expect(run.message).toContain('`permissions: { pull-requests: read }`');
      expect(names(scene)).toHaveLength(4);
    }));
});

describe('on_limit: wait', () => {
  it('waits for room, and logs each attempt', () =>
    full(async (scene) => {
      const run = await scene.succeeds({
        ...step({ on_limit: 'wait' }),
        cancel: {
          // No signal is sent: at this moment, another job deletes its branch.
          at: async (running) => {
            await running.line(/no room for branch "preview\/pr-7" yet; retrying in 2s/);
            await scene.service.removeBranch('preview/pr-4');
          },
          signals: [],
        },
      });
      expect(run.outputs.created).toBe('true');
      expect(names(scene)).toEqual(['main', 'preview/pr-2', 'preview/pr-3', 'preview/pr-7']);
    }));

  it('ends at the timeout', () =>
    full(async (scene) => {
      const run = await scene.fails(step({ on_limit: 'wait', timeout: '10s' }));
      expect(run.message).toMatch(
        // A slow machine may still be sending the last request then.
        /Timed out after 10s .*(waiting for another branch to be deleted or expire, to make room for branch "preview\/pr-7"\. Delete a branch, set `on_limit: prune`, or raise `timeout`\.$|create branch "preview\/pr-7")/,
      );
      expect(run.outputs.created).toBe('false');
    }));
});

it('finds an existing branch even if the project is full', () =>
  full(async (scene) => {
    scene.service.faults.add({
      method: 'POST',
      path: /branches$/,
      status: 422,
      body: { request_id: 'r', code: 'BRANCHES_LIMIT_EXCEEDED', message: 'full' },
    });
    const run = await scene.succeeds({ ...step({}), event: pullRequest({ number: 4 }) });
    expect(run.outputs).toMatchObject({ created: 'false', branch_name: 'preview/pr-4' });
  }));
