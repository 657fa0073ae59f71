/**
 * A glob over names. Names are not paths: `*` matches any characters, also `/` (`**` is the same), and `?` matches one character.
 * A backslash makes the next character literal.
 */
export interface Glob {
  /** As it was written. */
  readonly pattern: string;
  matches(name: string): boolean;
  /**
   * The part of a matching name between the pattern's literal beginning and its literal end, with the rest of words that they cut: for
   * `preview/*` and `preview/a/b` that is `a/b`, also for `preview/a*`. Undefined if the name does not match.
   */
  rest(name: string): string | undefined;
}

const star = Symbol('*');
const anyOne = Symbol('?');
type Token = string | typeof star | typeof anyOne;

/** Throws a plain `Error` that says what is wrong with the pattern. */
export function parseGlob(pattern: string): Glob {
  const tokens = tokenize(pattern);
  const isWildcard = (token: Token) => typeof token !== 'string';
  const before = tokens.findIndex(isWildcard);
  const after = tokens.length - 1 - tokens.findLastIndex(isWildcard);
  const matches = (name: string) => match(tokens, Array.from(name));
  return {
    pattern,
    matches,
    rest(name) {
      if (!matches(name)) return undefined;
      if (before < 0) return '';
      const characters = Array.from(name);
      let start = before;
      let end = characters.length - after;
      const isInWord = (at: number) =>
        [characters[at - 1], characters[at]].every((one) => /[\p{L}\p{N}]/u.test(one ?? ''));
      while (isInWord(start)) start--;
      while (isInWord(end)) end++;
      return characters.slice(start, end).join('');
    },
  };
}

function tokenize(pattern: string): Token[] {
  const tokens: Token[] = [];
  const characters = Array.from(pattern)[Symbol.iterator]();
  for (const character of characters) {
    if (character === '*') {
      if (tokens.at(-1) !== star) tokens.push(star);
    } else if (character === '?') tokens.push(anyOne);
    else if (character === '\\') {
      const escaped = characters.next();
      if (escaped.done) throw new Error('a trailing \\ escapes nothing; for a literal \\, write \\\\');
      tokens.push(escaped.value);
    } else if (character === '[' || character === '{') {
      throw new Error(`only * and ? are wildcards; for a literal ${character}, write \\${character}`);
    } else tokens.push(character);
  }
  return tokens;
}

/**
 * After a mismatch, the last star matches one character more. Going back to earlier stars is never needed, so the time is at most
 * the product of the two lengths; a regular expression might need exponential time.
 */
function match(tokens: Token[], name: string[]): boolean {
  let at = 0;
  let next = 0;
  let lastStar = -1;
  let starAt = 0;
  while (at < name.length) {
    const token = tokens[next];
    if (token === star) {
      lastStar = next++;
      starAt = at;
    } else if (token === anyOne || token === name[at]) {
      next++;
      at++;
    } else if (lastStar >= 0) {
      next = lastStar + 1;
      at = ++starAt;
    } else return false;
  }
  return tokens.slice(next).every((token) => token === star);
}
