/**
 * A glob over names. Names are not paths: `*` matches any characters, also `/` (`**` is the same), and `?` matches one character.
 * A backslash makes the next character literal.
 */
export interface Glob {
  /** As it was written. */
  readonly pattern: string;
  matches(name: string): boolean;
  /**
   * The part of a matching name between the pattern's literal beginning and its literal end, with and without the rest of words that they
   * cut: `a/b` for `preview/*` and `preview/a/b`, also for `preview/a*`. None if the name does not match.
   */
  rests(name: string): string[];
}

const isWildcard = (part: string) => part === '*' || part === '?';

/** Throws a plain `Error` that says what is wrong with the pattern. */
export function parseGlob(pattern: string): Glob {
  if (pattern.startsWith('!'))
    throw new Error('a leading ! excludes nothing: set exclude_pattern; for a literal !, write \\!');
  const parts = pattern.match(/\\?./gsu) ?? [];
  const first = parts.findIndex(isWildcard);
  const sourceOf = (some: string[]) => some.map(asExpression).join('');
  const cut = first < 0 ? parts.length : first;
  const last = parts.findLastIndex(isWildcard) + 1;
  const [before, middle, after] = [parts.slice(0, cut), parts.slice(cut, last), parts.slice(Math.max(cut, last))];
  // Of what is between two `*`, the first place that fits is as good as any: a lookahead keeps it, and no other is ever tried.
  const [head = '', ...others] = sourceOf(middle).split('.*');
  const tail = others.pop();
  const inner = others.map((one, n) => `(?=(?<at${n}>.*?${one}))\\k<at${n}>`).join('');
  const source = tail === undefined ? head : `${head}${inner}.*${tail}`;
  const form = new RegExp(`^(?<start>${sourceOf(before)})(?<rest>${source})(?<end>${sourceOf(after)})$`, 'su');
  return {
    pattern,
    matches: (name) => form.test(name),
    rests(name) {
      const groups = form.exec(name)?.groups;
      if (!groups || first < 0) return groups ? [''] : [];
      const { start = '', rest = '', end = '' } = groups;
      const [head = ''] = /^[\p{L}\p{N}]/u.test(rest + end) ? (/[\p{L}\p{N}]*$/u.exec(start) ?? []) : [];
      const [tail = ''] = /[\p{L}\p{N}]$/u.test(start + rest) ? (/^[\p{L}\p{N}]*/u.exec(end) ?? []) : [];
      return [head + rest + tail, rest];
    },
  };
}

/** A part of a glob, a character or an escaped one, as a regular expression. */
function asExpression(part: string): string {
  if (isWildcard(part)) return part === '*' ? '.*' : '.';
  if (part === '\\') throw new Error('a trailing \\ escapes nothing; for a literal \\, write \\\\');
  if (part === '[' || part === '{') {
    throw new Error(`only * and ? are wildcards; for a literal ${part}, write \\${part}`);
  }
  return part.replace(/^\\(?=.)/su, '').replace(/[\\^$.*+?()[\]{}|/]/, '\\$&');
}
