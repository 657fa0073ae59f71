import { echo } from './key.ts';

/** An invalid input, or inputs that are invalid in combination. */
export interface InvalidInput {
  /** Its name; empty if several inputs are invalid only in combination. */
  input: string;
  /** One line that names the input, its value and what is expected. */
  message: string;
}

/** A value that an input does not accept. */
export class InvalidValue extends Error {
  override readonly name = 'InvalidValue';
  /** What the input accepts, as a noun: `a duration such as 90m, 12h or 14d`. */
  readonly expected: string;
  /** How to refer to the value if it must not be shown, or if more than its text matters: `a connection URI (not shown)`. */
  readonly shown: string | undefined;

  constructor(expected: string, shown?: string) {
    super(`expected ${expected}`);
    this.expected = expected;
    this.shown = shown;
  }
}

export function invalid(options: { input: string; raw: string; error: InvalidValue }): InvalidInput {
  const { input, raw, error } = options;
  return { input, message: `${input}: ${error.shown ?? echo(raw)} is invalid; expected ${error.expected}` };
}

/** `advice` says where to get the value, or why it is needed. */
export function missing(input: string, advice: string): InvalidInput {
  return { input, message: `${input} is required: ${advice}` };
}

/** Inputs that are invalid only together. */
export function combination(message: string): InvalidInput {
  return { input: '', message };
}
