import { describe, expect, it } from 'vitest';

import { deleteRef, type GitHubEvent, pullRequest, push } from '../../tools/runner/events.ts';
import { type Played, scenario, withScenario } from '../support/scenario.ts';

const scene = scenario();
let last = 6_000;
const fresh = () => {
  const number = ++last;
  return { number, event: pullRequest({ number }), name: `preview/pr-${number}` };
};
const changes = (run: Played) =>
  run.requests
    .filter(({ method, status }) => method !== 'GET' && status < 400)
    .map(({ method, path }) => `${method} ${path}`);
const theirs = (number: number) => ({ 'github-commit-repo': 'octo/api', 'github-pr-number': String(number) });

describe('a branch whose name comes from the event, of another repository', () => {
  it.each([
    { command: 'create' },
    { command: 'create', if_exists: 'reset' },
    { command: 'create', if_exists: 'recreate' },
    { command: 'get' },
    { command: 'reset' },
    { command: 'delete' },
  ] as Record<string, string>[])('is neither used nor changed: %j', async (inputs) => {
    const { number, name } = fresh();
    const action = inputs.command === 'delete' ? 'closed' : 'opened';
    const { id } = await scene.service.addBranch({ name, annotations: theirs(number) });
    const run = await scene.fails({ event: pullRequest({ number, action }), inputs });
    expect(run.message).toContain(
      `Branch "${name}" (${id}) belongs to pull request #${number} of octo/api, not to pull request #${number} of octo-org/octo-repo. Nothing was changed.`,
    );
    expect(run.message).toContain('`branch_name`');
    expect(changes(run)).toEqual([]);
    expect(run.outputs).not.toHaveProperty('db_url');
  });
});

describe('the metadata of a branch', () => {
  const repository = 'octo-org/octo-repo';

  it.each([
    ['another pull request', { 'github-commit-repo': repository, 'github-pr-number': '1' }],
    ['another pull request, without a repository', { 'github-pr-number': '1' }],
  ])('that names %s keeps the branch from being used', async (_, annotations) => {
    const { event, name } = fresh();
    await scene.service.addBranch({ name, annotations });
    expect((await scene.fails({ event })).message).toContain('belongs to pull request #1');
  });

  it('may have the number of the pull request as a number', async () => {
    await withScenario({}, async (scene) => {
      const { number, name } = fresh();
      const { id } = await scene.service.addBranch({ name });
      const value = { 'github-commit-repo': repository, 'github-pr-number': 8 };
      const transform = (body: unknown) => ({ ...(body as object), annotations: { [id]: { value } } });
      scene.service.faults.add({ method: 'GET', path: /\/branches$/, transform });
      const run = await scene.play({ event: pullRequest({ number, action: 'closed' }) });
      expect(run.message).toContain(`belongs to pull request #8 of ${repository}`);
      expect(changes(run)).toEqual([]);
    });
  });

  it('that names another git ref keeps the branch from being used', async () => {
    await scene.service.addBranch({ name: 'preview/x', annotations: { 'github-commit-ref': 'y' } });
    const event = push({ ref: 'refs/heads/x' });
    expect((await scene.fails({ event })).message).toContain('belongs to git branch "y", not to git branch "x"');
  });

  it('that names only a pull request keeps the branch from being used on a push', async () => {
    await scene.service.addBranch({ name: 'preview/z', annotations: { 'github-pr-number': '1' } });
    const event = push({ ref: 'refs/heads/z' });
    expect((await scene.fails({ event })).message).toContain('belongs to pull request #1, not to git branch "z"');
  });

  it('that names only another git ref keeps the branch from being used by a pull request', async () => {
    const { event, name } = fresh();
    await scene.service.addBranch({ name, annotations: { 'github-commit-ref': 'another-ref' } });
    expect((await scene.fails({ event })).message).toContain('belongs to git branch "another-ref"');
  });

  it('is compared without regard to case, or to how Unicode is composed', async () => {
    const upper = fresh();
    await scene.service.addBranch({
      name: upper.name,
      annotations: { 'github-commit-repo': repository.toUpperCase(), 'github-pr-number': String(upper.number) },
    });
    await scene.succeeds({ event: upper.event });
  });

  it.each<Record<string, string>>([{}, { 'github-commit-repo': '', 'github-pr-number': '', 'github-commit-ref': '' }])(
    'may be missing: %j',
    async (annotations) => {
      const { event, name } = fresh();
      const { id } = await scene.service.addBranch({ name, annotations });
      expect((await scene.succeeds({ event })).outputs.branch_id).toBe(id);
    },
  );
});

describe('a repository', () => {
  const as = (repository: string, id: string) => ({ GITHUB_REPOSITORY: repository, GITHUB_REPOSITORY_ID: id });

  it('keeps its branches when it is renamed, and one that takes over its name gets none', async () => {
    const { number, event, name } = fresh();
    const created = await scene.succeeds({ event, env: as('octo/old', '11') });
    expect(scene.service.annotations(name)).toMatchObject({ 'github-repository-id': '11' });
    const renamed = await scene.succeeds({ event, env: as('octo/new', '11') });
    expect(renamed.outputs).toMatchObject({ created: 'false', branch_id: created.outputs.branch_id });
    const other = await scene.fails({ event, env: as('octo/old', '12') });
    expect(other.message).toContain('Nothing was changed.');
    const closed = pullRequest({ number, action: 'closed' });
    await scene.fails({ event: closed, env: as('octo/old', '12') });
    const named = { event: closed, inputs: { branch_name: name } };
    expect((await scene.succeeds({ ...named, env: as('octo/old', '12') })).outputs.deleted).toBe('false');
    expect((await scene.succeeds({ ...named, env: as('octo/new', '11') })).outputs.deleted).toBe('true');
  });

  it('is known by its name if either side has no ID', async () => {
    const { event, name } = fresh();
    await scene.service.addBranch({ name, annotations: { 'github-commit-repo': 'octo/a' } });
    await scene.succeeds({ event, env: as('octo/a', '11') });
    await scene.fails({ event, env: as('octo/b', '11') });
    await scene.succeeds({ event, env: as('octo/a', '') });
  });
});

describe('a list of branches without metadata', () => {
  it.each(['create', 'reset', 'delete', 'get'])('makes no branch anybody’s (%s)', async (command) => {
    const { number, name } = fresh();
    const { id } = await scene.service.addBranch({ name, annotations: theirs(number) });
    const transform = (body: unknown) => ({ ...(body as object), annotations: undefined });
    const fault = scene.service.faults.add({ method: 'GET', path: /\/branches$/, transform });
    const action = command === 'delete' ? 'closed' : 'opened';
    const run = await scene.fails({ event: pullRequest({ number, action }), inputs: { command } });
    fault.remove();
    expect(run.message).toContain(`Branch "${name}" (${id}) belongs to pull request #${number} of octo/api`);
    expect(changes(run)).toEqual([]);
  });
});

describe('`auto` on an event that ends something', () => {
  const repository = { 'github-commit-repo': 'octo-org/octo-repo' };

  it.each<[string, (number: number) => Record<string, string>, (number: number) => GitHubEvent]>([
    ['a branch that somebody made by hand', () => ({}), (number) => pullRequest({ number, action: 'closed' })],
    [
      'a branch of a push',
      () => ({ ...repository, 'github-commit-ref': 'main' }),
      (number) => pullRequest({ number, action: 'closed' }),
    ],
    [
      'the branch of another pull request',
      (number) => ({ ...repository, 'github-pr-number': String(number + 1) }),
      (number) => pullRequest({ number, action: 'closed' }),
    ],
    ["another repository's branch", theirs, (number) => pullRequest({ number, action: 'closed' })],
    [
      'the branch of another git ref',
      () => ({ ...repository, 'github-commit-ref': 'main' }),
      () => deleteRef({ ref: 'feature/old' }),
    ],
    [
      'the branch of a git branch when a tag of its name is deleted',
      () => ({ ...repository, 'github-commit-ref': 'v1' }),
      () => deleteRef({ ref: 'v1', refType: 'tag' }),
    ],
    [
      'a branch of main when a pull request from main of a fork is closed',
      () => ({ ...repository, 'github-commit-ref': 'main' }),
      (number) => pullRequest({ number, action: 'closed', head: 'main', fork: 'someone/octo-repo' }),
    ],
  ])('keeps %s, which the step names', async (_, metadata, event) => {
    const { number } = fresh();
    const name = `staging-${number}`;
    const createdAt = Date.now() - 300 * 86_400_000;
    const { id } = await scene.service.addBranch({ name, annotations: metadata(number), createdAt });
    for (const inputs of [{ branch_name: name }, { branch_id: id }] as Record<string, string>[]) {
      const run = await scene.succeeds({ event: event(number), inputs });
      expect(run.outputs).toMatchObject({ command: 'delete', deleted: 'false', branch_id: id });
      expect(run.annotations.notice).toEqual([expect.stringMatching(/^Kept branch .*, because .*`command: delete`/)]);
      expect(run.annotations.warning.filter((line) => !line.includes('which the step names'))).toEqual([]);
      expect(changes(run)).toEqual([]);
    }
    expect(scene.service.branch(name)).toBeDefined();
  });

  it('deletes the branch that its own create made under that name', async () => {
    const { number, event } = fresh();
    const inputs = { branch_name: `shared-${number}` };
    await scene.succeeds({ event, inputs });
    const run = await scene.succeeds({ event: pullRequest({ number, action: 'closed' }), inputs });
    expect(run.outputs.deleted).toBe('true');
    await scene.succeeds({ event: push({ ref: 'refs/heads/feature/x' }), inputs });
    const ended = await scene.succeeds({ event: deleteRef({ ref: 'feature/x' }), inputs });
    expect(ended.outputs.deleted).toBe('true');
  });

  it("deletes a tag's branch on the end of the tag, and not of a git branch of its name", async () => {
    const inputs = { branch_name: `tagged-${fresh().number}` };
    await scene.succeeds({ event: push({ ref: 'refs/tags/v1' }), inputs });
    const kept = await scene.succeeds({ event: deleteRef({ ref: 'v1' }), inputs });
    expect(kept.annotations.notice.join()).toContain(
      '(ID 1296269), and `auto` deletes only what belongs to git branch "v1" of octo-org/octo-repo',
    );
    const run = await scene.succeeds({ event: deleteRef({ ref: 'v1', refType: 'tag' }), inputs });
    expect(run.outputs.deleted).toBe('true');
  });
});

describe('a branch that the step names, of another repository', () => {
  it.each([
    { command: 'reset' },
    { command: 'create', if_exists: 'reset' },
    { command: 'create', if_exists: 'recreate' },
    { command: 'delete' },
    { command: 'get' },
    { command: 'create' },
  ] as Record<string, string>[])('is used with one warning: %j', async (inputs) => {
    const { number, name } = fresh();
    await scene.service.addBranch({ name, annotations: theirs(number) });
    const run = await scene.succeeds({ inputs: { branch_name: name, ...inputs } });
    expect(run.annotations.warning.filter((line) => line.includes('belongs to pull request'))).toHaveLength(1);
  });
});
