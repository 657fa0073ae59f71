import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { branchNameFromPullRequest, branchNameFromRef } from '../../../src/text/branch-name.ts';

/** Valid git refs, and worse. */
const ref = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'abcXYZ019._/-@#+ ~üß€😀{}!'), minLength: 1, maxLength: 40 }),
  fc.string({ unit: fc.constantFrom(...'ab/-#'), minLength: 80, maxLength: 300 }),
  fc.string({ unit: 'grapheme', minLength: 1 }),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }),
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
      { numRuns: 1_000 },
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
    ['feature#1 & more', 'preview/feature-1-more'],
    ['fix_the.thing', 'preview/fix_the.thing'],
    ['-x-', 'preview/x'],
    ['/-a-/', 'preview/a'],
    ['#1#', 'preview/1'],
    ['a@@@b', 'preview/a-b'],
    ['a-#-b', 'preview/a---b'],
    ['größe', 'preview/gr-e'],
    ['dependabot/npm_and_yarn/undici-8.1.0', 'preview/dependabot/npm_and_yarn/undici-8.1.0'],
  ])('%s is %s', (text, name) => {
    expect(branchNameFromRef(text)).toBe(name);
  });

  it('is a hash if the ref has no plain character', () => {
    expect(branchNameFromRef('日本')).toMatch(/^preview\/[0-9a-f]{8}$/);
    expect(branchNameFromRef('日本')).not.toBe(branchNameFromRef('本日'));
    expect(branchNameFromRef('---')).not.toBe(branchNameFromRef('///'));
  });

  it('ends in a hash of the whole ref if it is long, so that two refs never share it', () => {
    const long = fc.string({ unit: fc.constantFrom(...'ab/-#.'), minLength: 93, maxLength: 250 });
    fc.assert(
      fc.property(long, long, (one, two) => {
        fc.pre(one !== two);
        const [first, second] = [branchNameFromRef(one), branchNameFromRef(two)];
        if (first.length > 92 || second.length > 92) expect(first).not.toBe(second);
      }),
      { numRuns: 1_000 },
    );
    const [one, two] = [`${'x'.repeat(120)}1`, `${'x'.repeat(120)}2`].map(branchNameFromRef);
    expect(one).toMatch(/^preview\/x{83}-[0-9a-f]{8}$/);
    expect(one).not.toBe(two);
  });

  it('is cut only if it has more than 100 characters', () => {
    expect(branchNameFromRef('x'.repeat(92))).toBe(`preview/${'x'.repeat(92)}`);
    expect(branchNameFromRef('x'.repeat(93))).toHaveLength(100);
  });
});

it('a branch name from a pull request has its number', () => {
  expect(branchNameFromPullRequest(7)).toBe('preview/pr-7');
});
