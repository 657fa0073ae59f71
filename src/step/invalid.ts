import { hidePasswords } from '../secrets/passwords.ts';
import { show } from '../text/inert.ts';

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

/** What is wrong if a required input is not set. `advice` says where to get the value, or why it is needed. */
export function missing(input: string, advice: string): string {
  return `${input} is required: ${advice}`;
}

/** The same for an input that is an expression as a rule, such as `${{ secrets.API_KEY }}`. `advice` is a sentence without its period. */
export function empty(input: string, advice: string): string {
  return `${input} is required, but it is empty. ${advice}`;
}

/** Whether a value is the name of a secret in place of its value, such as `secrets.API_KEY`: nothing in it is secret. */
export function isReference(raw: string): boolean {
  return /^(secrets|vars|env|github)\.\w+$/.test(raw);
}

/** A key of this service, a token of GitHub, or a JSON Web Token. */
const key = /^(napi_\w{8,}|gh[opsur]_\w{16,}|github_pat_\w{16,}|eyJ[\w-]{8,}\.[\w-]{4,}(\.[\w-]*)?)$/;
/** Such a key inside a longer value. */
const keys = new RegExp(`(?<![A-Za-z0-9])${key.source.slice(1, -1)}`, 'g');
/** With letters as well as digits, this may be a key of any other service. */
const longWord = /[A-Za-z\d+=]{24,}/g;

/** The parts of a value that are certainly keys or tokens. */
export function keysIn(raw: string): string[] {
  return raw.match(keys) ?? [];
}

/** Whether a part of a value has the form of a key, or begins like one. */
export function hasKey(raw: string): boolean {
  return raw.split(/[^\w.-]+/).some((word) => key.test(word) || /^(napi|gh[opsur]|github_pat)_/.test(word));
}

/** Whether a value is, or contains, what may be a key. */
export function looksLikeKey(raw: string): boolean {
  if (hasKey(raw)) return true;
  return (raw.match(longWord) ?? []).some((word) => /\d/.test(word) && /[A-Za-z]/.test(word));
}

/** Whether a value has a database's URI, or any URI with a secret in it: such a value must not be shown. */
export function isConnectionString(raw: string): boolean {
  return hidePasswords(raw) !== raw || /^postgres(ql)?:\/\//i.test(raw.trimStart());
}

/** An input's value for a message, unless it may be secret. */
export function echo(raw: string): string {
  if (isConnectionString(raw)) return 'a connection URI (not shown)';
  return looksLikeKey(raw) ? 'a value that looks like a key (not shown)' : show(raw);
}
