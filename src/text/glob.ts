/**
 * A glob over names. Names are no paths: `*` stands for any characters, `/` too (and `**` for the same), `?` for one, `[a-z]` and
 * `[!a-z]` for one of a set, `{a,b}` for one of several; `\` takes a character as it is.
 */
export interface Glob {
  matches(name: string): boolean;
  /**
   * What the wildcards of the pattern stand for in a name that matches: what is left without the pattern's fixed beginning and end.
   * One for each alternative that matches; for `preview/*` and `preview/feature/x` that is `feature/x`.
   */
  rests(name: string): string[];
}

/** One step of a pattern: a character as it is, one of a set or any one, or any characters at all. */
type Step =
  | { kind: 'text'; character: string }
  | { kind: 'one'; takes: (character: string) => boolean }
  | { kind: 'any' };

/** Alternatives that braces may stand for together, so that `{a,b}{a,b}…` does not grow without end. */
const mostAlternatives = 100;

/** Throws a plain `Error` that says what is wrong with the pattern. */
export function parseGlob(pattern: string): Glob {
  const alternatives = expand(pattern).map((one) => compile(steps(one)));
  return {
    matches: (name) => alternatives.some((one) => one.matches(name)),
    rests: (name) => alternatives.filter((one) => one.matches(name)).map((one) => one.rest(name)),
  };
}

/** The patterns without braces that a pattern stands for. */
function expand(pattern: string): string[] {
  const open = find(pattern, '{', 0);
  if (open < 0) return [pattern];
  const choices: string[] = [];
  let depth = 0;
  let start = open + 1;
  for (let at = open; at < pattern.length; at++) {
    const character = pattern[at];
    if (character === '\\') at++;
    else if (character === '{') depth++;
    else if (character === ',' && depth === 1) {
      choices.push(pattern.slice(start, at));
      start = at + 1;
    } else if (character === '}' && --depth === 0) {
      choices.push(pattern.slice(start, at));
      const [before, after] = [pattern.slice(0, open), pattern.slice(at + 1)];
      const all = choices.flatMap((choice) => expand(`${choice}${after}`)).map((rest) => `${before}${rest}`);
      if (all.length > mostAlternatives) throw new Error(`more than ${mostAlternatives} alternatives in braces`);
      return [...new Set(all)];
    }
  }
  throw new Error('a { without its }');
}

/** Where a character stands that has no backslash before it. */
function find(text: string, wanted: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === wanted) return at;
  }
  return -1;
}

function steps(pattern: string): Step[] {
  const found: Step[] = [];
  const characters = Array.from(pattern);
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? '';
    if (character === '\\') {
      const next = characters[++at];
      if (next === undefined) throw new Error('a \\ at the end');
      found.push({ kind: 'text', character: next });
    } else if (character === '*') {
      if (found.at(-1)?.kind !== 'any') found.push({ kind: 'any' });
    } else if (character === '?') found.push({ kind: 'one', takes: () => true });
    else if (character === '[') {
      const end = setEnd(characters, at);
      found.push({ kind: 'one', takes: set(characters.slice(at + 1, end)) });
      at = end;
    } else found.push({ kind: 'text', character });
  }
  return found;
}

/** Where the `]` of a set stands; right after `[` or `[!` it is a character of the set. */
function setEnd(characters: string[], open: number): number {
  let at = open + (isNegation(characters[open + 1]) ? 2 : 1);
  if (characters[at] === ']') at++;
  for (; at < characters.length; at++) {
    if (characters[at] === '\\') at++;
    else if (characters[at] === ']') return at;
  }
  throw new Error('a [ without its ]');
}

const isNegation = (character: string | undefined) => character === '!' || character === '^';

/** `a-z`, `!a-z`, `abc`: whether a character is in the set. */
function set(inside: string[]): (character: string) => boolean {
  const negative = isNegation(inside[0]);
  const ranges: [number, number][] = [];
  const read = (at: number): [character: string, next: number] =>
    inside[at] === '\\' ? [inside[at + 1] ?? '\\', at + 2] : [inside[at] ?? '', at + 1];
  for (let at = negative ? 1 : 0; at < inside.length; ) {
    const [first, next] = read(at);
    const isRange = inside[next] === '-' && next + 1 < inside.length;
    const [last, end] = isRange ? read(next + 1) : [first, next];
    const range: [number, number] = [first.codePointAt(0) ?? 0, last.codePointAt(0) ?? 0];
    if (range[0] > range[1]) throw new Error(`a range ${first}-${last}, which is the wrong way round`);
    ranges.push(range);
    at = end;
  }
  return (character) => {
    const point = character.codePointAt(0) ?? 0;
    return ranges.some(([low, high]) => low <= point && point <= high) !== negative;
  };
}

function compile(all: Step[]) {
  const isWild = (step: Step) => step.kind !== 'text';
  const before = all.findIndex(isWild);
  const after = all.length - 1 - all.findLastIndex(isWild);
  return {
    matches: (name: string) => match(all, Array.from(name)),
    rest(name: string) {
      const characters = Array.from(name);
      return before < 0 ? '' : characters.slice(before, characters.length - after).join('');
    },
  };
}

/**
 * Whether the steps take the whole name. A mismatch goes back to the last star only, which then takes one character more: that
 * is enough, and unlike a regular expression it never takes longer than the two lengths multiplied.
 */
function match(all: Step[], name: string[]): boolean {
  let at = 0;
  let step = 0;
  let star = -1;
  let starAt = 0;
  while (at < name.length) {
    const current = all[step];
    const character = name[at] ?? '';
    if (current?.kind === 'any') {
      star = step++;
      starAt = at;
    } else if (current && (current.kind === 'text' ? current.character === character : current.takes(character))) {
      step++;
      at++;
    } else if (star >= 0) {
      step = star + 1;
      at = ++starAt;
    } else return false;
  }
  while (all[step]?.kind === 'any') step++;
  return step === all.length;
}
