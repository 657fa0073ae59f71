import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseGlob } from '../../../src/text/glob.ts';
import { anyCharacter } from '../../../tools/fuzz/texts.ts';

describe('a glob', () => {
  it.each([
    ['preview/*', ['preview/a', 'preview/a/b', 'preview/', 'preview/\n'], ['preview', 'xpreview/a', 'Preview/a']],
    ['preview/**', ['preview/a/b'], ['other/a']],
    ['*', ['', 'a', 'a/b.c'], []],
    ['pr-?', ['pr-7', 'pr-😀'], ['pr-', 'pr-77']],
    ['a*b?c*', ['abxc', 'a/b/bxc/d'], ['abc', 'xabxc']],
    ['\\[a\\]\\{b\\}', ['[a]{b}'], ['a']],
    ['a]b}c,d', ['a]b}c,d'], ['a']],
    ['a\\*b', ['a*b'], ['axb']],
    ['a.b+(c)|^$', ['a.b+(c)|^$'], ['axb+(c)|^$']],
    ['plain-name/x', ['plain-name/x'], ['plain-name/xy']],
  ])('%s matches whole names', (pattern, yes, no) => {
    const glob = parseGlob(pattern);
    expect(yes.filter((name) => !glob.matches(name))).toEqual([]);
    expect(no.filter((name) => glob.matches(name))).toEqual([]);
  });

  it.each([
    ['preview/*', 'preview/feature/x', 'feature/x'],
    ['*-preview', 'feature/x-preview', 'feature/x'],
    ['a-*-b', 'a-1-b', '1'],
    ['a-*-b-?', 'a-1-b-2', '1-b-2'],
    ['preview/x', 'preview/x', ''],
    ['preview/f*', 'preview/feature-1', 'feature-1'],
    ['*re-1', 'feature-1', 'feature'],
    ['preview/*', 'other', undefined],
  ])('%s has for %s the rest %j', (pattern, name, rest) => {
    expect(parseGlob(pattern).rests(name)[0]).toBe(rest);
  });

  it('has the rest without the words that the pattern cuts, too', () => {
    expect(parseGlob('preview/f*re').rests('preview/feature-fire')).toEqual(['feature-fire', 'eature-fi']);
  });

  it.each([
    ['{a,b}', 'only * and ? are wildcards; for a literal {, write \\{'],
    ['pr-[0-9]', 'only * and ? are wildcards; for a literal [, write \\['],
    ['!preview/keep-*', 'set exclude_pattern; for a literal !, write \\!'],
    ['a\\', 'a trailing \\ escapes nothing; for a literal \\, write \\\\'],
  ])('cannot be %s', (pattern, message) => {
    expect(() => parseGlob(pattern)).toThrow(message);
  });

  it('says the same as trying every place of every wildcard', () => {
    const isMatch = (pattern: string, name: string): boolean => {
      const [first, ...rest] = pattern;
      if (first === undefined) return name === '';
      if (first === '*') return isMatch(rest.join(''), name) || (name !== '' && isMatch(pattern, name.slice(1)));
      return name !== '' && (first === '?' || first === name[0]) && isMatch(rest.join(''), name.slice(1));
    };
    const texts = (...of: string[]) => fc.string({ unit: fc.constantFrom(...of), maxLength: 9 });
    fc.assert(
      fc.property(texts('a', 'b', '*', '?'), texts('a', 'b'), (pattern, name) => {
        expect(parseGlob(pattern).matches(name)).toBe(isMatch(pattern, name));
      }),
      { numRuns: 2_000 },
    );
  });

  it('takes a moment for many wildcards and a long name', () => {
    expect(parseGlob('*-*-*-*-*-*-*-*-*x').matches('-'.repeat(10_000))).toBe(false);
  });

  it('matches any text literally if each character is escaped', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), fc.string({ unit: anyCharacter }), (text, other) => {
        const glob = parseGlob([...text].map((character) => `\\${character}`).join(''));
        return glob.matches(text) && glob.matches(other) === (text === other);
      }),
    );
  });

  it('never throws anything except an error about the pattern', () => {
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
