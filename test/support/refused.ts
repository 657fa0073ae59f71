import fc from 'fast-check';
import { expect } from 'vitest';
import * as value from '../../src/inputs/parse.ts';

/** The fault of a value that must not be taken. */
export const refused = (parse: () => unknown): value.Fault => {
  try {
    parse();
  } catch (error) {
    expect(error).toBeInstanceOf(value.Fault);
    return error as value.Fault;
  }
  throw new Error('it was taken');
};

/** Texts that are near to right ones, and anything at all. */
export const near = (...characters: string[]) =>
  fc.oneof(
    fc.string({ unit: fc.constantFrom(...characters.join('')), maxLength: 12 }),
    fc.string({ unit: 'grapheme' }),
  );
