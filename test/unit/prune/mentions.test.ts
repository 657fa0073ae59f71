import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gitBranches, mentionsIn, numbersIn, pullRequestNumber, refsIn } from '../../../src/prune/mentions.ts';
import { ambiguousBranchName, branchNameFromRef } from '../../../src/text/branch-name.ts';
import { parseGlob } from '../../../src/text/glob.ts';

describe('pull requests in names', () => {
  it.each([
    ['preview/pr-7', [{ digits: '7', exact: true }]],
    ['pr-7', [{ digits: '7', exact: true }]],
    ['preview/pr-7-login', [{ digits: '7', exact: true }]],
    ['gh-readonly-queue/main/pr-7-0123abc', [{ digits: '7', exact: true }]],
    ['PR-7', [{ digits: '7', exact: true }]],
    ['pr-7/api', [{ digits: '7', exact: false }]],
    [
      'pr-7-and-pr-8',
      [
        { digits: '7', exact: true },
        { digits: '8', exact: true },
      ],
    ],
    ['pr-007', [{ digits: '007', exact: true }]],
    ['pr-99999999999', [{ digits: '99999999999', exact: true }]],
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

describe('the numbers in a name', () => {
  it.each([
    ['feature/pr_7-issue12', ['7', '12']],
    ['fix-7-1234567a', ['7']],
    ['fix-7-a2345678', ['7']],
    ['fix-abcdef01', []],
    ['fix-12345678', ['12345678']],
    ['fix-7-a1', ['7', '1']],
    ['fix-7-a2345678-x', ['7', '2345678']],
    ['fix-7-a23456789', ['7', '23456789']],
    ['fix-7-g2345678', ['7', '2345678']],
    ['fix-99999999999', ['99999999999']],
  ])('%s: not those of the hash at its end', (name, numbers) => {
    expect(numbersIn(name)).toEqual(numbers);
  });
});

describe('existing git branches', () => {
  it('are recognized by every name that the action makes from a ref', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 150 }), fc.array(fc.string()), (ref, others) => {
        return [branchNameFromRef(`refs/heads/${ref}`), ambiguousBranchName(ref)].every((name) =>
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

  it('are recognized with another prefix by a name that ends in a hash', () => {
    const rest = branchNameFromRef('fix #1').slice('preview/'.length);
    expect(gitBranches(['fix #1']).has(`ci/${rest}`, [rest])).toBe(true);
    expect(gitBranches(['fix #2']).has(`ci/${rest}`, [rest])).toBe(false);
  });

  it.each([
    ['Feature/__Login', 'feature-login', true],
    ['feature-login', 'Feature__Login', true],
    ['/x/', 'x', true],
    ['Größe', 'gr-e', true],
    ['Größe', 'größe', true],
    ['a日本B', 'a-b', true],
    ['日本b', 'b', true],
    ['a-b', 'ab', false],
    ['ab', 'a-b', false],
    ['aß-b', 'ab', false],
  ])('%s may be what other tools call %s: %s', (ref, rest, may) => {
    expect(gitBranches([ref]).has(`ci-${rest}`, [rest])).toBe(may);
  });
});

describe('the refs in a name', () => {
  it.each([
    ['preview/feature/x', 'preview/*', ['feature/x', 'preview/feature/x']],
    ['preview/fix-pr-12', 'preview/fix-*', ['pr-12', 'preview/fix-pr-12', 'fix-pr-12']],
    ['x-db', '*-db', ['x', 'x-db']],
    ['ci/fix-x-db', 'ci/fix-*-db', ['x', 'ci/fix-x', 'fix-x', 'ci/fix-x-db', 'fix-x-db', 'x-db']],
    ['preview/pr-7', 'preview/pr-7', ['preview/pr-7', 'pr-7', '7']],
    ['preview/', 'preview/*', ['preview/']],
  ])('%s by %s', (name, pattern, refs) => {
    expect(refsIn(name, parseGlob(pattern)).sort()).toEqual(refs.sort());
  });
});
