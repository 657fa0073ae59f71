import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Branch } from '../../../src/api/types.ts';
import { gitBranches, mentionsIn, pullRequestNumber } from '../../../src/prune/mentions.ts';
import { type Known, questionsFor, type Rules, take } from '../../../src/prune/rules.ts';
import { branchNameFromRef } from '../../../src/text/branch-name.ts';
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
    annotations: {},
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
const known = (closed: number[], refs?: string[]): Known & { now: number } => ({
  now,
  closed: new Set(closed),
  git: refs && gitBranches(refs),
});
const reasons = (branches: Branch[], by: Rules, told: Known & { now: number }) =>
  Object.fromEntries(take(branches, by, told).map((one) => [one.branch.name, one.reason]));

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

  it.each(['0', '-1', '7; drop', ' 7', '1e3', '2147483648', ''])('no number: %j', (text) => {
    expect(pullRequestNumber(text)).toBeUndefined();
  });
});

describe('git branches that are there', () => {
  it('are known by every name that the action makes of a ref', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 150 }), fc.array(fc.string()), (ref, others) => {
        const name = branchNameFromRef(ref);
        return gitBranches([...others, ref]).has(name, [name.slice('preview/'.length)]);
      }),
    );
  });

  it('are known by another prefix, and by names that other tools make', () => {
    const git = gitBranches(['feature/Login_2']);
    expect(git.has('ci-feature/Login_2', ['feature/Login_2'])).toBe(true);
    expect(git.has('ci-feature-login-2', ['feature-login-2'])).toBe(true);
    expect(git.has('ci-login-2', ['login-2'])).toBe(false);
  });
});

describe('the rules', () => {
  it('by record: closed, or older; never of another repository, the default branch or a protected one', () => {
    const all = [
      branch({ name: 'closed', annotations: { ...ours, 'github-pr-number': '7' } }),
      branch({ name: 'open', annotations: { ...ours, 'github-pr-number': '8' } }),
      branch({ name: 'old', created_at: new Date(now - 15 * day).toISOString(), annotations: ours }),
      branch({ name: 'just', created_at: new Date(now - 14 * day).toISOString(), annotations: ours }),
      branch({ name: 'undated', created_at: '', annotations: ours }),
      branch({ name: 'default', default: true, annotations: { ...ours, 'github-pr-number': '7' } }),
      branch({ name: 'protected', protected: true, annotations: { ...ours, 'github-pr-number': '7' } }),
      branch({ name: 'other', annotations: { 'github-commit-repo': 'o/r2', 'github-pr-number': '7' } }),
      branch({ name: 'nobody', annotations: { 'github-pr-number': '7' } }),
    ];
    const by = rules({ olderThan: 14 * day });
    expect(questionsFor(all, by)).toEqual({ pullRequests: [7, 8], gitBranches: false });
    expect(reasons(all, by, known([7]))).toEqual({ closed: 'pull request #7 is closed', old: 'older than 14d' });
  });

  it('by name: only what matches and carries no record of a repository', () => {
    const all = [
      'preview/pr-7',
      'preview/pr-7-and-pr-8',
      'preview/there',
      'preview/gone',
      'preview/',
      'elsewhere/gone',
    ].map((name) => branch({ name }));
    const by = rules({ pattern: parseGlob('preview/*') });
    expect(questionsFor(all, by)).toEqual({ pullRequests: [7, 8], gitBranches: true });
    expect(reasons(all, by, known([7], ['there']))).toEqual({
      'preview/pr-7': 'pull request #7 is closed',
      'preview/gone': 'git branch gone is gone',
    });
    expect(reasons(all, by, known([7, 8], ['there']))).toMatchObject({
      'preview/pr-7-and-pr-8': 'pull request #7 and #8 is closed',
    });
    expect(reasons(all, by, known([7]))).toEqual({ 'preview/pr-7': 'pull request #7 is closed' });
  });

  it('asks nothing where nothing needs an answer', () => {
    const all = [branch({ name: 'main', default: true }), branch({ name: 'preview/x', annotations: ours })];
    expect(questionsFor(all, rules({ pattern: parseGlob('*') }))).toEqual({ pullRequests: [], gitBranches: false });
  });

  it('takes nothing that GitHub has not said is closed or gone', () => {
    const names = fc.oneof(
      fc.string(),
      fc.nat().map((n) => `preview/pr-${n}`),
      fc.string().map((s) => `preview/${s}`),
    );
    const some = fc.record({
      name: names,
      annotations: fc.oneof(
        fc.constant({}),
        fc.record({ 'github-commit-repo': fc.constantFrom('o/r', 'o/x', ''), 'github-pr-number': fc.string() }),
      ),
      default: fc.boolean(),
      protected: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(some), (fields) => {
        const all = fields.map((one) => branch(one as Partial<Branch>));
        return take(all, rules({ pattern: parseGlob('*') }), known([])).length === 0;
      }),
    );
  });
});
