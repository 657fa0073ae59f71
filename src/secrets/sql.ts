import { endOf, type Place, withStars } from './matcher.ts';
import { isAssignable, isSecretName, longestName } from './names.ts';
import { secretPlacesIn } from './uris.ts';

/**
 * SQL without the passwords in it. No line is removed or joined, and nothing but the passwords is hidden: a comment in a schema must not
 * hide what the schema does.
 */
export function hidePasswords(sql: string): string {
  const places = [...sqlPlacesIn(sql, { depth: 0, isProse: false }), ...secretPlacesIn(sql)];
  return withStars(
    sql,
    places.flatMap((place) => [...linesIn(sql, place)]),
  );
}

/** The same place without line breaks. */
function* linesIn(text: string, [start, end]: Place): Generator<Place> {
  for (let from = start; from < end; ) {
    const to = Math.min(end, indexOrEnd(text, '\n', from));
    if (to > from) yield [from, to];
    from = to + 1;
  }
}

/** How many levels of literals are read: a function's body, a command in it as text, a literal in that. */
const deepest = 4;
/** A value that is none: an empty one, or a placeholder in a message. */
const isEmpty = /^(?:\{\}|\[\]|%[a-z]?|\$\d|\?)?$/i;
/** What the names of secrets have in common. Most literals and comments have none. */
const hint = /pass|pw|secret|token|jwt|credential|authorization|cookie|key|dsn|connection|uri/i;

/**
 * Where passwords are in SQL: the insides of literals that are the value of something with such a name, however they are quoted. A password
 * follows its name (`PASSWORD 'x'`, the option of a server), is assigned to it (`pw := 'x'`, `pw text DEFAULT 'x'`), or is a member of JSON.
 * Literals and comments are read in the same way as the rest, so every character is looked at a few times; in prose, a quote right behind a
 * word is an apostrophe.
 */
function sqlPlacesIn(sql: string, { depth, isProse }: { depth: number; isProse: boolean }): Place[] {
  const places: Place[] = [];
  const isValueOfSecret = createReader(sql, isProse);
  for (const token of tokensOf(sql)) {
    const { kind, from, to } = token;
    if (isValueOfSecret(token)) {
      if (!isEmpty.test(sql.slice(from, Math.min(to, from + 4)))) places.push([from, to]);
    } else if ((kind === 'literal' || kind === 'comment') && depth < deepest) {
      const { text, at } = contentOf(sql, token);
      if (!hint.test(text)) continue;
      const isText = kind === 'comment' || token.quote !== '$';
      for (const [start, end] of [...sqlPlacesIn(text, { depth: depth + 1, isProse: isText }), ...jsonPlacesIn(text)]) {
        places.push([at(start), at(end)]);
      }
    }
  }
  return places;
}

interface Token {
  kind: 'word' | 'name' | 'literal' | 'sign' | 'comment';
  start: number;
  /** Where its content is: without quotes. */
  from: number;
  to: number;
  /** For a literal, how it is written: escapes begin with `\` in `e'`, quotes are doubled in `'`, and there are none in `$`. */
  quote: "'" | "e'" | '$' | '';
}

const space = /[\s\ufeff]+/y;
const word = /[a-z_\u0080-\uffff][\w$\u0080-\uffff]*/iy;
const number = /\d[\w.]*/y;
const dollar = /\$(?:[a-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/iy;
const operator = /(?:[+*<>=~!@#%^&|`?:]|-(?!-)|\/(?!\*))+/y;
/** What may be in front of a quote, such as the `E` in `E'x'`. */
const prefix = /(?:[ebxn]|u&)?(?=')|(?:u&)?(?=")/iy;

/** The tokens of SQL as Postgres reads it. A literal, name or comment that does not end goes on to the end of the text. */
function* tokensOf(sql: string): Generator<Token> {
  const { length } = sql;
  let at = 0;
  for (;;) {
    at = endOf(space, sql, at);
    if (at >= length) return;
    const opening = endOf(prefix, sql, at);
    const mark = sql[opening];
    if (mark === "'" || mark === '"') {
      const hasEscapes = mark === "'" && /e/i.test(sql.slice(at, opening));
      const to = endOfQuoted(sql, { from: opening + 1, mark, hasEscapes });
      const isName = mark === '"';
      const quote = isName ? '' : hasEscapes ? "e'" : "'";
      yield { start: at, kind: isName ? 'name' : 'literal', from: opening + 1, to, quote };
      at = to + 1;
    } else if (sql.startsWith('--', at) || sql.startsWith('/*', at)) {
      const to = sql[at] === '-' ? indexOrEnd(sql, '\n', at) : endOfComment(sql, at + 2);
      yield { start: at, kind: 'comment', from: at + 2, to, quote: '$' };
      at = to;
    } else if (mark === '$' && endOf(dollar, sql, at) > at) {
      const from = endOf(dollar, sql, at);
      const tag = sql.slice(at, from);
      const to = indexOrEnd(sql, tag, from);
      yield { start: at, kind: 'literal', from, to, quote: '$' };
      at = to + tag.length;
    } else {
      const end = endOf(word, sql, at);
      const to = end > at ? end : Math.max(at + 1, endOf(number, sql, at), endOf(operator, sql, at));
      yield { start: at, kind: end > at ? 'word' : 'sign', from: at, to, quote: '' };
      at = to;
    }
  }
}

function indexOrEnd(text: string, part: string, from: number): number {
  const index = text.indexOf(part, from);
  return index < 0 ? text.length : index;
}

/** Where the quote is that ends a literal or name. */
function endOfQuoted(sql: string, options: { from: number; mark: string; hasEscapes: boolean }): number {
  const { from, mark, hasEscapes } = options;
  const stop = hasEscapes ? /[\\']/g : mark === '"' ? /"/g : /'/g;
  stop.lastIndex = from;
  for (let match = stop.exec(sql); match; match = stop.exec(sql)) {
    if (match[0] === mark && sql[stop.lastIndex] !== mark) return match.index;
    // The next character is escaped, or the second of two quotes.
    stop.lastIndex++;
  }
  return sql.length;
}

/** Behind the end of a comment, which may have comments in it. */
function endOfComment(sql: string, from: number): number {
  const mark = /\/\*|\*\//g;
  mark.lastIndex = from;
  let open = 1;
  for (let match = mark.exec(sql); match; match = mark.exec(sql)) {
    open += match[0] === '/*' ? 1 : -1;
    if (open === 0) return mark.lastIndex;
  }
  return sql.length;
}

/** A part of a statement: between two commas, or what is in parentheses. */
interface Part {
  /** Its first word that may be a name: what a declaration declares. */
  first?: string;
  /** It has no operator yet, so what it declares is its first word. */
  isPlain: boolean;
  /** What was in front of it. */
  before: Before;
}

/** What was right before a token. */
interface Before {
  name?: string;
  /** The next literal is the value of a secret. */
  isAssigned?: boolean;
  /** A literal that is a secret, or the `::` or type behind it. */
  isSecret?: boolean;
  isCast?: boolean;
}

/** Words after which a name is declared. */
const openings = new Set('DECLARE BEGIN THEN ELSE LOOP COLUMN ADD EXISTS IN OUT INOUT VARIADIC'.split(' '));
const operators = new Set('AND OR IS LIKE ILIKE BETWEEN WHEN'.split(' '));

/** Reads the tokens of a statement in order. The function that is returned says of each whether it is the value of a secret. */
function createReader(sql: string, isProse: boolean): (token: Token) => boolean {
  const part = (before: Before = {}): Part => ({ isPlain: true, before });
  let parts = [part()];
  let before: Before = {};
  let lastEnd = -1;

  const isDeclared = ({ first, isPlain }: Part) => isPlain && first !== undefined && isAssignable(first);

  function readWord(text: string, now: Part, isKeyword: boolean): Before {
    const keyword = isKeyword && text.length < 10 ? text.toUpperCase() : '';
    // ALTER COLUMN password SET DEFAULT 'x'
    if (keyword === 'SET') return { name: before.name };
    if (keyword === 'TO') return { isAssigned: before.name !== undefined && isOption(before.name) };
    if (keyword === 'DEFAULT') return assign(now);
    if (openings.has(keyword)) {
      Object.assign(now, { first: undefined, isPlain: true });
      return {};
    }
    if (operators.has(keyword)) now.isPlain = false;
    now.first ??= text;
    return before.isCast ? before : { name: text };
  }

  function assign(now: Part): Before {
    return { isAssigned: (before.name !== undefined && isAssignable(before.name)) || isDeclared(now) };
  }

  function readSign(sign: string, now: Part): Before {
    switch (sign) {
      case '(':
        parts.push(before.isAssigned ? { ...now, before } : part(before));
        return before.isAssigned ? before : {};
      case ')': {
        const opened = parts.length > 1 ? parts.pop() : undefined;
        return before.isSecret ? before : opened?.before.isCast ? opened.before : {};
      }
      case ',':
        parts[parts.length - 1] = part(now.before);
        return {};
      case ';':
        parts = [part()];
        return {};
      case '::':
        return before.isSecret ? { isCast: true } : {};
      case '.':
      case '[':
      case ']':
      case '%':
        return before.isCast ? before : {};
    }
    const after = /^(?::?=|=>|==|<>|!=)$/.test(sign)
      ? assign(now)
      : { isAssigned: sign === '||' && (before.isSecret || before.isCast) };
    if (!/^\d/.test(sign)) now.isPlain = false;
    return after;
  }

  return ({ kind, start, from, to }) => {
    if (kind === 'comment') return false;
    const isApostrophe = isProse && kind === 'literal' && start === lastEnd;
    lastEnd = to;
    const now = parts[parts.length - 1] as Part;
    if (kind === 'literal') {
      const { name, isAssigned, isSecret } = before;
      const isValue = Boolean(isAssigned || isSecret || (name !== undefined && !isApostrophe && isOption(name)));
      before = { isSecret: isValue };
      now.isPlain = false;
      return isValue;
    }
    const text = sql.slice(from, Math.min(to, from + longestName));
    before = kind === 'sign' ? readSign(text, now) : readWord(text, now, kind === 'word');
    return false;
  };
}

// `key 'true'` marks a foreign table's column as part of the key.
const isOption = (name: string) => isSecretName(name) && name.toLowerCase() !== 'key';

/** The escapes of `E'…'`. */
const escapes = /''|\\(?:x[\da-f]{1,2}|[0-7]{1,3}|u[\da-f]{4}|U[\da-f]{8}|[\s\S])/gi;
const controls: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** The text that a literal or comment stands for, and where a position in it is in the SQL. */
function contentOf(sql: string, { from, to, quote }: Token): { text: string; at: (index: number) => number } {
  const raw = sql.slice(from, to);
  const pattern = quote === "e'" ? escapes : quote === "'" ? /''/g : undefined;
  if (!pattern) return { text: raw, at: (index) => from + index };
  const parts: string[] = [];
  /** The text from the first position on is in the SQL from the second one on. */
  const shifts = { inText: [0], inSql: [from] };
  let [done, length] = [0, 0];
  for (const { 0: whole, index } of raw.matchAll(pattern)) {
    parts.push(raw.slice(done, index), unescaped(whole));
    length += index - done + 1;
    done = index + whole.length;
    shifts.inText.push(length);
    shifts.inSql.push(from + done);
  }
  parts.push(raw.slice(done));
  return { text: parts.join(''), at: (index) => positionOf(shifts, index) };
}

/** One UTF-16 unit. */
function unescaped(text: string): string {
  const [, kind = '', digits = ''] = /^\\([xu]?)([\da-f]+)$/i.exec(text) ?? [];
  const last = text.at(-1) ?? '';
  if (digits === '' || (kind === '' && !/^[0-7]+$/.test(digits))) return controls[last] ?? last;
  return String.fromCharCode(Number.parseInt(digits, kind === '' ? 8 : 16));
}

function positionOf({ inText, inSql }: { inText: number[]; inSql: number[] }, index: number): number {
  let [low, high] = [0, inText.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((inText[middle] ?? 0) <= index) low = middle;
    else high = middle;
  }
  return (inSql[low] ?? 0) + index - (inText[low] ?? 0);
}

const member = /"([^"\\\n]{1,200})"\s*:\s*"/g;

/** Where the values of JSON's members with the name of a secret are, without the quotes around them. */
function jsonPlacesIn(text: string): Place[] {
  const places: Place[] = [];
  let done = 0;
  for (const { 0: whole, 1: name = '', index } of text.matchAll(member)) {
    if (index < done || !isAssignable(name)) continue;
    const from = index + whole.length;
    const end = /[\\"]/g;
    end.lastIndex = from;
    let match = end.exec(text);
    for (; match && match[0] !== '"'; match = end.exec(text)) end.lastIndex++;
    done = match?.index ?? text.length;
    if (done > from) places.push([from, done]);
  }
  return places;
}
