import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gitBranches, mentionsIn, numbersIn, numberWordsIn, pullRequestNumber } from '../../../src/prune/names.ts';
import { branchNameFromPullRequest, branchNameFromRef } from '../../../src/text/branch-name.ts';

it.each([
  ['7', 7],
  ['0', undefined],
  ['07', undefined],
  ['7; drop', undefined],
  ['', undefined],
  ['9999999999', undefined],
])('%j is the number of a pull request: %s', (text, number) => {
  expect(pullRequestNumber(text)).toBe(number);
});

it.each([
  ['preview/pr-7', [7]],
  ['preview/pr-7-login', [7]],
  ['PR-7', [7]],
  ['preview/pr-7/api', []],
  ['preview/expr-7', []],
  ['preview/pr-7b', []],
  ['pr-1-pr-22', [1, 22]],
])('%s is about the pull requests %j', (name, numbers) => {
  expect(mentionsIn(name)).toEqual(numbers);
});

it.each([
  ['preview/dependabot/npm/foo-3.7.0', [3, 7]],
  ['preview/PR7', [7]],
  ['preview/fix-0012', [12]],
  ['preview/12345678', [12_345_678]],
])('%s has the numbers %j', (name, numbers) => {
  expect(numbersIn(name)).toEqual(numbers);
});

it.each([
  ['preview/41', [41]],
  ['PR41/web', [41]],
  ['pull_41-fix', [41]],
  ['ci/3f41a9', []],
  ['preview/pull41', [41]],
  ['mr41-web', [41]],
  ['41b', []],
])('%s has the numbers %j as words', (name, numbers) => {
  expect(numberWordsIn(name)).toEqual(numbers);
});

describe('an existing git branch', () => {
  const has = (ref: string, name: string, covered: string) =>
    gitBranches(['main', ref]).find([name, covered], covered) === ref;

  it.each([
    ['login', 'preview/login', 'login'],
    ['Fix/Login_page', 'preview/fix-login-page', 'fix-login-page'],
    // What the wildcards stand for may be a part of it.
    ['fix-login', 'preview/fix-login', 'login'],
    ['preview/fix-login', 'preview/fix-login', 'login'],
    ['login', 'preview/login-db', 'login'],
    ['über', 'preview/u\u0308ber', 'u\u0308ber'],
    ['Fix-äöü-now', 'preview/fix-now', 'fix-now'],
    ['main', 'app-main', 'main'],
    // Other tools leave out punctuation and accents, or name the whole ref.
    ['feature/login-1.2', 'preview-featurelogin12', 'featurelogin12'],
    ['feature/login_page', 'feature-loginpage', 'loginpage'],
    ['dependabot/github_actions/checkout-4', 'dependabot-githubactions-checkout-4', 'githubactions-checkout-4'],
    ['chore/Add_node-lts', 'chore/add-nodelts-db', 'add-nodelts'],
    ['fix/überschrift', 'preview/fix-uberschrift', 'fix-uberschrift'],
    ['login', 'preview/refs/heads/login', 'refs/heads/login'],
    // The wildcards may stand for the prefix, too.
    ['login', 'preview/login', 'preview/login'],
    ['fix-1', 'preview/fix-1', 'preview/fix'],
  ])('%s is what %s may be about', (ref, name, rest) => {
    expect(has(ref, name, rest)).toBe(true);
  });

  it.each([
    ['log', 'preview/login', 'login'],
    ['feature/支付', 'preview/feature', 'feature'],
    ['login', 'preview/logins', 'logins'],
    ['login', 'preview/login-2', 'login-2'],
    ['preview', 'preview/login', 'login'],
    ['1.48.2', 'preview/pr-1482', '1482'],
  ])('%s is not what %s is about', (ref, name, rest) => {
    expect(has(ref, name, rest)).toBe(false);
  });

  it('holds whatever name the action makes from it', () => {
    const refs = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 120 });
    fc.assert(
      fc.property(refs, fc.array(refs, { maxLength: 3 }), (ref, others) => {
        const exist = gitBranches([...others, ref]);
        const name = branchNameFromRef(`refs/heads/${ref}`);
        expect(exist.find([name], name.slice('preview/'.length))).toBeDefined();
      }),
    );
  });
});

it("the name of a pull request's branch is about that pull request", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 999_999_999 }), (number) => {
      expect(mentionsIn(branchNameFromPullRequest(number))).toEqual([number]);
    }),
  );
});
