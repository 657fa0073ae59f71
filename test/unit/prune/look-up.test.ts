import { describe, expect, it } from 'vitest';
import { keptForRefs, lookUp } from '../../../src/prune/evidence.ts';
import { fieldsFor, type GitHubScript, pruneContext, stale } from './prune-context.ts';

/** GitHub's list of these git branches. */
const listOf = (...names: string[]) => ({
  defaultBranchRef: { name: 'main' },
  refs: { nodes: names.map((name) => ({ name })), pageInfo: { hasNextPage: false } },
});
const isList = (query: string) => query.includes('refPrefix');
const upTo = (most: number) => Array.from({ length: most }, (_, index) => index + 1);

/** GitHub with these closed pull requests. */
const closed =
  (...numbers: number[]): GitHubScript =>
  (query, variables) =>
    Object.fromEntries(
      Object.entries(fieldsFor(query, variables, {})).filter(([name]) => numbers.includes(Number(name.slice(1)))),
    );

async function lookedUp(gitHub: GitHubScript, lookups: { pullRequests?: number[]; gitBranches?: boolean }) {
  const { context, queries, warnings } = pruneContext([], undefined, gitHub);
  const { pullRequests = [], gitBranches = false } = lookups;
  const state = await lookUp(context, { runs: [], guesses: [], pullRequests, gitBranches });
  // None of these queries is about a single ref.
  expect(queries.join()).not.toMatch(/[hg]0:/);
  return { read: [...state.pullRequests.keys()], gitBranches: state.gitBranches, queries: queries.length, warnings };
}

describe('the lookup of pull requests', () => {
  it('sends nothing if there is nothing to look up', async () => {
    expect(await lookedUp(() => 500, {})).toEqual({ read: [], gitBranches: undefined, queries: 0, warnings: [] });
  });

  it('reads only pull requests if no rule depends on git branches', async () => {
    expect(await lookedUp(closed(7, 8), { pullRequests: [7, 8] })).toEqual({
      read: [7, 8],
      gitBranches: undefined,
      queries: 1,
      warnings: [],
    });
  });

  it.each([
    [[7, 8], [7], '1 pull request (#8). Treating it as open.'],
    [[10, 9, 7], [7], '2 pull requests (#9, #10). Treating them as open.'],
    [upTo(13), [1], '12 pull requests (#2, #3, #4, #5, #6, #7, #8, #9, #10, #11 and 2 more). Treating them as open.'],
  ])('warns about those that could not be read (%j)', async (pullRequests, readable, rest) => {
    const { read, warnings } = await lookedUp(closed(...readable), { pullRequests });
    expect(read).toEqual(readable);
    expect(warnings).toEqual([`Could not read the state of ${rest}`]);
  });

  it('says why they could not be read if GitHub does', async () => {
    const gitHub: GitHubScript = (query, variables) =>
      query.includes('p101:') ? new Error('Something broke.') : fieldsFor(query, variables, {});
    const { read, warnings } = await lookedUp(gitHub, { pullRequests: upTo(101) });
    expect(read).toHaveLength(100);
    expect(warnings).toEqual([
      'Could not read the state of 1 pull request (#101): Something broke. Treating it as open.',
    ]);
  });

  it('says which branches are those of a pull request that does not exist', async () => {
    const gitHub = () => new Error('Could not resolve to a PullRequest with the number of 8.');
    await expect(lookedUp(gitHub, { pullRequests: [8] })).rejects.toThrow(
      /pull request #8: .*\. No branch was pruned\. If this pull request doesn't exist, .* for it: those with its number in .*, or `pr-8` in their name\. Otherwise, run the step again\.$/,
    );
  });

  it.each([
    [
      () => new Error('Version 1.2 broke.'),
      'Version 1.2 broke',
      "If some of these pull requests don't exist, manually delete this repository's database branches for them: those with such a number in their metadata (`github-pr-number`), or `pr-<number>` in their name. Otherwise, run the step again.",
    ],
    [() => ({}), 'no readable response', 'Run the step again.'],
  ])('fails if it can read none', async (gitHub, why, next) => {
    await expect(lookedUp(gitHub, { pullRequests: [8, 7] })).rejects.toThrow(
      `Could not read the state of any pull request (#7, #8): ${why}. No branch was pruned. ${next}`,
    );
  });
});

describe('the lookup of git branches', () => {
  const failing = (problem: Error | number): GitHubScript => {
    return (query, variables) => (isList(query) ? problem : fieldsFor(query, variables, {}));
  };

  it('lists them all', async () => {
    const { gitBranches, warnings } = await lookedUp(() => listOf('main', 'login'), { gitBranches: true });
    expect(['login', 'gone'].map((ref) => gitBranches?.has(`preview/${ref}`, [ref]))).toEqual([true, false]);
    expect(warnings).toEqual([]);
  });

  const warning = (why: string) =>
    `Could not list all git branches: ${why}. Database branches that only \`branch_pattern\` selects are not pruned.`;

  it.each([
    [new Error('Something broke.'), 'Something broke'],
    [new Error(`a\n${'b'.repeat(400)}`), `a ${'b'.repeat(297)}…`],
  ])('warns if the list is not complete', async (problem, why) => {
    const { gitBranches, warnings } = await lookedUp(failing(problem), { gitBranches: true });
    expect([gitBranches, warnings]).toEqual([undefined, [warning(why)]]);
  });

  it('fails without a response, unless pull requests could be read', async () => {
    await expect(lookedUp(failing(502), { gitBranches: true })).rejects.toThrow(
      'Could not list the git branches: GitHub responded with 502, no. No branch was pruned.',
    );
    const { read, gitBranches, warnings } = await lookedUp(failing(502), { pullRequests: [7], gitBranches: true });
    expect([read, gitBranches, warnings]).toEqual([[7], undefined, [warning('GitHub responded with 502, no')]]);
  });
});

describe('the lookup of refs in use', () => {
  const ofRef = (id: string, ref?: string) =>
    stale(id, {}, { evidence: { pullRequests: [], headRefs: ref === undefined ? [] : [ref], gitRefs: [] } });

  async function kept(branches: ReturnType<typeof stale>[], gitHub: GitHubScript) {
    const { context, queries } = pruneContext([], undefined, gitHub);
    const whys = Object.fromEntries(await keptForRefs(context, branches));
    return { whys, queries: queries.length };
  }

  it('sends nothing if no branch has a ref', async () => {
    expect(await kept([ofRef('a')], () => 500)).toEqual({ whys: {}, queries: 0 });
  });

  it('keeps branches whose ref is the head of an open pull request', async () => {
    const { whys } = await kept([ofRef('a', 'x'), ofRef('b', 'y'), ofRef('c')], (query, variables) =>
      fieldsFor(query, variables, { openHead: (ref) => (ref === 'x' ? 9 : 0) }),
    );
    expect(whys).toEqual({ a: 'pull request #9 with the same head ref ("x") is open' });
  });

  it('does not take a pull request of an impossible number for none', async () => {
    const { whys } = await kept([ofRef('a', 'x')], (query, variables) =>
      'h0' in variables ? { ...fieldsFor(query, variables, {}), h0: { nodes: [{ number: 0 }] } } : 500,
    );
    expect(whys.a).toBeDefined();
  });

  it('fails if nothing can be read', async () => {
    await expect(kept([ofRef('a', 'x')], () => 502)).rejects.toThrow(
      'Could not read the pull requests of git refs: GitHub responded with 502, no. No branch was pruned.',
    );
  });
});
