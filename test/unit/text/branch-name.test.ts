import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { branchNameFromPullRequest, branchNameFromRef } from '../../../src/text/branch-name.ts';
import { anyCharacter } from '../../../tools/fuzz/texts.ts';

/** Valid git refs, and worse. */
const ref = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'abcXYZ019._/-@#+ ~üß€😀{}!'), minLength: 1, maxLength: 40 }),
  fc.string({ unit: fc.constantFrom(...'ab/-#'), minLength: 80, maxLength: 300 }),
  fc.string({ unit: 'grapheme', minLength: 1 }),
  fc.string({ unit: anyCharacter, minLength: 1, maxLength: 200 }),
);

describe('a branch name from a git ref', () => {
  it('is short, plain and deterministic', () => {
    fc.assert(
      fc.property(ref, (text) => {
        const name = branchNameFromRef(text);
        expect(name.length).toBeLessThanOrEqual(100);
        expect(name).toMatch(/^preview\/[A-Za-z0-9._](?:[A-Za-z0-9._/-]*[A-Za-z0-9._])?$/);
        expect(branchNameFromRef(text)).toBe(name);
      }),
      { numRuns: 300 },
    );
  });

  it('is the ref itself if that is plain', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9._][A-Za-z0-9._/-]{0,88}[A-Za-z0-9._]$/), (text) => {
        expect(branchNameFromRef(text)).toBe(`preview/${text}`);
      }),
    );
  });

  it.each([
    ['feature/login', 'preview/feature/login'],
    ['feature#1 & more', 'preview/feature-1-more-53591b05'],
    ['fix_the.thing', 'preview/fix_the.thing'],
    ['-x-', 'preview/x-969d760b'],
    ['/-a-/', 'preview/a-697b6105'],
    ['-/x/--', 'preview/x-f266ce07'],
    ['#1#', 'preview/1-9185ae33'],
    ['a@@@b', 'preview/a-b-96e81e4f'],
    ['a-#-b', 'preview/a---b-acb0b0df'],
    ['größe', 'preview/gr-e-05d81dea'],
    ['dependabot/npm_and_yarn/undici-8.1.0', 'preview/dependabot/npm_and_yarn/undici-8.1.0'],
  ])('%s is %s', (text, name) => {
    expect(branchNameFromRef(text)).toBe(name);
  });

  it.each([
    ['refs/heads/feature/login', 'preview/feature/login'],
    ['refs/tags/v1.2', 'preview/tags/v1.2'],
    ['refs/tags/v1#2', 'preview/tags/v1-2-344e906e'],
    ['refs/heads/tags/v1.2', 'preview/tags/v1.2-81c9b878'],
    ['refs/heads/pr-7', 'preview/pr-7-46c590d8'],
    ['refs/heads/pr-12', 'preview/pr-12-352a9b83'],
    ['refs/heads/pr-7x', 'preview/pr-7x'],
    ['refs/heads/fix-pr-7', 'preview/fix-pr-7'],
    ['refs/heads/a/tags/x', 'preview/a/tags/x'],
    ['refs/heads/tags', 'preview/tags'],
    ['refs/heads/refs/heads/x', 'preview/refs/heads/x'],
    ['refs/pull/7/merge', 'preview/pull/7/merge-3f31b38f'],
    ['refs/tags/日本', 'preview/tags/31e7e04f'],
  ])('%s is %s', (full, name) => {
    expect(branchNameFromRef(full)).toBe(name);
  });

  it('is shared by no two refs', () => {
    const short = fc.oneof(
      ref,
      fc.string({ unit: fc.constantFrom('a', '-', '/', '#', 'é', 'e\u0301', 'A'), minLength: 1, maxLength: 5 }),
      fc.constantFrom(
        'pr-7',
        'tags/a',
        'tags/pr-7',
        'pull/7/merge',
        'refs/heads/a',
        'heads/a',
        'a',
        '-a',
        'feature/登录',
      ),
    );
    const full = fc
      .tuple(fc.constantFrom('heads', 'tags', 'pull'), short)
      .map(([kind, name]) => `refs/${kind}/${name}`);
    fc.assert(
      fc.property(full, full, fc.integer({ min: 1, max: 9 }), (one, other, number) => {
        fc.pre(one !== other);
        expect(branchNameFromRef(one)).not.toBe(branchNameFromRef(other));
        expect(branchNameFromRef(one)).not.toBe(branchNameFromPullRequest(number));
      }),
      { numRuns: 1_000 },
    );
    const names = ['feature/登录', 'feature/注册', 'feature/', 'fix/a#1', 'fix/a-1', 'fix/a_1'].map(branchNameFromRef);
    expect(new Set(names).size).toBe(names.length);
  });

  it('is cut only if it has more than 100 characters', () => {
    expect(branchNameFromRef('x'.repeat(92))).toBe(`preview/${'x'.repeat(92)}`);
    expect(branchNameFromRef('x'.repeat(93))).toHaveLength(100);
  });
});

it('a branch name from a pull request has its number', () => {
  expect(branchNameFromPullRequest(7)).toBe('preview/pr-7');
});
