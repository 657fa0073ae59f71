import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { oneLine, show, withoutCommands } from '../../../src/text/inert.ts';
import { anyCharacter } from '../../../tools/fuzz/texts.ts';
import { parseCommand } from '../../../tools/runner/commands.ts';

/** What anyone may put into a title, a ref or a message. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(...['::', '::add-mask::', '::error file=a,line=1::', '##[', '##[group]', ':', '#', '[', ']']),
      fc.constantFrom(...'\n\r\t\u0000\u001b\u0085\u2028\u202e\u2066\u200b\u00ad\u034f\ufe0f\u061c\ufeff'),
      fc.string({ unit: 'grapheme', maxLength: 6 }),
      fc.string({ unit: anyCharacter, maxLength: 4 }),
    ),
    { maxLength: 12 },
  )
  .map((words) => words.join(''));

describe('text from outside on one line', () => {
  it('has no control characters and no direction marks', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const line = oneLine(text);
        expect(line).not.toMatch(
          /\p{Cc}|\u034f|[\ufe00-\ufe0f]|[\u00ad\u2028\u2029\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u,
        );
      }),
      { numRuns: 500 },
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

  it('has a space for each run of control characters, and none at its ends', () => {
    expect(oneLine('\n a\r\n\tb\u0000 \u2028')).toBe('a b');
  });

  it('is at most 500 characters long, and 120 in a message', () => {
    expect(oneLine('x'.repeat(501))).toBe(`${'x'.repeat(499)}…`);
    expect(show('x'.repeat(121))).toBe(`"${'x'.repeat(119)}…"`);
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
  it.each([
    ['::error::x', ': :error::x'],
    [' \t::error::x', ' \t: :error::x'],
    ['a ::error::x', 'a ::error::x'],
    [':error::x', ':error::x'],
    ['a ##[error]b ##[x]', 'a # #[error]b # #[x]'],
  ])('%j becomes %j', (line, inert) => {
    expect(withoutCommands(line)).toBe(inert);
  });

  it('is not a command to the runner, whatever it is made of', () => {
    fc.assert(
      fc.property(hostile, hostile, (one, two) => {
        for (const text of [one, ` ${one}`, `text ${one}`, show(one), `${oneLine(one)} ${oneLine(two)}`, one + two]) {
          expect(parseCommand(withoutCommands(text))).toBeUndefined();
          expect(parseCommand(withoutCommands(oneLine(text)))).toBeUndefined();
        }
      }),
      { numRuns: 500 },
    );
  });
});
