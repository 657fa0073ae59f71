import { expect, it } from 'vitest';
import { startGitHub } from '../../tools/github/index.ts';
import { pullRequest, schedule } from '../../tools/runner/events.ts';
import type { Fault } from '../../tools/service/index.ts';
import { type Play, type Played, type Scenario, withScenario } from '../support/scenario.ts';

const name = 'preview/pr-7';
const repository = 'octo-org/octo-repo';
/** Each branch has its own. */
const annotations = () => ({ 'github-commit-repo': repository, 'github-pr-number': '7' });
const open = pullRequest({ number: 7 });
const closed = pullRequest({ number: 7, action: 'closed' });

type Branch = { id: string };
const set = ({ service }: Scenario, { id }: Branch, fields: object) => Object.assign(service.branch(id) ?? {}, fields);

/** What someone else does to a branch, and how a step names it. */
const changes = {
  'was renamed to "kept"': (scene: Scenario, branch: Branch) => set(scene, branch, { name: 'kept' }),
  "became the project's default branch": (scene: Scenario, branch: Branch) => set(scene, branch, { default: true }),
  'was protected': (scene: Scenario, branch: Branch) => set(scene, branch, { protected: true }),
  'was reassigned to pull request #8 of octo-org/octo-repo': (scene: Scenario, { id }: Branch) =>
    Object.assign(scene.service.annotations(id), { 'github-pr-number': '8' }),
} satisfies Record<string, (scene: Scenario, branch: Branch) => unknown>;
type Change = keyof typeof changes;

const deletes = { method: 'DELETE', path: /\/branches\/[\w-]+$/ };
const restores = { method: 'POST', path: /\/restore$/ };

/** The project is locked once, for about two seconds, in which the branch changes. */
function changesDuring(scene: Scenario, options: { request: Pick<Fault, 'method' | 'path'>; change: () => unknown }) {
  const when = () => {
    options.change();
    return true;
  };
  scene.service.faults.add({ ...options.request, when, times: 1, status: 423, headers: { 'retry-after': '2' } });
}

const sent = (run: Played) =>
  run.calls.filter((call) => /^(DELETE|POST .*restore)/.test(call)).map((call) => call.replace(/.* /, ''));

const plays: Record<string, { play: Play; request: Pick<Fault, 'method' | 'path'>; not: string }> = {
  delete: { play: { event: closed }, request: deletes, not: 'deleted' },
  recreate: { play: { event: open, inputs: { if_exists: 'recreate' } }, request: deletes, not: 'deleted' },
  reset: { play: { event: open, inputs: { command: 'reset' } }, request: restores, not: 'reset' },
  'create with a reset': { play: { event: open, inputs: { if_exists: 'reset' } }, request: restores, not: 'reset' },
};

it.concurrent.each([
  ...Object.keys(changes).flatMap((change) => ['delete', 'reset'].map((command) => [command, change])),
  ['recreate', 'was renamed to "kept"'],
  ['recreate', 'was protected'],
  ['create with a reset', 'was protected'],
] as [string, Change][])('%s is not retried on a branch that %s', async (command, change) => {
  const { play, request, not } = plays[command] as (typeof plays)[string];
  await withScenario({}, async (scene) => {
    const branch = await scene.service.addBranch({ name, annotations: annotations() });
    changesDuring(scene, { request, change: () => changes[change](scene, branch) });
    const run = await scene.fails(play);
    const why = change.startsWith('was reassigned') ? ' (see its metadata)' : '';
    expect(run.message).toContain(
      `Branch "${name}" (${branch.id}) ${change} in the meantime${why}, so it was not ${not}.`,
    );
    expect(sent(run)).toEqual(['423']);
    expect(scene.service.branch(branch.id)?.last_reset_at).toBeUndefined();
  });
});

/** Calls this half a second after the first list of branches was requested, whose response takes two seconds more. */
function changesDuringList(scene: Scenario, change: () => unknown) {
  const when = () => {
    setTimeout(change, 500);
    return true;
  };
  scene.service.faults.add({ method: 'GET', path: /\/branches$/, when, times: 1, delay: 2_500 });
}

const reassigned = 'was reassigned to pull request #8 of octo-org/octo-repo';

it.concurrent.each([
  ...Object.keys(plays).map((command) => [command, reassigned]),
  ['delete', 'was renamed to "kept"'],
  ['reset', 'was protected'],
] as [string, Change][])('%s is not sent if the branch %s while its list was on its way', async (command, change) => {
  const { play, not } = plays[command] as (typeof plays)[string];
  await withScenario({}, async (scene) => {
    const branch = await scene.service.addBranch({
      name,
      annotations: annotations(),
      createdAt: Date.now() - 86_400_000,
    });
    changesDuringList(scene, () => changes[change](scene, branch));
    const run = await scene.fails(play);
    expect(run.message).toContain(`Branch "${name}" (${branch.id}) ${change} in the meantime`);
    expect(run.message).toContain(`so it was not ${not}.`);
    expect(sent(run)).toEqual([]);
  });
});

it.concurrent.each<[string, Record<string, string>]>([
  ['reset', {}],
  ['reset', { branch_name: name }],
  ['create with a reset', {}],
  ['create with a reset', { branch_name: name }],
])(
  '%s is not sent if the last read before it says that the branch belongs to someone else: %j',
  async (command, names) => {
    const { play } = plays[command] as (typeof plays)[string];
    await withScenario({}, async (scene) => {
      // Of a new branch, another read is made before its masking is believed to be off.
      const branch = await scene.service.addBranch({ name, annotations: annotations(), createdAt: Date.now() });
      const when = () => Boolean(changes[reassigned](scene, branch));
      scene.service.faults.add({ method: 'GET', path: /\/branches\/[\w-]+$/, when, times: 1, delay: 0 });
      const run = await scene.fails({ ...play, inputs: { ...play.inputs, ...names } });
      expect(run.message).toMatch(
        /belongs to pull request #8 .*, not to pull request #7|was reassigned to pull request #8/,
      );
      expect(sent(run)).toEqual([]);
    });
  },
);

it.concurrent('a branch that is reassigned while the list for a prune is on its way is kept', async () => {
  const github = await startGitHub({ token: 'ghs_secretTokenOfThisRun' });
  github.state.addPull({ number: 7, state: 'closed' });
  try {
    await withScenario({}, async (scene) => {
      const branch = await scene.service.addBranch({ name, annotations: annotations() });
      changesDuringList(scene, () => changes[reassigned](scene, branch));
      const run = await scene.succeeds({ event: schedule(), inputs: { command: 'prune' }, env: github.env });
      expect(run.stdout).toContain(`Kept branch "${name}" (${branch.id}): it ${reassigned} in the meantime`);
      expect(sent(run)).toEqual([]);
    });
  } finally {
    await github.close();
  }
});

it.concurrent('a branch that is renamed before its reset is created again', async () => {
  await withScenario({}, async (scene) => {
    const branch = await scene.service.addBranch({ name, annotations: annotations() });
    changesDuring(scene, { request: restores, change: () => set(scene, branch, { name: 'kept' }) });
    const run = await scene.succeeds({ event: open, inputs: { if_exists: 'reset' } });
    expect(run.outputs).toMatchObject({ created: 'true', db_url: scene.service.uri(name) });
    expect(scene.service.branch('kept')?.last_reset_at).toBeUndefined();
  });
});

it.concurrent('a branch that is renamed before its expiry is set is created again, and the other one does not expire', async () => {
  await withScenario({ operationMs: { start_compute: 2_500 } }, async (scene) => {
    const branch = await scene.service.addBranch({ name, annotations: annotations(), endpoint: false });
    const rename = () => Boolean(set(scene, branch, { name: 'kept' }));
    scene.service.faults.add({ method: 'POST', path: /\/endpoints$/, times: 1, when: rename, delay: 0 });
    const run = await scene.succeeds({ event: open, inputs: { expires_in: '2h' } });
    expect(run.outputs).toMatchObject({ created: 'true', db_url: scene.service.uri(name) });
    expect(scene.service.branch('kept')?.expires_at).toBeUndefined();
  });
});

const patches = { method: 'PATCH', path: /\/branches\/[\w-]+$/ };

it.concurrent.each<[string, Record<string, string>]>([
  ['expiry after its reset', { command: 'reset', expires_in: '2h' }],
  ['protection', { protected: 'true' }],
])('a branch that is renamed gets no %s', async (_, inputs) => {
  await withScenario({}, async (scene) => {
    const branch = await scene.service.addBranch({ name, annotations: annotations() });
    changesDuring(scene, { request: patches, change: () => set(scene, branch, { name: 'kept' }) });
    const run = await scene.play({ event: open, inputs });
    expect(run.calls.filter((call) => call.startsWith('PATCH'))).toHaveLength(1);
    expect(scene.service.branch('kept')).toMatchObject({ id: branch.id, protected: false });
    expect(scene.service.branch('kept')?.expires_at).toBeUndefined();
    if (inputs.command === 'reset') expect(run.message).toContain('so it was not given an expiry');
    else expect(run.outputs).toMatchObject({ created: 'true', db_url: scene.service.uri(name) });
  });
});

it.concurrent.each<[string, Pick<Fault, 'method' | 'path'>]>([
  ['create', { method: 'POST', path: /\/branches$/ }],
  ['reset', restores],
])('a parent that is renamed is not used by a %s', async (command, request) => {
  await withScenario({}, async (scene) => {
    const parent = await scene.service.addBranch({ name: 'release' });
    if (command === 'reset') await scene.service.addBranch({ name, annotations: annotations() });
    changesDuring(scene, { request, change: () => set(scene, parent, { name: 'release (old)' }) });
    const run = await scene.fails({ event: open, inputs: { command, parent_branch: 'release' } });
    expect(run.message).toContain('was renamed to "release (old)" in the meantime, so it was not used as the parent');
    expect(scene.service.branch(name)?.last_reset_at).toBeUndefined();
    if (command === 'create') expect(scene.service.branch(name)).toBeUndefined();
  });
});

it.concurrent.each(['delete', 'recreate', 'reset'])(
  '%s does not touch a branch that another run has created instead',
  async (command) => {
    const { play, request } = plays[command] as (typeof plays)[string];
    await withScenario({}, async (scene) => {
      const { id } = await scene.service.addBranch({ name, annotations: annotations() });
      let other: Promise<unknown> | undefined;
      const change = () => {
        other ??= scene.service
          .removeBranch(id)
          .then(() => scene.service.addBranch({ name, annotations: annotations() }));
      };
      changesDuring(scene, { request, change });
      const run = await scene.play(play);
      await other;
      const [now, ...more] = scene.service.branches().filter((branch) => branch.name === name);
      expect(more).toEqual([]);
      expect(now).toMatchObject({ id: expect.not.stringContaining(id) });
      expect(now?.last_reset_at).toBeUndefined();
      if (command === 'delete') expect(run.outputs).toMatchObject({ deleted: 'false', branch_id: id });
      if (command === 'recreate') expect(run.outputs).toMatchObject({ created: 'false', branch_id: now?.id });
      if (command === 'reset') expect(run.message).toContain('404');
    });
  },
);

it.concurrent('a branch that is renamed during a prune is not deleted', async () => {
  const github = await startGitHub({ token: 'ghs_secretTokenOfThisRun' });
  github.state.addPull({ number: 7, state: 'closed' });
  try {
    await withScenario({}, async (scene) => {
      const branch = await scene.service.addBranch({ name, annotations: annotations() });
      changesDuring(scene, { request: deletes, change: () => set(scene, branch, { name: 'kept' }) });
      const run = await scene.succeeds({ event: schedule(), inputs: { command: 'prune' }, env: github.env });
      expect(run.stdout).toContain(`Kept branch "${name}" (${branch.id}): it was renamed to "kept" in the meantime`);
      expect(sent(run)).toEqual(['423']);
    });
  } finally {
    await github.close();
  }
});

it.concurrent.each<[string, object, boolean]>([
  ['protected', { protected: true }, false],
  ['renamed to "kept"', { name: 'kept' }, false],
  ['protected', { protected: true }, true],
])(
  'the post step of `ephemeral` does not delete a branch that is %s while it retries',
  async (what, fields, isLost) => {
    await withScenario({}, async (scene) => {
      const run = await scene.succeeds({
        inputs: { branch_name: 'mine', ephemeral: 'true' },
        post: true,
        between: () => {
          const id = scene.service.branch('mine')?.id ?? '';
          if (isLost) scene.service.faults.add({ ...deletes, times: 1, close: 'before' });
          changesDuring(scene, { request: deletes, change: () => set(scene, { id }, fields) });
        },
      });
      const happened = `branch "mine" (${run.outputs.branch_id}), which this step created: it was ${what} in the meantime.`;
      expect(run.post?.annotations.warning).toEqual([
        isLost
          ? `Stopped deleting ${happened} An earlier request to delete it got no response, and may still take effect.`
          : `Kept ${happened}`,
      ]);
      expect(sent(run).filter((status) => status !== '423').length).toBe(isLost ? 1 : 0);
    });
  },
);

it.concurrent('says so if the deletion may take effect all the same', async () => {
  await withScenario({}, async (scene) => {
    const branch = await scene.service.addBranch({ name, annotations: annotations() });
    scene.service.faults.add({ ...deletes, times: 1, close: 'before' });
    changesDuring(scene, { request: deletes, change: () => set(scene, branch, { name: 'kept' }) });
    const run = await scene.fails({ event: closed });
    expect(run.message).toContain(
      'so the request to delete it was not sent again. An earlier attempt got no response, and may still take effect. Check the branch',
    );
  });
});
