import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PullRequestState } from '../../../src/prune/lookups.ts';
import { gitBranches } from '../../../src/prune/mentions.ts';
import { type GitHubState, lookupsFor, type Rules, selectStale } from '../../../src/prune/rules.ts';
import type { Branch } from '../../../src/service/types.ts';
import { parseGlob } from '../../../src/text/glob.ts';

const now = Date.parse('2026-03-04T05:06:07Z');
const day = 86_400_000;

function branch(fields: Partial<Branch> = {}): Branch {
  return {
    id: `br-${fields.name ?? 'x'}`,
    name: 'x',
    default: false,
    protected: false,
    current_state: 'ready',
    created_at: new Date(now - day).toISOString(),
    metadata: {},
    ...fields,
  };
}

const ours = { 'github-commit-repo': 'o/r' };
const rules = (more: Partial<Rules> = {}): Rules => ({
  repository: 'o/r',
  repositoryId: '',
  closedFor: undefined,
  olderThan: undefined,
  pattern: undefined,
  isPatternIgnored: false,
  exclude: [],
  ...more,
});
type State = GitHubState & { now: number | undefined; readAt: number };
const readAt = now - 1_000;
const isOpen: PullRequestState = { open: true, closedAt: undefined };
/** These pull requests were closed a day ago, those are open, and all others could not be read. */
const state = (closed: number[], refs?: string[], open: number[] = []): State => ({
  now,
  readAt,
  pullRequests: new Map<number, PullRequestState>([
    ...closed.map((number) => [number, { open: false, closedAt: now - day }] as const),
    ...open.map((number) => [number, isOpen] as const),
  ]),
  gitBranches: refs && gitBranches(refs),
  runs: new Map(),
});
const reasons = (branches: Branch[], by: Rules, github: State) =>
  Object.fromEntries(selectStale(branches, by, github).stale.map((one) => [one.branch.name, one.reason]));
const whyKept = (branches: Branch[], by: Rules, github: State) =>
  Object.fromEntries(selectStale(branches, by, github).kept.map((one) => [one.branch.name, one.why]));

describe('the rules', () => {
  const pull = (number: string, more: Partial<Branch> = {}) =>
    branch({ ...more, metadata: { ...ours, 'github-pr-number': number, ...more.metadata } });
  const old = new Date(now - 40 * day).toISOString();

  it('by metadata: closed or too old, but never of another repository, the default branch or a protected one', () => {
    const all = [
      pull('7', { name: 'closed' }),
      pull('8', { name: 'open' }),
      branch({ name: 'old', created_at: new Date(now - 15 * day).toISOString(), metadata: ours }),
      branch({ name: 'just', created_at: new Date(now - 14 * day).toISOString(), metadata: ours }),
      branch({ name: 'undated', created_at: '', metadata: ours }),
      pull('7', { name: 'default', default: true }),
      pull('7', { name: 'protected', protected: true }),
      pull('7', { name: 'perhaps default', default: undefined }),
      pull('7', { name: 'perhaps protected', protected: undefined }),
      branch({ name: 'other', metadata: { 'github-commit-repo': 'o/r2', 'github-pr-number': '7' } }),
      branch({ name: 'namesake', metadata: { 'github-repository-id': '123', 'github-commit-repo': 'O/R' } }),
      branch({ name: 'unnamed', metadata: { 'github-repository-id': '123', 'github-pr-number': '7' } }),
      branch({ name: 'nobody', metadata: { 'github-pr-number': '7' } }),
    ];
    const by = rules({ olderThan: 14 * day, repositoryId: '456' });
    const github = state([7], undefined, [8]);
    expect(lookupsFor(all, by)).toEqual({ pullRequests: [7, 8], guesses: [], gitBranches: false, runs: [] });
    expect(reasons(all, by, github)).toEqual({ closed: 'pull request #7 is closed', old: 'it is older than 14d' });
    expect(whyKept(all, by, github)).toEqual({
      nobody: 'its metadata names no repository, so it may belong to another tool',
      other: 'it belongs to repository "o/r2"',
      namesake:
        'it belongs to another repository that is also called "O/R" (its ID is 123, this run\'s repository has ID 456)',
      unnamed: 'it belongs to the repository with ID 123',
      open: 'pull request #8 is open',
      just: 'it is not older than 14d',
      undated: 'its age is unknown',
      default: 'it is the default branch',
      protected: 'it is protected',
      'perhaps default': 'the list of branches does not say whether it is the default branch or protected',
      'perhaps protected': 'the list of branches does not say whether it is the default branch or protected',
    });
    expect(whyKept(all, rules(), github)).toMatchObject({ old: 'its metadata points to no pull request' });
    expect(whyKept(all, by, { ...github, now: undefined })).toMatchObject({ old: 'its age is unknown' });
  });

  it('the branch of a rehearsal: by its run, else by its expiry, else by its age', () => {
    const at = (ms: number) => new Date(now + ms).toISOString();
    const rehearsal = (name: string, fields: Partial<Branch> = {}) =>
      branch({
        ...{ name: `rehearsal/${name}`, expires_at: at(day) },
        ...fields,
        metadata: {
          ...{ ...ours, 'github-pr-number': '8', 'github-run-id': '11' },
          'database-branch-create-id': (fields.name ?? name).slice(-8),
        },
      });
    const all = [
      rehearsal('11-1-00000001'),
      rehearsal('11-2-00000002'),
      rehearsal('11-2-expired2', { name: 'rehearsal/11-2-00000003', expires_at: at(-1) }),
      rehearsal('11-2-00000004', { created_at: at(-6 * day) }),
      rehearsal('11-2-00000005', { protected: true }),
    ];
    const github = state([], undefined, [8]);
    expect(lookupsFor(all, rules())).toEqual({ pullRequests: [], guesses: [], gitBranches: false, runs: ['11'] });
    const unread = {
      'rehearsal/11-2-00000003': 'it is the branch of a rehearsal, and its expiry has passed',
      'rehearsal/11-2-00000004': 'it is the branch of a rehearsal, and older than the longest time a job can run (5d)',
    };
    expect(reasons(all, rules(), github)).toEqual(unread);
    expect(reasons(all, rules(), { ...github, now: undefined })).toEqual({});
    expect(Object.keys(reasons(all, rules({ olderThan: day / 2 }), github))).toHaveLength(4);
    const running = { ...github, runs: new Map([['11', { ended: false, attempt: 2 }]]) };
    expect(Object.keys(reasons(all, rules({ olderThan: day / 2 }), running))).toEqual(['rehearsal/11-1-00000001']);
    const ended = { ...github, runs: new Map([['11', { ended: true, attempt: 2 }]]) };
    expect(Object.keys(reasons(all, rules(), ended))).toHaveLength(4);
    expect(whyKept(all, rules(), ended)).toEqual({ 'rehearsal/11-2-00000005': 'it is protected' });
  });

  it('the branch of a rehearsal: says why it is pruned or kept, and relies on nothing else', () => {
    const of = (name: string, metadata: Record<string, string> = {}, fields: Partial<Branch> = {}) =>
      branch({
        ...{ name, expires_at: new Date(now).toISOString(), created_at: new Date(now - 5 * day).toISOString() },
        metadata: { ...ours, 'github-run-id': '11', 'database-branch-create-id': 'abcdef01-2345', ...metadata },
        ...fields,
      });
    const all = [of('rehearsal/11-1-abcdef01'), of('rehearsal/local-1-abcdef01', {}, { metadata: { ...ours } })];
    const local = { ...ours, 'database-branch-create-id': 'abcdef01-2345' };
    const alone = [of('rehearsal/local-1-abcdef01', {}, { metadata: local })];
    const github = state([]);
    const unexpired = 'it is the branch of a rehearsal and has not expired, and';
    expect(whyKept([...all, ...alone], rules(), { ...github, runs: new Map() })).toMatchObject({
      'rehearsal/11-1-abcdef01': `${unexpired} the state of workflow run 11 could not be read`,
      'rehearsal/local-1-abcdef01': `${unexpired} its workflow run is unknown`,
    });
    expect(lookupsFor(alone, rules()).runs).toEqual([]);
    const ended = { ...github, runs: new Map([['11', { ended: true, attempt: 1 }]]) };
    expect(selectStale(all, rules(), ended).stale).toMatchObject([
      {
        reason: 'workflow run 11, which used it for a rehearsal, has ended',
        evidence: { pullRequests: [], headRefs: [], gitRefs: [] },
      },
    ]);
    expect(whyKept(all, rules(), { ...github, runs: new Map([['11', { ended: false, attempt: 1 }]]) })).toMatchObject({
      'rehearsal/11-1-abcdef01': 'workflow run 11, which uses it for a rehearsal, has not ended',
    });
    // Each of these is judged like any other branch: it may have been named by hand, or copied from a rehearsal's.
    const others = [
      of('rehearsal/11-1-abcdef02'),
      of('rehearsal/12-1-abcdef01'),
      of('rehearsal/local-1-abcdef01'),
      of('old/rehearsal/11-1-abcdef01'),
      of('rehearsal/11-1-abcdef01-kept'),
      of('rehearsal/11-1-abcdef01', { 'database-branch-create-id': '' }),
      of('rehearsal/11-1-ef01-234', { 'database-branch-create-id': 'abcdef01-2345' }),
    ];
    expect(reasons(others, rules(), ended)).toEqual({});
    expect(lookupsFor(others, rules()).runs).toEqual([]);
  });

  it('by age: never a branch whose metadata names no pull request if its name has one that is open or unknown', () => {
    const created_at = new Date(now - 30 * day).toISOString();
    const names = ['preview/pr-7', 'preview/pr-8', 'preview/pr-9', 'preview/pr-99999999999999999999', 'v01/pr-0'];
    const all = names.map((name) => branch({ name, created_at, metadata: ours }));
    const by = rules({ olderThan: 14 * day });
    expect(lookupsFor(all, by).pullRequests).toEqual([7, 8, 9]);
    expect(reasons(all, by, state([7], undefined, [8]))).toEqual({ 'preview/pr-7': 'it is older than 14d' });
    expect(whyKept(all, by, state([7], undefined, [8]))).toEqual({
      'preview/pr-8': 'pull request #8 is open',
      'preview/pr-9': 'the state of pull request #9 could not be read',
      'preview/pr-99999999999999999999':
        'its name contains "99999999999999999999", which is not the number of a closed pull request',
      'v01/pr-0': 'its name contains "0", which is not the number of a closed pull request',
    });
  });

  it('by age: never a branch whose pull request is open or could not be read', () => {
    const all = [
      pull('7', { name: 'closed', created_at: old }),
      pull('8', { name: 'open', created_at: old }),
      pull('9', { name: 'unread', created_at: old }),
      pull('07', { name: 'no number', created_at: old }),
    ];
    const by = rules({ olderThan: 14 * day });
    expect(reasons(all, by, state([7], undefined, [8]))).toEqual({ closed: 'pull request #7 is closed' });
    expect(whyKept(all, by, state([7], undefined, [8]))).toEqual({
      open: 'pull request #8 is open',
      unread: 'the state of pull request #9 could not be read',
      'no number': 'its metadata points to pull request "07", which is not a valid number',
    });
  });

  it('`closed_for`: only pull requests that have been closed for at least this long', () => {
    const all = [pull('7', { name: 'new' }), pull('8', { name: 'old', created_at: old }), pull('9', { name: 'when?' })];
    const github = state([7, 8]);
    github.pullRequests.set(9, { open: false, closedAt: undefined });
    const lately = (number: number) =>
      `pull request #${number} has been closed for less than \`closed_for\` (since ${new Date(now - day).toISOString()})`;
    const unknown = 'it is unknown when pull request #9 was closed';
    expect(whyKept(all, rules({ closedFor: day + 1 }), github)).toEqual({
      new: lately(7),
      old: lately(8),
      'when?': unknown,
    });
    expect(whyKept(all, rules({ closedFor: day }), github)).toEqual({ 'when?': unknown });
    expect(reasons(all, rules({ closedFor: 2 * day, olderThan: 14 * day }), github)).toEqual({
      old: 'it is older than 14d',
    });
    const [stale] = selectStale(all, rules({ closedFor: day }), github).stale;
    expect(stale?.evidence.closedBy).toBe(now - day);
  });

  it.each(['*', 'preview/*', 'preview/*/*', 'preview/tags/*'])(
    'by name (%s): never a branch that has metadata, nor that of a tag',
    (pattern) => {
      const all = [
        branch({ name: 'preview/tags/a/pr-7', metadata: { 'github-pr-number': '7' } }),
        branch({ name: 'preview/tags/b', metadata: { 'github-commit-ref': 'b' } }),
        branch({ name: 'preview/tags/c', metadata: { owner: 'alice' } }),
        branch({ name: 'preview/tags/v1.2' }),
        branch({ name: 'preview/tags/pr-7' }),
        branch({ name: 'tags/v1' }),
      ].filter(({ name }) => parseGlob(pattern).matches(name));
      const by = rules({ pattern: parseGlob(pattern) });
      expect(lookupsFor(all, by)).toEqual({ pullRequests: [], guesses: [], gitBranches: false, runs: [] });
      const owned = 'its metadata names no repository, so it may belong to another tool';
      const ofTag = 'its name refers to a tag, and tags are not looked up';
      expect(whyKept(all, by, state([7], []))).toEqual({
        'preview/tags/a/pr-7': owned,
        'preview/tags/b': owned,
        'preview/tags/c': owned,
        'preview/tags/v1.2': ofTag,
        'preview/tags/pr-7': ofTag,
        ...(pattern === '*' ? { 'tags/v1': ofTag } : {}),
      });
    },
  );

  it('by name: empty metadata is none, and only a whole word is that of a tag', () => {
    const metadata = { 'github-commit-repo': '', 'github-pr-number': '', 'github-commit-ref': '' };
    const all = ['preview/empty', 'preview/vantages/x', 'preview/tags'].map((name) => branch({ name, metadata }));
    expect(reasons(all, rules({ pattern: parseGlob('preview/*') }), state([], []))).toEqual({
      'preview/empty': 'git branch "empty" does not exist',
      'preview/vantages/x': 'git branch "vantages/x" does not exist',
      'preview/tags': 'git branch "tags" does not exist',
    });
  });

  it('`exclude_pattern`: never a branch whose name matches', () => {
    const all = [
      pull('7', { name: 'staging' }),
      branch({ name: 'preview/gone' }),
      pull('7', { name: 'a\u0308/x' }),
      pull('7'),
    ];
    const exclude = [parseGlob('stag*'), parseGlob('preview/*'), parseGlob('\u00e4/*')];
    const by = rules({ exclude, olderThan: 1, pattern: parseGlob('*') });
    expect(lookupsFor(all.slice(0, 3), by)).toEqual({ pullRequests: [], guesses: [], gitBranches: false, runs: [] });
    expect(reasons(all, by, state([7], []))).toEqual({ x: 'pull request #7 is closed' });
    expect(whyKept(all, by, state([7], []))).toEqual({
      staging: 'it matches `exclude_pattern`',
      'preview/gone': 'it matches `exclude_pattern`',
      'a\u0308/x': 'it matches `exclude_pattern`',
    });
  });

  it('by name: none without a pattern that can be used', () => {
    const all = [branch({ name: 'preview/gone' })];
    const unset = { 'preview/gone': 'it has no metadata, and `branch_pattern` is not set' };
    expect(whyKept(all, rules(), state([], []))).toEqual(unset);
    const ignored = { 'preview/gone': 'it has no metadata, and `branch_pattern` is ignored' };
    expect(whyKept(all, rules({ isPatternIgnored: true }), state([], []))).toEqual(ignored);
  });

  it('by name: only if it matches the pattern and its metadata names no repository', () => {
    const all = [
      'preview/pr-7',
      'preview/pr-7-and-pr-8',
      'preview/there',
      'preview/gone',
      'preview/',
      'elsewhere/gone',
    ].map((name) => branch({ name }));
    const by = rules({ pattern: parseGlob('preview/*') });
    expect(lookupsFor(all, by)).toEqual({ pullRequests: [7, 8], guesses: [7, 8], gitBranches: true, runs: [] });
    expect(reasons(all, by, state([7], ['there'], [8]))).toEqual({
      'preview/pr-7': 'pull request #7 is closed',
      'preview/gone': 'git branch "gone" does not exist',
    });
    expect(whyKept(all, by, state([7], ['there'], [8]))).toEqual({
      'elsewhere/gone': 'it has no metadata, and its name does not match `branch_pattern`',
      'preview/pr-7-and-pr-8': 'pull request #8 is open',
      'preview/there': 'git branch "there" exists',
      'preview/':
        'no part of its name is matched by a wildcard of `branch_pattern`, so it is unknown which git branch it is for',
    });
    expect(reasons(all, by, state([7, 8], ['there']))).toMatchObject({
      'preview/pr-7-and-pr-8': 'pull requests #7 and #8 are closed',
    });
    expect(reasons(all, by, state([7]))).toEqual({});
  });

  it.each([
    'pr_7',
    'PR.7',
    'pr7',
    'pr/7',
    'pull-7',
    'pull/7',
    '7',
    '7-login',
    '#7',
    'login-pr7',
    'pr-7-and-8',
    'v7.8x',
  ])('by name: never `preview/%s` unless every number in it is that of a closed pull request', (rest) => {
    const all = [branch({ name: `preview/${rest}` })];
    const by = rules({ pattern: parseGlob('preview/*') });
    expect(lookupsFor(all, by).guesses).toContain(7);
    expect(whyKept(all, by, state([8], [], [7]))).toEqual({ [`preview/${rest}`]: 'pull request #7 is open' });
    expect(Object.values(whyKept(all, by, state([], [])))).toEqual([expect.stringContaining('could not be read')]);
    const { stale } = selectStale(all, by, state([7, 8], []));
    expect(stale.map(({ evidence }) => evidence.pullRequests[0])).toEqual([7]);
  });

  it('by name: `pr-7/api` may be something else, but is kept as long as pull request #7 is open', () => {
    const all = [branch({ name: 'preview/pr-7/api' })];
    const by = rules({ pattern: parseGlob('preview/*') });
    expect(whyKept(all, by, state([], [], [7]))).toEqual({ 'preview/pr-7/api': 'pull request #7 is open' });
    expect(whyKept(all, by, state([7], ['pr-7/api']))).toEqual({ 'preview/pr-7/api': 'git branch "pr-7/api" exists' });
    expect(reasons(all, by, state([7], []))).toEqual({ 'preview/pr-7/api': 'git branch "pr-7/api" does not exist' });
  });

  it('by name: never if a number in it is not that of a pull request', () => {
    const all = [branch({ name: 'preview/pr-7-and-pr-08' })];
    expect(whyKept(all, rules({ pattern: parseGlob('preview/*') }), state([7], []))).toEqual({
      'preview/pr-7-and-pr-08': 'its name contains "08", which is not the number of a closed pull request',
    });
  });

  it('by name: never if the git branch exists, even if a pull request in the name is closed', () => {
    const all = ['preview/fix-pr-12', 'preview/pr-12', 'preview/u\u0308ber'].map((name) => branch({ name }));
    const existing = (pattern: string, refs: string[]) =>
      Object.keys(reasons(all, rules({ pattern: parseGlob(pattern) }), state([12], refs)));
    const rest = ['preview/pr-12', 'preview/u\u0308ber'];
    expect(existing('preview/*', ['fix-pr-12'])).toEqual(rest);
    expect(existing('preview/fix-*', ['fix-pr-12'])).toEqual([]);
    expect(existing('preview/*', ['pr-12'])).toEqual(['preview/fix-pr-12', 'preview/u\u0308ber']);
    expect(existing('preview/*', ['\u00fcber'])).toEqual(['preview/fix-pr-12', 'preview/pr-12']);
    expect(existing('preview/*', [])).toHaveLength(3);
  });

  it('name what must still hold when the branch is deleted', () => {
    const all = [
      pull('7', { name: 'preview/pr-7', metadata: { 'github-commit-ref': 'refs/heads/x' } }),
      branch({ name: 'preview/gone' }),
      branch({ name: 'pr-8-old', created_at: old, metadata: { ...ours, 'github-commit-ref': 'x/refs/heads/y' } }),
      branch({ name: 'preview/pr-7-and-pr-8' }),
    ];
    const by = rules({ pattern: parseGlob('preview/*'), olderThan: 14 * day });
    const { stale } = selectStale(all, by, state([7, 8], []));
    expect(stale.map(({ evidence }) => evidence)).toEqual([
      { pullRequests: [7], headRefs: ['x'], gitRefs: [] },
      { pullRequests: [], headRefs: ['gone'], gitRefs: ['gone'], byName: true },
      { pullRequests: [8], headRefs: ['x/refs/heads/y'], gitRefs: [] },
      { pullRequests: [7, 8], headRefs: ['pr-7-and-pr-8'], gitRefs: ['pr-7-and-pr-8'], byName: true },
    ]);
    expect(stale.map((one) => one.readAt)).toEqual(all.map(() => readAt));
  });

  it('look nothing up if nothing depends on it', () => {
    const all = [branch({ name: 'main', default: true }), branch({ name: 'preview/x', metadata: ours })];
    expect(lookupsFor(all, rules({ pattern: parseGlob('*') }))).toEqual({
      pullRequests: [],
      guesses: [],
      gitBranches: false,
      runs: [],
    });
  });

  it('select nothing unless GitHub says that it is closed or deleted', () => {
    const names = fc.oneof(
      fc.string(),
      fc.nat().map((n) => `preview/pr-${n}`),
      fc.string().map((s) => `preview/${s}`),
    );
    const some = fc.record({
      name: names,
      metadata: fc.oneof(
        fc.constant({}),
        fc.record({ 'github-commit-repo': fc.constantFrom('o/r', 'o/x', ''), 'github-pr-number': fc.string() }),
      ),
      default: fc.boolean(),
      protected: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(some), (fields) => {
        const all = fields.map((one) => branch(one as Partial<Branch>));
        return selectStale(all, rules({ pattern: parseGlob('*') }), state([])).stale.length === 0;
      }),
    );
  });
});
