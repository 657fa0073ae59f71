import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { duration } from '../../../src/text/format.ts';
import { oneLine, show, withoutCommands } from '../../../src/text/inert.ts';
import { parseCommand } from '../../support/commands.ts';

/** What anyone may put into a title, a ref or a message. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '::',
        '::add-mask::',
        '::error file=a,line=1::',
        '##[',
        '##[group]',
        ']',
        '::stop-commands::x',
        ':',
        '#',
        '[',
      ),
      fc.constantFrom(
        '\n',
        '\r',
        '\t',
        '\u0000',
        '\u001b[31m',
        '\u0085',
        '\u2028',
        '\u202e',
        '\u2066',
        '\u200b',
        '\u061c',
        '\ufeff',
      ),
      fc.string({ unit: 'grapheme', maxLength: 6 }),
      fc.string({ unit: 'binary', maxLength: 4 }),
    ),
    { maxLength: 12 },
  )
  .map((words) => words.join(''));

describe('text from outside on one line', () => {
  it('has no control characters and no direction marks', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const line = oneLine(text);
        expect(line).not.toMatch(/\p{Cc}|[\u2028\u2029\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u);
      }),
      { numRuns: 2_000 },
    );
  });

  it('stays as it is if it is harmless', () => {
    for (const text of [
      'feature/login',
      'Größe & <Maß> #7',
      'a: b :: c',
      'std::vector',
      '👩‍👩‍👧'.replaceAll('\u200d', ''),
    ])
      expect(withoutCommands(oneLine(text))).toBe(text);
  });

  it('is cut between characters, with a mark', () => {
    expect(oneLine('😀😀😀😀', 3)).toBe('😀😀…');
    expect(oneLine('abc', 3)).toBe('abc');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 20 }), (text, most) => {
        expect(Array.from(oneLine(text, most)).length).toBeLessThanOrEqual(most);
      }),
    );
  });
});

describe('a line without commands', () => {
  it('is not a command to the runner, whatever it is made of', () => {
    fc.assert(
      fc.property(hostile, hostile, (one, two) => {
        for (const text of [one, ` ${one}`, `text ${one}`, show(one), `${oneLine(one)} ${oneLine(two)}`, one + two]) {
          expect(parseCommand(withoutCommands(text))).toBeUndefined();
          expect(parseCommand(withoutCommands(oneLine(text)))).toBeUndefined();
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('a duration', () => {
  it.each([
    [0, '0ms'],
    [999.4, '999ms'],
    [999.6, '1s'],
    [1_000, '1s'],
    [2_449, '2.4s'],
    [59_949, '59.9s'],
    [59_960, '1m'],
    [60_000, '1m'],
    [200_000, '3m 20s'],
    [3_599_600, '1h'],
    [3_600_000, '1h'],
    [86_400_000, '24h'],
    [14 * 86_400_000, '14d'],
    [14.5 * 86_400_000, '14d 12h'],
    [2 * 86_400_000 - 1, '2d'],
  ])('of %d ms is %s', (ms, text) => {
    expect(duration(ms)).toBe(text);
  });

  it('never shows 60s, 60m or 1000ms', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 40 * 86_400_000 }), (ms) => {
        expect(duration(ms)).not.toMatch(/\b(1000ms|60(\.\d)?s|60m|24h$.+)/);
      }),
    );
  });
});
