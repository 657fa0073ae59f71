import { afterEach, describe, expect, it, vi } from 'vitest';
import { timeOf } from '../../../src/prune/project.ts';
import { parseGlob } from '../../../src/text/glob.ts';
import { day, repository, world } from './world.ts';

/** What a dry run says of one branch: why it is stale, or `kept: …`. */
async function verdict(
  build: (all: ReturnType<typeof world>) => void,
  settings: Parameters<ReturnType<typeof world>['prune']>[0] = {},
): Promise<string> {
  const all = world();
  build(all);
  const { planned, kept } = await all.prune({ ...settings, dryRun: true });
  return [...Object.values(planned), ...Object.values(kept).map((why) => `kept: ${why}`)].join(' | ');
}

afterEach(() => void vi.unstubAllEnvs());

const ago = (days: number) => new Date(Date.parse('2026-03-04T05:06:07Z') - days * day).toISOString();
const exclude = ['staging-*', 'preview/g*'].map(parseGlob);

describe('a branch with metadata', () => {
  const none = { 'github-pr-number': '' };
  it.each<[string, Parameters<ReturnType<typeof world>['add']>[1], Parameters<typeof verdict>[1], string]>([
    ['closed', {}, {}, 'pull request #7 is closed'],
    ['merged', { pull: { state: 'merged' } }, {}, 'pull request #7 is closed'],
    ['open', { pull: { state: 'open' } }, {}, 'kept: pull request #7 is open'],
    [
      'open and old',
      { pull: { state: 'open' }, created_at: ago(99) },
      { olderThan: 9 * day },
      'kept: pull request #7 is open',
    ],
    ['missing', { pull: 'none' }, {}, 'kept: pull request #7 does not exist'],
    ['missing and old', { pull: 'none', created_at: ago(99) }, { olderThan: 9 * day }, 'it is older than 9d'],
    ['no number', { metadata: none, name: 'x' }, {}, 'kept: its metadata names no pull request'],
    [
      'no number and old',
      { metadata: none, name: 'x', created_at: ago(10) },
      { olderThan: 9 * day },
      'it is older than 9d',
    ],
    [
      'no number and young',
      { metadata: none, name: 'x', created_at: ago(8) },
      { olderThan: 9 * day },
      'kept: it is not older than 9d',
    ],
    [
      'no number and no age',
      { metadata: none, name: 'x', created_at: '' },
      { olderThan: 1 },
      'kept: its age is unknown',
    ],
    [
      'a number in its name only',
      { metadata: none, pull: { state: 'open' }, created_at: ago(99) },
      { olderThan: 1 },
      'kept: pull request #7 is open',
    ],
    [
      'no valid number',
      { metadata: { 'github-pr-number': '7; x' } },
      {},
      'kept: its metadata has no number of a pull request, but "7; x"',
    ],
    [
      'another repository',
      { metadata: { 'github-commit-repo': 'octo-org/b' } },
      {},
      'kept: it belongs to pull request #7 of octo-org/b',
    ],
    [
      'this repository in another case',
      { metadata: { 'github-commit-repo': repository.toUpperCase() } },
      {},
      'pull request #7 is closed',
    ],
    [
      'no repository',
      { metadata: { 'github-commit-repo': '' } },
      { patterns: [parseGlob('*')] },
      'kept: it belongs to pull request #7',
    ],
    [
      'other metadata',
      { metadata: { 'github-commit-repo': '', ...none, owner: 'alice' } },
      { patterns: [parseGlob('*')] },
      'kept: it has metadata that names no repository',
    ],
    ['protected', { protected: true }, {}, 'kept: it is protected'],
    [
      'unknown protection',
      { protected: undefined },
      {},
      'kept: the service does not say whether it is the default branch or protected',
    ],
    ['excluded', { name: 'staging-1' }, { exclude }, 'kept: it matches `exclude_pattern`'],
    ['closed for 8 days', { pull: { closedAt: ago(8) } }, { closedFor: 7 * day }, 'pull request #7 is closed'],
    [
      'closed for 6 days',
      { pull: { closedAt: ago(6) } },
      { closedFor: 7 * day },
      'kept: pull request #7 has been closed for less than 7d (`closed_for`)',
    ],
    [
      'closed for 6 days, and old',
      { pull: { closedAt: ago(6) }, created_at: ago(10) },
      { closedFor: 7 * day, olderThan: 9 * day },
      'it is older than 9d',
    ],
    ['never used', { created_at: ago(5) }, { unusedFor: 4 * day }, 'pull request #7 is closed'],
    [
      'never used and young',
      { created_at: ago(3) },
      { unusedFor: 4 * day },
      'kept: it was last used 3d ago, which is less than `unused_for`',
    ],
    [
      'reset',
      { created_at: ago(5), last_reset_at: ago(3) },
      { unusedFor: 4 * day },
      'kept: it was last used 3d ago, which is less than `unused_for`',
    ],
    [
      'no zone',
      { metadata: none, name: 'x', created_at: ago(1).slice(0, 19) },
      { olderThan: day - 3_600_000 },
      'it is older than 23h',
    ],
  ])('%s', async (_, fields, settings, expected) => {
    expect(await verdict((all) => void all.add(7, fields), settings)).toBe(expected);
  });

  it('is kept if its git ref is the head of another open pull request', async () => {
    const kept = 'kept: pull request #8 from a git branch of this name ("feature") is open';
    const build = (state: 'open' | 'closed') => (all: ReturnType<typeof world>) => {
      all.add(7, { metadata: { 'github-commit-ref': 'feature' } });
      all.gitHub.addPull({ number: 8, state, head: 'feature', fork: 'someone/octo-repo' });
    };
    expect(await verdict(build('open'))).toBe(kept);
    expect(await verdict(build('open'), { olderThan: 1 })).toBe(kept);
    expect(await verdict(build('closed'))).toBe('pull request #7 is closed');
  });

  it.each([
    ['ci/41', 'pull request #41 is open'],
    ['ci/pull_41/x', 'pull request #41 is open'],
    ['preview/fix/login', 'pull request #41 from a git branch of this name ("fix/login") is open'],
    ['e2e-fix-login', 'pull request #41 from a git branch of this name ("fix/login") is open'],
    ['dev/anna/fixlogin-2', 'pull request #41 from a git branch of this name ("fix/login") is open'],
    ['ci/other', undefined],
    ['ci/a41f', undefined],
  ])('that names no pull request is kept for an open one that its name is about: %s', async (name, why) => {
    const build = (all: ReturnType<typeof world>) => {
      all.add(7, { name, metadata: { ...none, 'github-commit-ref': 'main' }, created_at: ago(5) });
      all.gitHub.addPull({ number: 41, head: 'fix/login' });
    };
    expect(await verdict(build, { olderThan: day })).toBe(why ? `kept: ${why}` : 'it is older than 24h');
  });

  it('that names a closed pull request is not kept for another one by its name', async () => {
    const build = (all: ReturnType<typeof world>) => {
      all.add(7, { name: 'preview/pr-7-login', metadata: { 'github-commit-ref': '' } });
      all.gitHub.addPull({ number: 41, head: 'login' });
      // Its git branch is gone.
      all.gitHub.addPull({ number: 43, head: '' });
      all.gitHub.addPull({ number: 42, head: '🎉' });
    };
    expect(await verdict(build)).toBe('pull request #7 is closed');
  });

  it('is judged by when its compute was last active', async () => {
    const build = (fields: Record<string, unknown>) => (all: ReturnType<typeof world>) => {
      const { id } = all.add(7);
      all.account.addEndpoint(id, fields);
    };
    const settings = { unusedFor: 4 * day };
    expect(await verdict(build({ last_active: ago(5) }), settings)).toBe('pull request #7 is closed');
    expect(await verdict(build({ last_active: ago(3) }), settings)).toContain('it was last used 3d ago');
    expect(await verdict(build({}), settings)).toBe('kept: it is unknown when it was last used');
  });

  it('is kept in any case if it is the parent of a new branch', async () => {
    expect(await verdict((all) => void all.add(7), { spare: 'br-1' })).toBe('kept: it is the parent of the new branch');
  });
});

describe('a branch without metadata', () => {
  const patterns = [parseGlob('preview/*')];
  const judged = (name: string, build: (all: ReturnType<typeof world>) => void = () => {}, more = {}) =>
    verdict(
      (all) => {
        all.addUnnamed(name);
        all.gitHub.addPull({ number: 1 });
        all.gitHub.addPull({ number: 2, state: 'closed', closedAt: ago(3) });
        all.gitHub.addBranch('there');
        build(all);
      },
      { patterns, ...more },
    );

  it.each([
    ['preview/gone', 'git branch "gone" does not exist'],
    ['preview/there', 'kept: git branch "there" exists, or a pull request from it is open'],
    ['preview/THERE', 'kept: git branch "there" exists, or a pull request from it is open'],
    ['preview/pr-2', 'pull request #2 is closed'],
    ['preview/pr-2-login', 'pull request #2 is closed'],
    ['preview/pr-2/api', 'git branch "pr-2/api" does not exist'],
    ['preview/pr-1', 'kept: pull request #1 is open'],
    ['preview/pull_1', 'kept: pull request #1 is open'],
    ['preview/fix-001', 'kept: pull request #1 is open'],
    // No pull request has one of these numbers: they hold nothing.
    ['preview/dependabot/foo-3.7.0', 'git branch "dependabot/foo-3.7.0" does not exist'],
    ['preview/tags/v2', 'kept: its name is that of a tag'],
    ['preview/refs/tags/v2', 'kept: its name is that of a tag'],
    ['preview/feat/tags/filter', 'git branch "feat/tags/filter" does not exist'],
    ['other/gone', 'kept: it has no metadata, and its name does not match `branch_pattern`'],
  ])('%s: %s', async (name, expected) => {
    expect(await judged(name)).toBe(expected);
  });

  it('is kept if its git branch is the head of an open pull request, or its pull request was closed just now', async () => {
    const merged = (all: ReturnType<typeof world>) =>
      void all.gitHub.addPull({ number: 8, head: 'merged', state: 'closed', closedAt: ago(3), updatedAt: ago(3) });
    const recent =
      'kept: git branch "merged" exists, or a pull request from it is open or has been closed for less than 4d';
    expect(await judged('preview/merged', merged, { closedFor: 4 * day })).toBe(recent);
    expect(await judged('preview/merged', merged, { closedFor: 2 * day })).toBe('git branch "merged" does not exist');
    const fork = (all: ReturnType<typeof world>) => void all.gitHub.addPull({ number: 9, head: 'forked', fork: 'a/b' });
    expect(await judged('preview/forked', fork)).toBe(
      'kept: git branch "forked" exists, or a pull request from it is open',
    );
    expect(await judged('preview/pr-2', undefined, { closedFor: 4 * day })).toContain(
      'has been closed for less than 4d',
    );
  });

  it('is kept as a tag also if the pattern says `tags/`', async () => {
    const all = world();
    all.addUnnamed('tags/v2');
    expect((await all.prune({ patterns: [parseGlob('tags/*')] })).kept['tags/v2']).toBe('its name is that of a tag');
  });

  it.each(['p*', '*', '**/*', '?review/*', '*e', '*-1', '*feature*', 'preview/f*', 'preview/f?ature-*', '*/??*'])(
    'is kept for an existing git branch, and for that of an open pull request, whatever the pattern: %s',
    async (text) => {
      const all = world();
      const odd = ['fix/#123', 'größe', 'a+b', 'deps/@types/node-20', `release/${'x'.repeat(90)}`];
      for (const name of ['feature-1', 'fork', 'gone-1', ...odd]) all.addUnnamed(`preview/${name}`);
      for (const name of ['feature-1', ...odd]) all.gitHub.addBranch(name);
      all.gitHub.addBranch('there');
      all.gitHub.addPull({ number: 99, head: 'fork', fork: 'a/b' });
      const { planned } = await all.prune({ patterns: [parseGlob(text)], dryRun: true });
      expect(Object.keys(planned).filter((name) => name !== 'preview/gone-1')).toEqual([]);
    },
  );

  it.each([
    ['preview/*/*', 'preview/web/login'],
    ['preview/*/*', 'preview/login/web'],
    ['preview-*-*', 'preview-web-login'],
    ['*--*', 'login--api'],
    ['*/db-*', 'login/db-web'],
    ['*_*', 'alice_login'],
    // The pattern itself has a part of the git branch's name.
    ['preview/lo*/*', 'preview/login/api'],
    ['*-db', 'shop-login-db', 'login-db'],
    ['fix/*/*', 'fix/login/api', 'fix/login'],
    ['preview/*-?', 'preview/login-1'],
    ['preview-?/*-shard-??', 'preview-1/login-shard-02'],
    // Nothing is between the pattern's own text and the wildcard.
    ['dev*', 'devlogin'],
    ['dev*', 'devfix/login', 'fix/login'],
    ['preview/*db', 'preview/logindb'],
    ['*db', 'logindb'],
    // A wildcard that cuts a word.
    ['pr*', 'preview/login'],
    ['e2e/shard*', 'e2e/shard1-login'],
  ])('is kept if it has the name of an existing git branch, wherever the wildcards are: %s', async (...given) => {
    const [text, name, branch = 'login'] = given as string[] as [string, string, string?];
    const all = world();
    all.addUnnamed(name);
    all.gitHub.addBranch(branch);
    expect((await all.prune({ patterns: [parseGlob(text)] })).deleted).toEqual({});
    all.gitHub.branches.delete(branch);
    expect(Object.keys((await all.prune({ patterns: [parseGlob(text)] })).deleted)).toEqual([name]);
  });

  it('is not kept for an existing git branch that is only what is put before it', async () => {
    const build = (all: ReturnType<typeof world>) => void all.gitHub.addBranch('dev');
    expect(await judged('dev/d', build, { patterns: [parseGlob('dev/*')] })).toBe('git branch "d" does not exist');
  });

  it('is kept if no wildcard says which git branch it is for', async () => {
    const why = 'kept: no part of its name is matched by a wildcard of `branch_pattern`';
    expect(await judged('spike', undefined, { patterns: [parseGlob('spike')] })).toBe(why);
  });

  it('is kept if it has metadata that the list does not show', async () => {
    const all = world();
    for (const name of ['preview/a', 'preview/b']) all.addUnnamed(name);
    all.account.on('GET /branches', (sent) => {
      const { body } = all.account.carryOut(sent) as { body: object };
      return { body: { ...body, annotations: {} } };
    });
    all.account.metadata['br-1'] = { 'github-commit-repo': 'octo-org/other' };
    const { deleted, kept } = await all.prune({ patterns });
    expect(kept).toEqual({ 'preview/a': 'it has metadata that the list of branches does not show' });
    expect(Object.keys(deleted)).toEqual(['preview/b']);
  });

  it('is kept by what it says of itself right before its deletion', async () => {
    const all = world();
    const ids = ['preview/a', 'preview/b', 'preview/c'].map((name) => all.addUnnamed(name).id);
    all.before((call) => {
      const [a, b] = all.account.branches.filter(({ id }) => ids.includes(id as string));
      if (call === 'GET /branches/*') Object.assign(a ?? {}, { protected: true });
      if (call === 'GET /branches/*') Object.assign(b ?? {}, { name: 'staging' });
      return undefined;
    });
    const { deleted, kept } = await all.prune({ patterns });
    expect(kept).toEqual({ 'preview/a': 'it is protected', 'preview/b': 'it was renamed to "staging"' });
    expect(Object.keys(deleted)).toEqual(['preview/c']);
  });

  it('is kept if the list has no metadata at all, and the step fails', async () => {
    const all = world();
    all.addUnnamed('preview/gone');
    all.account.on('GET /branches', (sent) => {
      const { body } = all.account.carryOut(sent) as { body: object };
      return { body: { ...body, annotations: undefined } };
    });
    await expect(all.prune({ patterns })).rejects.toThrow('The service lists branches without their metadata');
    expect(all.account.branches.map(({ name }) => name)).toContain('preview/gone');
  });

  it('is judged by every pattern of a list that it matches', async () => {
    const all = world();
    for (const name of ['preview/there', 'preview/gone', 'ci/gone', 'other/gone']) all.addUnnamed(name);
    all.gitHub.addBranch('there');
    const { planned } = await all.prune({ patterns: ['*e*', 'preview/*', 'ci/*'].map(parseGlob), dryRun: true });
    expect(Object.keys(planned)).toEqual(['preview/gone', 'ci/gone', 'other/gone']);
  });

  it('is held by any of several repositories', async () => {
    const all = world();
    for (const name of ['preview/pr-2', 'preview/web-only', 'preview/gone']) all.addUnnamed(name);
    all.gitHub.addPull({ number: 2, state: 'closed' });
    const web = all.addRepository('octo-org/web');
    web.addPull({ number: 2 });
    web.addBranch('web-only');
    const { planned } = await all.prune({ patterns, repositories: [repository, 'octo-org/web'], dryRun: true });
    expect(planned).toEqual({ 'preview/gone': 'git branch "gone" does not exist' });
  });
});

it('a pattern that protects nothing is a warning', async () => {
  const all = world();
  all.add(1, { name: 'staging-1' });
  await all.prune({ exclude: ['staging-*', 'Staging-*', 'refs/heads/staging-*'].map(parseGlob), dryRun: true });
  expect(all.warnings).toEqual([
    expect.stringContaining('"Staging-*" protects nothing'),
    expect.stringContaining('"refs/heads/staging-*" protects nothing'),
  ]);
});

it.each([
  ['2026-03-04T05:06:07Z', '2026-03-04T05:06:07.000Z'],
  ['2026-03-04T05:06:07.5', '2026-03-04T05:06:07.500Z'],
  ['2026-03-04 05:06:07', '2026-03-04T05:06:07.000Z'],
  ['2026-03-04T05:06:07+02:30', '2026-03-04T02:36:07.000Z'],
])('%s is %s, wherever the runner is', (text, expected) => {
  vi.stubEnv('TZ', 'America/New_York');
  expect(new Date(timeOf(text)).toISOString()).toBe(expected);
});
