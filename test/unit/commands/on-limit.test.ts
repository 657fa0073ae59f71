import { describe, expect, it } from 'vitest';
import { created, fullProject, main, noRoom, noRootRoom, old, refusal } from './full-project.ts';

describe('a create', () => {
  it('needs nothing else if the project has room', async () => {
    const { run, sent } = fullProject({ branches: [main], refusals: [], inputs: { on_limit: 'prune' } });
    expect(await run()).toBe(created);
    expect(sent()).toEqual([]);
  });

  it.each([refusal('PROJECTS_LIMIT_EXCEEDED'), refusal('', 404)])(
    'that fails for another reason (%j) fails with it, and prunes nothing',
    async (reply) => {
      const { run, sent } = fullProject({ branches: [old('a')], refusals: [reply], inputs: { on_limit: 'prune' } });
      await expect(run()).rejects.toMatchObject({ status: reply.status });
      expect(sent()).toEqual([]);
    },
  );
});

it.each([noRoom, noRootRoom])('`on_limit: fail` does nothing about %s', async (code) => {
  const { run, sent, attempts, lines, warnings } = fullProject({
    branches: [main, old('a', 'main')],
    refusals: [refusal(code)],
    inputs: { on_limit: 'fail' },
  });
  await expect(run()).rejects.toMatchObject({ message: `Could not create branch "new": 422 ${code}` });
  expect([attempts(), sent(), lines, warnings]).toEqual([1, [], [], []]);
});

describe('`on_limit: prune`', () => {
  const on_limit = 'prune';

  it('deletes stale branches, waits until they are gone and tries again', async () => {
    const { run, left, lines, warnings, sent, attempts } = fullProject({
      branches: [main, old('a', 'main'), old('b', 'main')],
      refusals: [refusal(noRoom)],
      inputs: { on_limit },
    });
    expect(await run()).toBe(created);
    expect([left(), attempts(), warnings]).toEqual([['main'], 2, []]);
    expect(sent().at(-1)?.path).toContain('/operations');
    expect(lines).toContain('The project has no room for branch "new"; pruning (`on_limit: prune`)');
    expect(lines.at(-1)).toBe('Pruned 2 branches; retrying');
  });

  it('never deletes the parent of the new branch', async () => {
    const { run, left } = fullProject({
      branches: [old('a'), old('b')],
      refusals: [refusal(noRoom)],
      inputs: { on_limit },
      parentId: 'a',
    });
    expect(await run()).toBe(created);
    expect(left()).toEqual(['a']);
  });

  it('prunes only once', async () => {
    const { message, attempts } = fullProject({
      branches: [old('a')],
      refusals: [refusal(noRoom), refusal(noRoom)],
      inputs: { on_limit },
    });
    expect(await message()).toMatch(/; pruning freed a slot, but another branch took it$/);
    expect(attempts()).toBe(2);
  });

  it('counts a branch that somebody else has deleted as a free slot', async () => {
    const { run } = fullProject({
      branches: [old('a')],
      refusals: [refusal(noRoom)],
      inputs: { on_limit },
      onDelete: () => ({ status: 404 }),
    });
    expect(await run()).toBe(created);
  });

  it.each([
    ['no branch is stale', noRoom, [main], []],
    ['every stale branch has a child branch that is kept', noRoom, [old('a'), { ...main, parent_id: 'a' }], []],
    ['no root branch is stale', noRootRoom, [main, old('a', 'main')], []],
    [
      'every stale root branch has a child branch that is kept',
      noRootRoom,
      [old('a'), { ...main, parent_id: 'a' }],
      [],
    ],
    ['the stale branches could not be deleted', noRoom, [main, old('a')], ['a']],
  ])('fails if %s', async (why, code, branches, failing) => {
    const { message, left, attempts } = fullProject({
      branches,
      refusals: [refusal(code)],
      inputs: { on_limit },
      onDelete: (id) => (failing.includes(id) ? { status: 403 } : undefined),
    });
    expect(await message()).toBe(`Could not create branch "new": 422 ${code}; pruning freed no slot: ${why}`);
    expect([left(), attempts()]).toEqual([branches.map(({ id }) => id), 1]);
  });

  it('deletes only root branches and their descendants if there is no room for a root branch', async () => {
    const { run, left, lines } = fullProject({
      branches: [main, old('a', 'main'), old('root'), old('b', 'root')],
      refusals: [refusal(noRootRoom)],
      inputs: { on_limit },
    });
    expect(await run()).toBe(created);
    expect(left()).toEqual(['main', 'a']);
    expect(lines.at(-1)).toBe('Pruned 2 branches; retrying');
  });

  it('names the branches that could not be deleted, even if others could', async () => {
    const branches = [main, old('a', 'main'), old('b', 'main')];
    const onDelete = (id: string) => (id === 'a' ? { status: 403 } : undefined);
    const { run, warnings } = fullProject({ branches, refusals: [refusal(noRoom)], inputs: { on_limit }, onDelete });
    expect(await run()).toBe(created);
    expect(warnings).toEqual(['1 branch could not be pruned: "a" (403)']);
  });

  it('has freed no slot for a root branch if only its child could be deleted', async () => {
    const { message, left, warnings } = fullProject({
      branches: [main, old('root'), old('b', 'root')],
      refusals: [refusal(noRootRoom)],
      inputs: { on_limit },
      onDelete: (id) => (id === 'root' ? { status: 403 } : undefined),
    });
    expect(await message()).toMatch(/; pruning freed no slot: the stale branches could not be deleted$/);
    expect(left()).toEqual(['main', 'root']);
    expect(warnings).toEqual([expect.stringMatching(/^1 branch could not be pruned: "root" /)]);
  });

  it('has freed no slot if the stale branch had to be kept after all', async () => {
    const stale = old('a');
    const { message, left, lines } = fullProject({
      branches: [main, stale],
      refusals: [refusal(noRoom)],
      inputs: { on_limit },
      onDelete: () => {
        Object.assign(stale, { name: 'renamed' });
        return { status: 423 };
      },
    });
    expect(await message()).toMatch(
      /; pruning freed no slot: a stale branch had to be kept after all; the log says why$/,
    );
    expect(lines).toContain('Kept branch "a" (a): it was renamed to "renamed" in the meantime');
    expect(left()).toEqual(['main', 'a']);
  });

  it('says why GitHub could not be read', async () => {
    const { message } = fullProject({
      branches: [{ id: 'a', metadata: { 'github-pr-number': '7' } }],
      refusals: [refusal(noRoom)],
      inputs: { on_limit },
    });
    expect(await message()).toMatch(
      /^Could not create branch "new": 422 .*; pruning failed: could not read the state of pull request #7: /,
    );
  });

  it('throws the error of the service if it cannot list the branches', async () => {
    const { message } = fullProject({
      branches: [main],
      refusals: [refusal(noRoom)],
      inputs: { on_limit },
      onList: () => ({ status: 403 }),
    });
    expect(await message()).toBe('Could not list the branches of the project: 403');
  });
});

describe('`on_limit: wait`', () => {
  const on_limit = 'wait';

  it('tries again until there is room, less and less often', async () => {
    const refusals = Array.from({ length: 9 }, () => refusal(noRoom));
    const { run, clock, lines, left } = fullProject({ branches: [old('a')], refusals, inputs: { on_limit } });
    expect(await run()).toBe(created);
    expect(clock.pauses).toEqual([2_000, 3_000, 4_500, 6_750, 10_125, 15_187.5, 22_781.25, 30_000, 30_000]);
    expect(lines).toHaveLength(9);
    expect(lines[0]).toBe('The project has no room for branch "new" yet; retrying in 2s');
    expect(left()).toEqual(['a']);
  });

  it('says what it was waiting for when it times out', async () => {
    const refusals = Array.from({ length: 99 }, () => refusal(noRoom));
    const { message } = fullProject({ branches: [main], refusals, inputs: { on_limit }, timeoutMs: 60_000 });
    expect(await message()).toMatch(
      / while waiting for another branch to be deleted or expire, to make room for branch "new"$/,
    );
  });
});
