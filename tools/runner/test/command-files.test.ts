import { describe, expect, it } from 'vitest';
import { parseCommandFile } from '../command-files.ts';

describe('command files', () => {
  it('reads plain and multi-line entries', () => {
    const text = 'a=1\n\nb<<END\none\n\ntwo=2<<3\nEND\nc=x=y<<z\n';
    expect(parseCommandFile(text)).toEqual({
      pairs: [
        ['a', '1'],
        ['b', 'one\n\ntwo=2<<3'],
        ['c', 'x=y<<z'],
      ],
    });
  });

  it.each([
    ['a<<END\nvalue\nEN', "Invalid value. Matching delimiter not found 'END'"],
    ['a<<\nvalue\n', "Invalid format 'a<<'. Name must not be empty and delimiter must not be empty"],
    ['<<END\nvalue\nEND\n', "Invalid format '<<END'. Name must not be empty and delimiter must not be empty"],
    ['=value\n', "Invalid format '=value'. Name must not be empty"],
    ['value\n', "Invalid format 'value'"],
  ])('rejects %j', (text, error) => {
    expect(parseCommandFile(`before=1\n${text}`)).toEqual({ pairs: [['before', '1']], error });
  });
});
