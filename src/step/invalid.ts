import { show } from '../text/inert.ts';

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

/** What is wrong if a required input is not set. `advice` says where to get the value, or why it is needed. */
export function missing(input: string, advice: string): string {
  return `${input} is required: ${advice}`;
}

/** A key of this service, a token of GitHub, or a connection URI: in the wrong input, it is secret all the same. */
const secretLike = /\b(napi|gh[opsur]|github_pat)_|:\/\/[^\s/]*@|^postgres(ql)?:/i;

/** An input's value for a message, unless it may be secret. */
export function echo(raw: string): string {
  return secretLike.test(raw) ? 'a value that looks like a key or a connection URI (not shown)' : show(raw);
}
