import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Branch } from '../../../src/api/types.ts';
import { gitBranches, mentionsIn, pullRequestNumber } from '../../../src/prune/mentions.ts';
import { type GitHubState, lookupsFor, type Rules, selectStale } from '../../../src/prune/rules.ts';
import { branchNameFromRef, formerBranchName } from '../../../src/text/branch-name.ts';
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
  olderThan: undefined,
  pattern: undefined,
  ...more,
});
const state = (closed: number[], refs?: string[]): GitHubState & { now: number } => ({
  now,
  closedPullRequests: new Set(closed),
  gitBranches: refs && gitBranches(refs),
});
const reasons = (branches: Branch[], by: Rules, github: GitHubState & { now: number }) =>
  Object.fromEntries(selectStale(branches, by, github).map((one) => [one.branch.name, one.reason]));

describe('pull requests in names', () => {
  it.each([
    ['preview/pr-7', [{ number: 7, exact: true }]],
    ['pr-7', [{ number: 7, exact: true }]],
    ['preview/pr-7-login', [{ number: 7, exact: true }]],
    ['gh-readonly-queue/main/pr-7-0123abc', [{ number: 7, exact: true }]],
    ['PR-7', [{ number: 7, exact: true }]],
    ['pr-7/api', [{ number: 7, exact: false }]],
    [
      'pr-7-and-pr-8',
      [
        { number: 7, exact: true },
        { number: 8, exact: true },
      ],
    ],
    ['pr-007', [{ number: undefined, exact: true }]],
    ['pr-99999999999', [{ number: undefined, exact: true }]],
    ['expr-7', []],
    ['pr-7x', []],
    ['pr-', []],
  ])('%s', (name, mentions) => {
    expect(mentionsIn(name)).toEqual(mentions);
  });

  it.each(['0', '-1', '7; drop', ' 7', '1e3', '2147483648', ''])('not a number: %j', (text) => {
    expect(pullRequestNumber(text)).toBeUndefined();
  });
});

describe('existing git branches', () => {
  it('are recognized by every name that the action makes from a ref', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 150 }), fc.array(fc.string()), (ref, others) => {
        return [branchNameFromRef(`refs/heads/${ref}`), formerBranchName(ref)].every((name) =>
          gitBranches([...others, ref]).has(name, [name.slice('preview/'.length)]),
        );
      }),
    );
  });

  it('are recognized with another prefix, and by the names that other tools make', () => {
    const git = gitBranches(['feature/Login_2']);
    expect(git.has('ci-feature/Login_2', ['feature/Login_2'])).toBe(true);
    expect(git.has('ci-feature-login-2', ['feature-login-2'])).toBe(true);
    expect(git.has('ci-login-2', ['login-2'])).toBe(false);
  });
});

describe('the rules', () => {
  it('by metadata: closed or too old, but never of another repository, the default branch or a protected one', () => {
    const all = [
      branch({ name: 'closed', metadata: { ...ours, 'github-pr-number': '7' } }),
      branch({ name: 'open', metadata: { ...ours, 'github-pr-number': '8' } }),
      branch({ name: 'old', created_at: new Date(now - 15 * day).toISOString(), metadata: ours }),
      branch({ name: 'just', created_at: new Date(now - 14 * day).toISOString(), metadata: ours }),
      branch({ name: 'undated', created_at: '', metadata: ours }),
      branch({ name: 'default', default: true, metadata: { ...ours, 'github-pr-number': '7' } }),
      branch({ name: 'protected', protected: true, metadata: { ...ours, 'github-pr-number': '7' } }),
      branch({ name: 'other', metadata: { 'github-commit-repo': 'o/r2', 'github-pr-number': '7' } }),
      branch({ name: 'nobody', metadata: { 'github-pr-number': '7' } }),
    ];
    const by = rules({ olderThan: 14 * day });
    expect(lookupsFor(all, by)).toEqual({ pullRequests: [7, 8], gitBranches: false });
    expect(reasons(all, by, state([7]))).toEqual({ closed: 'pull request #7 is closed', old: 'older than 14d' });
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
    expect(lookupsFor(all, by)).toEqual({ pullRequests: [7, 8], gitBranches: true });
    expect(reasons(all, by, state([7], ['there']))).toEqual({
      'preview/pr-7': 'pull request #7 is closed',
      'preview/gone': 'git branch gone does not exist',
    });
    expect(reasons(all, by, state([7, 8], ['there']))).toMatchObject({
      'preview/pr-7-and-pr-8': 'pull requests #7 and #8 are closed',
    });
    expect(reasons(all, by, state([7]))).toEqual({ 'preview/pr-7': 'pull request #7 is closed' });
  });

  it('look nothing up if nothing depends on it', () => {
    const all = [branch({ name: 'main', default: true }), branch({ name: 'preview/x', metadata: ours })];
    expect(lookupsFor(all, rules({ pattern: parseGlob('*') }))).toEqual({ pullRequests: [], gitBranches: false });
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
        return selectStale(all, rules({ pattern: parseGlob('*') }), state([])).length === 0;
      }),
    );
  });
});
