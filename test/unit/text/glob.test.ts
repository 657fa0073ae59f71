import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseGlob } from '../../../src/text/glob.ts';

describe('a glob over names', () => {
  it.each([
    ['preview/*', ['preview/a', 'preview/a/b', 'preview/', 'preview/\n'], ['preview', 'xpreview/a', 'Preview/a']],
    ['preview/**', ['preview/a/b'], ['other/a']],
    ['*', ['', 'a', 'a/b.c'], []],
    ['pr-?', ['pr-7', 'pr-😀'], ['pr-', 'pr-77']],
    ['pr-[0-9]', ['pr-7'], ['pr-x', 'pr-77']],
    ['pr-[!0-9]*', ['pr-x1'], ['pr-7', 'pr-']],
    ['[]]', [']'], ['[', '']],
    ['[a^&~]', ['^', '&', '~', 'a'], ['b']],
    ['{ci,preview}/*', ['ci/a', 'preview/b'], ['other/a', '{ci,preview}/a']],
    ['{a,b{c,d}}', ['a', 'bc', 'bd'], ['b', 'abc']],
    ['a\\*b', ['a*b'], ['axb']],
    ['a.b+(c)|^$', ['a.b+(c)|^$'], ['axb+(c)|^$']],
    ['plain-name/x', ['plain-name/x'], ['plain-name/xy']],
  ])('%s', (pattern, yes, no) => {
    const glob = parseGlob(pattern);
    expect(yes.filter((name) => !glob.matches(name))).toEqual([]);
    expect(no.filter((name) => glob.matches(name))).toEqual([]);
  });

  it.each([
    ['preview/*', 'preview/feature/x', ['feature/x']],
    ['*-preview', 'feature/x-preview', ['feature/x']],
    ['a-*-b', 'a-1-b', ['1']],
    ['{ci,preview}/*', 'ci/x', ['x']],
    ['{a,ab}*', 'abc', ['bc', 'c']],
    ['preview/x', 'preview/x', ['']],
    ['preview/*', 'other', []],
  ])('%s leaves of %s: %j', (pattern, name, rests) => {
    expect(parseGlob(pattern).rests(name)).toEqual(rests);
  });

  it.each(['a{b', 'a[b', 'a\\', '[z-a]'])('refuses %s', (pattern) => {
    expect(() => parseGlob(pattern)).toThrow(/^a /);
  });

  it('refuses braces that stand for too many', () => {
    expect(() => parseGlob('{a,b}'.repeat(8))).toThrow('more than 100 alternatives');
  });

  it('takes any text with backslashes before each character as that text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (text, other) => {
        const glob = parseGlob([...text].map((character) => `\\${character}`).join(''));
        return glob.matches(text) && glob.matches(other) === (text === other);
      }),
    );
  });

  it('takes no longer for a pattern that a regular expression would try for minutes', { timeout: 5_000 }, () => {
    expect(parseGlob(`${'*a'.repeat(40)}b`).matches('a'.repeat(256))).toBe(false);
  });

  it('never throws but for a pattern that it says is wrong', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab*?[]{},\\!-/^') }), fc.string(), (pattern, name) => {
        try {
          const glob = parseGlob(pattern);
          if (glob.matches(name)) glob.rests(name);
        } catch (error) {
          expect((error as Error).constructor).toBe(Error);
        }
      }),
    );
  });
});
