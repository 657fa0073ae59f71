import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { pullRequest } from '../../tools/runner/events.ts';
import { type Cancellation, cancelSignals, killed } from '../../tools/runner/process.ts';
import type { Fault } from '../../tools/service/index.ts';
import { type Played, type Scenario, withScenario } from '../support/scenario.ts';

const event = pullRequest({ number: 7 });
const name = 'preview/pr-7';
/** The runner's signals with shorter delays: the action does not wait for the second one. */
const interrupted = cancelSignals(0.05);
const create = { method: 'POST', path: /\/branches$/ };
const ephemeral = { command: 'create', ephemeral: 'true' };

/** Resolves when the service has received a request, whether or not it has acted on it. */
const seen = (scene: Scenario, path: RegExp) => async () => {
  while (!scene.service.requests.some((one) => path.test(`${one.method} ${one.path}`))) await delay(2);
};

interface KillPoint {
  at: (scene: Scenario) => Cancellation['at'];
  /** Whether the step may have ended before the first signal arrives. */
  mayBeLate?: boolean;
  fault?: Fault;
  inputs?: Record<string, string>;
}

const points: Record<string, KillPoint> = {
  'after its first log line': { at: () => /^Running `create`/ },
  'while it looks up its parent': {
    at: (scene) => seen(scene, /^GET .*\/branches$/),
    inputs: { parent_branch: 'main' },
    fault: { method: 'GET', path: /\/branches$/, delay: 600 },
  },
  'while the create is sent, and the service acts on it later': {
    at: (scene) => seen(scene, /^POST .*\/branches$/),
    fault: { ...create, late: 600 },
  },
  'after the service has acted, before it responds': {
    at: (scene) => seen(scene, /^POST .*\/branches$/),
    fault: { ...create, delay: 600 },
  },
  'while it receives the response': {
    at: (scene) => seen(scene, /^POST .*\/branches$/),
    fault: { ...create, drip: 25 },
  },
  'while it looks up the branch after a lost response': {
    at: (scene) => seen(scene, /^GET .*\/branches$/),
    fault: { ...create, close: 'after' },
  },
  'after the response': { at: () => /^Created branch/ },
  'while waiting': { at: () => /^Operation create_branch/ },
  'while writing outputs': { at: () => /^::notice title=Database Branch/, mayBeLate: true },
};

/** Runs main and post in a project with other branches, which must not change. */
async function play(
  scene: Scenario,
  options: { cancel?: Cancellation; inputs?: Record<string, string> },
): Promise<Played> {
  const { service } = scene;
  await service.addBranches(['preview/pr-70', 'my-preview/pr-7'].map((other) => ({ name: other })));
  const bystanders = JSON.stringify(service.branches().filter((one) => one.name !== name));
  const run = await scene.play({ event, ...options, inputs: { ...ephemeral, ...options.inputs }, post: true });
  await service.idle();
  expect(JSON.stringify(service.branches().filter((one) => one.name !== name))).toBe(bystanders);
  return run;
}

function expectNothingLeft(scene: Scenario, run: Played): void {
  expect(scene.service.branch(name)).toBeUndefined();
  expect(scene.service.endpoints().some((one) => one.branch_id === run.outputs.branch_id)).toBe(false);
  expect(run.post).toMatchObject({ code: 0, conclusion: 'success', stderr: '' });
  // If the step was killed before it sent its request, the post step cannot know that: it waits for the branch, then warns.
  const sent = run.calls.some((call) => call.startsWith('POST'));
  const unseen = sent ? [] : [expect.stringContaining('the branch did not appear within')];
  expect([[], unseen]).toContainEqual(run.post?.annotations.warning);
  expect(run.post?.annotations).toMatchObject({ notice: [], error: [] });
}

it('a branch that lists and reads do not know yet is found by the post step', async () => {
  await withScenario({ propagation: { lists: 2, reads: 1 } }, async (scene) => {
    const run = await play(scene, { cancel: { at: /^Created branch/, signals: killed } });
    expectNothingLeft(scene, run);
  });
});

describe.concurrent('a run that is killed', () => {
  // SIGKILL everywhere, because nothing can be done about it any more; SIGINT where the step has something to do.
  const interruptible = ['after the service has acted, before it responds', 'while waiting'];
  const cases = Object.entries(points).flatMap(([when, point]) => [
    { when, point, how: 'SIGKILL', signals: killed },
    ...(interruptible.includes(when) ? [{ when, point, how: 'SIGINT', signals: interrupted }] : []),
  ]);
  it.each(cases)('$when ($how) leaves no branch', async ({ point, signals }) => {
    await withScenario({ operationMs: 150 }, async (scene) => {
      if (point.fault) scene.service.faults.add({ nth: 1, ...point.fault });
      const run = await play(scene, { cancel: { at: point.at(scene), signals }, inputs: point.inputs ?? {} });
      if (!point.mayBeLate) expect(run.sent.length).toBeGreaterThan(0);
      expectNothingLeft(scene, run);
    });
  });

  const some = cases.filter(({ when }) => interruptible.includes(when));
  it.each(some)('$when ($how) does not touch a branch of another run', async ({ point, signals }) => {
    // Nothing is created, and the post step sees at once which run owns the branch.
    await withScenario({ operationMs: 150 }, async (scene) => {
      await scene.service.addBranch({ name, annotations: { 'github-run-id': '99' } });
      if (point.fault) scene.service.faults.add({ nth: 1, ...point.fault });
      const before = JSON.stringify(scene.service.branch(name));
      const at = point.at(scene);
      const run = await play(scene, {
        inputs: point.inputs ?? {},
        cancel: {
          at: at instanceof RegExp ? new RegExp(at.source.replace('Created|Operation create_branch', 'Reusing')) : at,
          signals,
        },
      });
      expect(JSON.stringify(scene.service.branch(name))).toBe(before);
      expect(run.post).toMatchObject({ code: 0, conclusion: 'success', annotations: { error: [] } });
    });
  });
});
