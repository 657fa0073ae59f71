import { afterEach, beforeEach, expect } from 'vitest';
import { type GitHub, type GitHubOptions, startGitHub } from '../../tools/github/index.ts';
import { schedule } from '../../tools/runner/events.ts';
import type { AddedBranch, ServiceOptions } from '../../tools/service/index.ts';
import { type Play, type Played, type Scenario, withScenario } from './scenario.ts';

const token = 'ghs_secretTokenOfThisRun';
export const repository = 'octo-org/octo-repo';
export const day = 86_400_000;

/** A stand-in for GitHub, a new one for each test of a file that calls `eachTestWithGitHub`. */
export let github: GitHub;
export async function startOver(options: GitHubOptions = {}): Promise<void> {
  await github?.close();
  github = await startGitHub({ token, ...options });
}
export function eachTestWithGitHub(): void {
  beforeEach(() => startOver());
  afterEach(() => github.close());
}

/** A branch as the action creates it for a pull request. */
export function ofPull(number: number, more: Partial<AddedBranch> = {}): AddedBranch {
  return {
    name: `preview/pr-${number}`,
    endpoint: false,
    ...more,
    annotations: { 'github-commit-repo': repository, 'github-pr-number': String(number), ...more.annotations },
  };
}

export function step(inputs: Record<string, string> = {}): Play {
  return { action: 'prune', event: schedule(), inputs, env: github.env };
}

export function names(scene: Scenario): string[] {
  return scene.service
    .branches()
    .map((branch) => branch.name)
    .sort();
}

export function pruned(run: Played): Record<string, string> {
  const list = JSON.parse(run.outputs.pruned ?? 'null') as { id: string; name: string; reason: string }[];
  for (const one of list) expect(Object.keys(one).sort()).toEqual(['id', 'name', 'reason']);
  return Object.fromEntries(list.map((one) => [one.name, one.reason]));
}

export const deletes = (run: Played) => run.calls.filter((call) => call.startsWith('DELETE'));

/** A new service for each test, because tests count all branches of the project. Its branches have no metadata but their own. */
export function inProject(
  specs: AddedBranch[],
  test: (scene: Scenario) => Promise<void>,
  options: ServiceOptions = {},
) {
  return withScenario({ operationMs: 5, ...options }, async (scene) => {
    await scene.service.addBranches(specs.map((one) => ({ annotations: {}, ...one })));
    await test(scene);
  });
}
