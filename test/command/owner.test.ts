import { describe, expect, it } from 'vitest';
import { pullRequest, push } from '../../tools/runner/events.ts';
import { type Played, scenario } from '../support/scenario.ts';

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
    { command: 'diff' },
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

  it('that names another git ref keeps the branch from being used', async () => {
    await scene.service.addBranch({ name: 'preview/x', annotations: { 'github-commit-ref': 'y' } });
    const event = push({ ref: 'refs/heads/x' });
    expect((await scene.fails({ event })).message).toContain('belongs to git ref "y", not to git ref "x"');
  });

  it('that names only a pull request keeps the branch from being used on a push', async () => {
    await scene.service.addBranch({ name: 'preview/z', annotations: { 'github-pr-number': '1' } });
    const event = push({ ref: 'refs/heads/z' });
    expect((await scene.fails({ event })).message).toContain('belongs to pull request #1, not to git ref "z"');
  });

  it('that names only another git ref keeps the branch from being used by a pull request', async () => {
    const { event, name } = fresh();
    await scene.service.addBranch({ name, annotations: { 'github-commit-ref': 'another-ref' } });
    expect((await scene.fails({ event })).message).toContain('belongs to git ref "another-ref"');
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

describe('a branch that the step names, of another repository', () => {
  it.each([
    [{ command: 'reset' }, 1],
    [{ command: 'create', if_exists: 'reset' }, 1],
    [{ command: 'create', if_exists: 'recreate' }, 1],
    [{ command: 'delete' }, 1],
    [{ command: 'get' }, 0],
    [{ command: 'create' }, 0],
  ] as [Record<string, string>, number][])('is used: %j, with %i warnings', async (inputs, warnings) => {
    const { number, name } = fresh();
    await scene.service.addBranch({ name, annotations: theirs(number) });
    const run = await scene.succeeds({ inputs: { branch_name: name, ...inputs } });
    expect(run.annotations.warning.filter((line) => line.includes('belongs to pull request'))).toHaveLength(warnings);
  });
});
