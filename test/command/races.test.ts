import { describe, expect, it } from 'vitest';
import { pullRequest } from '../../tools/runner/events.ts';
import type { RecordedRequest, ServiceOptions } from '../../tools/service/index.ts';
import { type Play, type Played, type Scenario, withScenario } from '../support/scenario.ts';

const name = 'preview/pr-7';
const opened: Play = { event: pullRequest({ number: 7 }) };
const closed: Play = { event: pullRequest({ number: 7, action: 'closed' }) };

/** Gives each run its own GitHub run ID. */
const asRun = (index: number): Play => ({ env: { GITHUB_RUN_ID: String(5_000 + index) } });

function together(scene: Scenario, plays: Play[]): Promise<Played[]> {
  return Promise.all(plays.map((play) => scene.play(play)));
}

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const outcomes = (runs: Played[]) => runs.map((run) => run.message || run.conclusion);
const saying = (runs: Played[], output: 'created' | 'deleted') => runs.filter((run) => run.outputs[output] === 'true');
const named = (scene: Scenario, wanted = name) => scene.service.branches().filter((branch) => branch.name === wanted);
const taken = (scene: Scenario, method: string, path: RegExp): RecordedRequest[] =>
  scene.service.requests.filter((one) => one.method === method && path.test(one.path) && one.status < 300);

describe('concurrent runs with the same name', () => {
  it.each<[number, string, ServiceOptions]>([
    [6, '', {}],
    [3, ', if lists are stale', { propagation: { lists: 3 } }],
  ])('all succeed (%i runs) with one branch, which one of them reports as created%s', async (count, _, options) => {
    await withScenario({ operationMs: 40, ...options }, async (scene) => {
      const runs = await together(
        scene,
        many(count, (index) => ({ ...opened, ...asRun(index) })),
      );
      expect(outcomes(runs)).toEqual(many(count, () => 'success'));
      expect(saying(runs, 'created')).toHaveLength(1);
      const [branch, ...others] = named(scene);
      expect(others).toEqual([]);
      expect(scene.service.endpoints(name)).toHaveLength(1);
      expect(new Set(runs.map((run) => run.outputs.branch_id))).toEqual(new Set([branch?.id]));
      expect(new Set(runs.map((run) => run.outputs.db_url))).toEqual(new Set([scene.service.uri(name)]));
      expect(taken(scene, 'POST', /\/branches$/)).toHaveLength(1);
    });
  });

  it('create one endpoint for a branch that has none', async () => {
    await withScenario({ operationMs: 40 }, async (scene) => {
      await scene.service.addBranch({ name, endpoint: false });
      const runs = await together(
        scene,
        many(4, (index) => ({ ...opened, ...asRun(index) })),
      );
      expect(outcomes(runs)).toEqual(many(4, () => 'success'));
      expect(saying(runs, 'created')).toEqual([]);
      expect(scene.service.endpoints(name)).toHaveLength(1);
    });
  });

  it('all succeed with one branch if responses are lost', async () => {
    await withScenario({ operationMs: 40 }, async (scene) => {
      // Half of the responses to a create are lost, before or after it has acted.
      const create = { method: 'POST', path: /\/branches$/ };
      scene.service.faults.add({ ...create, nth: 1, close: 'after' });
      scene.service.faults.add({ ...create, nth: 2, close: 'before' });
      const runs = await together(
        scene,
        many(4, (index) => ({ ...opened, ...asRun(index) })),
      );
      expect(outcomes(runs)).toEqual(many(4, () => 'success'));
      expect(saying(runs, 'created')).toHaveLength(1);
      expect(named(scene)).toHaveLength(1);
    });
  });

  it('report the branch as created in only one job of a run', async () => {
    await withScenario({ operationMs: 40 }, async (scene) => {
      scene.service.faults.add({ method: 'POST', path: /\/branches$/, nth: 1, close: 'after' });
      const runs = await together(
        scene,
        many(3, () => opened),
      );
      expect(outcomes(runs)).toEqual(many(3, () => 'success'));
      expect(saying(runs, 'created')).toHaveLength(1);
      expect(named(scene)).toHaveLength(1);
    });
  });
});

describe('create and delete of the same name', () => {
  it('both succeed if the delete starts while the create is waiting, and no branch is left', async () => {
    await withScenario({ operationMs: 150 }, async (scene) => {
      let other: Promise<Played> | undefined;
      const run = await scene.play({
        ...opened,
        ...asRun(0),
        cancel: {
          at: async ({ line }) => {
            await line(/^Created branch/);
            other = scene.play({ ...closed, ...asRun(1) });
          },
          signals: [],
        },
      });
      const gone = await other;
      expect(outcomes([run, gone as Played])).toEqual(['success', 'success']);
      expect(run.outputs.created).toBe('true');
      expect(gone?.outputs).toMatchObject({ deleted: 'true', branch_id: run.outputs.branch_id });
      expect(named(scene)).toEqual([]);
    });
  });

  it('leave no branch if the delete overtakes operations in progress', async () => {
    await withScenario({ operationMs: 150, conflicts: 'queue' }, async (scene) => {
      const run = await scene.play({
        ...opened,
        cancel: {
          at: async ({ line }) => {
            await line(/^Created branch/);
            await scene.service.removeBranch(name);
          },
          signals: [],
        },
      });
      // The operations succeeded, but the branch was deleted in the meantime.
      expect(run.outputs.created).toBe('true');
      expect(named(scene)).toEqual([]);
    });
  });

  it.each(['locked', 'taken'] as const)(
    'create a new branch if the create comes right after the delete (%s)',
    async (nameOfDeleting) => {
      await withScenario({ operationMs: 120, nameBeingDeleted: nameOfDeleting }, async (scene) => {
        const old = await scene.service.addBranch({ name });
        const [gone, ...made] = await together(scene, [
          closed,
          ...many(2, (index) => ({ ...opened, ...asRun(index) })),
        ]);
        expect(outcomes([gone as Played])).toEqual(['success']);
        // Runs before the delete get the old branch, unless it goes while they read it; all others share one new branch.
        expect(outcomes(made).filter((one) => one !== 'success' && !one.includes('404'))).toEqual([]);
        const ids = new Set(made.flatMap(({ outputs: { branch_id: id } }) => (id === old.id ? [] : (id ?? []))));
        expect(ids.size).toBeLessThanOrEqual(1);
        expect(named(scene).length).toBe(ids.size);
        expect(saying(made, 'created')).toHaveLength(ids.size);
      });
    },
  );

  it('can alternate, and a final create still succeeds', async () => {
    await withScenario({ operationMs: 30, lockProject: true }, async (scene) => {
      const plays = many(6, (index) => ({ ...(index % 2 === 0 ? opened : closed), ...asRun(index) }));
      const runs = await together(scene, plays);
      for (const run of runs) {
        // A create may fail only because a delete overtook it after it had seen the branch.
        if (run.conclusion === 'failure') expect(run.message).toMatch(/deleted in the meantime|404/);
      }
      expect(named(scene).length).toBeLessThanOrEqual(1);
      const last = await scene.succeeds(opened);
      expect(named(scene).map((branch) => branch.id)).toEqual([last.outputs.branch_id]);
    });
  });
});

it('two concurrent deletes both succeed, and only one reports the branch as deleted', async () => {
  await withScenario({ operationMs: 80, missingDeleteStatus: 404 }, async (scene) => {
    await scene.service.addBranch({ name });
    const runs = await together(
      scene,
      many(2, (index) => ({ ...closed, ...asRun(index) })),
    );
    expect(outcomes(runs)).toEqual(['success', 'success']);
    expect(saying(runs, 'deleted')).toHaveLength(1);
    expect(named(scene)).toEqual([]);
  });
});

it('many runs all succeed in a project that each change locks', async () => {
  await withScenario({ operationMs: 25, lockProject: true }, async (scene) => {
    const plays = many(5, (index) => ({
      event: pullRequest({ number: 100 + index }),
      ...asRun(index),
    }));
    const runs = await together(scene, plays);
    expect(outcomes(runs)).toEqual(many(5, () => 'success'));
    expect(saying(runs, 'created')).toHaveLength(5);
    expect(scene.service.requests.some((one) => one.status === 423)).toBe(true);
    expect(scene.service.branches()).toHaveLength(6);
  });
});
