import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFinder, type Place, withStars } from '../../../src/secrets/matcher.ts';

/** What `placesIn` finds, the slow way. */
function every(words: string[], text: string): Place[] {
  const ends = Array.from({ length: text.length + 1 }, (_, end) => {
    const here = words.filter((word) => word !== '' && text.slice(0, end).endsWith(word));
    return { end, length: Math.max(0, ...here.map((word) => word.length)) };
  });
  return ends.filter(({ length }) => length > 0).map(({ end, length }) => [end - length, end]);
}
/** What `beginningsIn` finds, the slow way. */
function begun(words: string[], text: string): Place[] {
  const ends = [...text.matchAll(/…/g)].map(({ index }) => {
    const all = words.flatMap((word) => Array.from(word, (_, at) => word.slice(0, at + 1)));
    return {
      index,
      length: Math.max(0, ...all.filter((one) => text.slice(0, index).endsWith(one)).map((one) => one.length)),
    };
  });
  return ends.filter(({ length }) => length > 0).map(({ index, length }) => [index - length, index]);
}

/** Few letters, so that words overlap and contain each other. */
const text = (most: number) => fc.string({ unit: fc.constantFrom('a', 'b', 'c', '…', '\ud83d', 'ä'), maxLength: most });

describe('a finder', () => {
  it('finds all words, and beginnings of words before a mark', () => {
    fc.assert(
      fc.property(fc.array(text(6), { maxLength: 8 }), text(40), (words, where) => {
        const finder = createFinder(words);
        expect(finder.placesIn(where)).toEqual(every(words, where));
        expect(finder.beginningsIn(where, '…')).toEqual(begun(words, where));
      }),
      { numRuns: 2_000 },
    );
  });

  it('can be used more than once', () => {
    const finder = createFinder(['he', 'she', 'hers', '']);
    for (const _ of [1, 2])
      expect(finder.placesIn('ushers')).toEqual([
        [1, 4],
        [2, 6],
      ]);
    expect(createFinder([]).placesIn('ushers')).toEqual([]);
  });
});

describe('stars', () => {
  it.each<[Place[], string]>([
    [[], 'abcdef'],
    [[[1, 3]], 'a***def'],
    [
      [
        [2, 5],
        [1, 3],
      ],
      'a***f',
    ],
    [
      [
        [0, 6],
        [2, 3],
      ],
      '***',
    ],
    [
      [
        [0, 1],
        [5, 6],
      ],
      '***bcde***',
    ],
  ])('replace the places %j', (places, expected) => {
    expect(withStars('abcdef', places)).toBe(expected);
  });
});
