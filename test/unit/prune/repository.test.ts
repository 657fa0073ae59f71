import { describe, expect, it } from 'vitest';
import { parseGlob } from '../../../src/text/glob.ts';
import { repository, world } from './world.ts';

/** The requests to GitHub of a dry run: `/pulls`, `/pulls/7`, `/branches`. */
const asked = (calls: string[]) =>
  calls.filter((call) => call.startsWith('GitHub')).map((call) => call.replace('GitHub /octo-org/octo-repo', ''));

describe('pull requests are read', () => {
  it('each by itself if there are few', async () => {
    const all = world();
    for (const number of [1, 500, 1_000]) all.add(number);
    for (let number = 600; number < 900; number++) all.gitHub.addPull({ number, state: 'closed' });
    expect(Object.keys((await all.prune({ dryRun: true })).planned)).toHaveLength(3);
    // The open ones twice, the newest page, and then the two that are far away.
    expect(asked(all.calls).sort()).toEqual(['/pulls', '/pulls', '/pulls', '/pulls/1', '/pulls/500']);
  });

  it('page by page if there are many, only as far back as is needed', async () => {
    const all = world();
    for (let number = 801; number <= 1_000; number++) all.add(number);
    for (let number = 1; number < 801; number++) all.gitHub.addPull({ number, state: 'closed' });
    await all.prune({ dryRun: true });
    expect(asked(all.calls)).toEqual(Array(4).fill('/pulls'));
  });

  it('not at all if nothing depends on them', async () => {
    const all = world();
    all.addUnnamed('preview/7');
    expect((await all.prune()).kept['preview/7']).toContain('`branch_pattern` is not set');
    expect(asked(all.calls)).toEqual([]);
  });
});

describe('a number that is no pull request', () => {
  it.each([
    ['read by itself', [7]],
    ['passed over by a list', [7, 8, 9, 10, 11]],
  ])('is none if %s', async (_, numbers) => {
    const all = world();
    for (const number of numbers) all.add(number, { pull: 'none' });
    all.gitHub.addPull({ number: 12, state: 'closed' });
    const { kept } = await all.prune();
    expect(kept['preview/pr-7']).toBe('pull request #7 does not exist');
  });
});

describe('a repository that cannot be read', () => {
  it('ends a prune that is about no other', async () => {
    for (const status of [401, 403, 404, 500]) {
      const all = world();
      all.add(1);
      all.before((call) => (call.startsWith('GitHub') ? { status, body: { message: 'no' } } : undefined));
      await expect(all.prune({ olderThan: 1 })).rejects.toThrow(
        /^Could not read the pull requests of octo-org\/octo-repo: /,
      );
      expect(all.calls.filter((call) => call.startsWith('DELETE'))).toEqual([]);
    }
  });

  it('keeps its branches, and is named', async () => {
    const all = world();
    all.addRepository('octo-org/web').addPull({ number: 3, state: 'closed' });
    const metadata = { 'github-commit-repo': 'Octo-Org/web' };
    all.add(3, { name: 'of web', metadata, pull: 'none' });
    all.add(4, { name: 'of api', metadata: { 'github-commit-repo': 'octo-org/api' }, pull: 'none' });
    all.add(5);
    const { deleted, kept } = await all.prune({ repositories: ['octo-org/web', 'octo-org/api'] });
    expect(deleted).toEqual({ 'of web': 'pull request #3 is closed' });
    expect(kept).toEqual({
      'of api': 'the pull requests of octo-org/api could not be read',
      'preview/pr-5': 'it belongs to pull request #5 of octo-org/octo-repo',
    });
    expect(all.warnings).toEqual([
      expect.stringMatching(/octo-org\/api.*404.* The branches that depend on it are kept\.$/),
    ]);
  });

  it('keeps the remaining branches if it fails later, and fails the step', async () => {
    const all = world();
    all.add(1);
    let sent = 0;
    all.before((call) => {
      if (call.startsWith('DELETE') && ++sent === 1) return { status: 429, headers: { 'retry-after': '11' } };
      return call.endsWith('/pulls') && sent > 0 ? { status: 500 } : undefined;
    });
    await expect(all.prune()).rejects.toThrow('500');
    expect(all.left()).toEqual(['preview/pr-1']);
  });

  it('fails the step if no other is asked', async () => {
    const all = world();
    const web = all.addRepository('octo-org/web');
    all.add(3, { metadata: { 'github-commit-repo': web.fullName } });
    all.before((call) => (call.includes('/web/pulls') ? { status: 403, body: { message: 'no' } } : undefined));
    await expect(all.prune({ repositories: [repository, web.fullName] })).rejects.toThrow('403');
  });
});

it.each([
  ['on GitHub', 'https://github.com', ''],
  ['on Forgejo', 'https://Forgejo.test', 'forgejo.test/'],
])('a repository is told by its ID from another one that has or had its name, %s', async (_, server, prefix) => {
  const all = world();
  // The schedules of Forgejo, and some of Gitea, don't say the ID of the run's own repository.
  Object.assign(all.step.event, { repositoryId: '', github: { ...all.step.event.github, server } });
  const { id } = all.gitHub;
  all.gitHub.addPull({ number: 3, state: 'closed' });
  for (const [name, own] of Object.entries({ ours: id, theirs: id + 1 })) {
    all.add(3, { name, pull: 'none', metadata: { 'github-repository-id': `${prefix}${own}` } });
  }
  const { deleted, kept } = await all.prune();
  expect(deleted).toEqual({ ours: 'pull request #3 is closed' });
  expect(kept).toEqual({ theirs: `it belongs to pull request #3 of ${repository} (ID ${prefix}${id + 1})` });
});

it('git branches that cannot be read hold only branches without metadata', async () => {
  const all = world();
  all.add(1);
  all.addUnnamed('preview/old');
  all.before((call) =>
    call.startsWith('GitHub') && call.endsWith('/branches') ? { status: 403, body: { message: 'no' } } : undefined,
  );
  const { deleted, kept } = await all.prune({ patterns: [parseGlob('preview/*')], closedFor: 1 });
  expect(Object.keys(deleted)).toEqual(['preview/pr-1']);
  expect(kept).toEqual({ 'preview/old': 'the git branches of octo-org/octo-repo are unknown' });
  // Without the git branches, the pull requests that were closed since are of no use.
  expect(asked(all.calls)).toEqual(['/pulls', '/pulls', '/pulls/1', '/branches']);
  expect(all.warnings).toEqual([expect.stringMatching(/contents: read.* The branches that depend on it are kept\.$/)]);
});

it('git branches that can be read no more hold branches without metadata, too', async () => {
  const all = world();
  for (let number = 1; number <= 60; number++) all.add(number);
  all.addUnnamed('preview/old');
  let isBroken = false;
  all.before((call) => {
    if (call.startsWith('DELETE')) isBroken = true;
    return isBroken && call.endsWith('/branches') && call.startsWith('GitHub') ? { status: 403, body: {} } : undefined;
  });
  const { kept } = await all.prune({ patterns: [parseGlob('preview/*')] });
  expect(kept).toEqual({ 'preview/old': 'the git branches of octo-org/octo-repo are unknown' });
});

describe('lists that shift while they are read', () => {
  it('hide no git branch', async () => {
    const all = world();
    const names = Array.from({ length: 132 }, (_, index) => `b${100 + index}`);
    for (const name of names) all.gitHub.addBranch(name);
    all.addUnnamed('preview/b200');
    let pages = 0;
    all.before((call) => {
      // The first entry of the second page moves to the end of the first one.
      if (call.endsWith('/branches') && call.startsWith('GitHub') && ++pages === 2) all.gitHub.branches.delete('b100');
      return undefined;
    });
    expect((await all.prune({ patterns: [parseGlob('preview/*')] })).deleted).toEqual({});
    expect(all.left()).toEqual(['preview/b200']);
  });

  it('hide no open pull request', async () => {
    const all = world();
    for (let number = 1; number <= 130; number++) all.gitHub.addPull({ number, head: `f${number}` });
    // Another one from the same git branch, which the second page begins with.
    all.add(200, { metadata: { 'github-commit-ref': 'f30' } });
    let pages = 0;
    all.before((call) => {
      const pull = all.gitHub.pulls.get(130);
      if (call.endsWith('/pulls') && ++pages === 2 && pull) all.gitHub.setPullState(pull, 'closed');
      return undefined;
    });
    expect((await all.prune()).kept['preview/pr-200']).toContain('pull request #30 from a git branch of this name');
  });
});

it('a repository that GitHub does not know is named, and fails the step if there is no other', async () => {
  const alone = world();
  alone.add(1);
  await expect(alone.prune({ repositories: ['octo-org/wbe'] })).rejects.toThrow(/repository octo-org\/wbe: .*404/);
  const all = world();
  all.add(1);
  const { deleted } = await all.prune({ repositories: ['octo-org/octo-repo', 'octo-org/wbe'] });
  expect(Object.keys(deleted)).toEqual(['preview/pr-1']);
  expect(all.warnings).toEqual([expect.stringContaining('octo-org/wbe')]);
});
