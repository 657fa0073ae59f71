import fc from 'fast-check';
import { expect } from 'vitest';
import { InvalidValue } from '../../src/step/invalid.ts';

/** The error of a parser that must not accept a value. */
export const rejected = (parse: () => unknown): InvalidValue => {
  try {
    parse();
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidValue);
    return error as InvalidValue;
  }
  throw new Error('The value was accepted');
};

/** Texts that are almost valid, and any others. */
export const near = (...characters: string[]) =>
  fc.oneof(
    fc.string({ unit: fc.constantFrom(...characters.join('')), maxLength: 12 }),
    fc.string({ unit: 'grapheme' }),
  );
