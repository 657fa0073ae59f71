import { setImmediate } from 'node:timers/promises';
import { hasSqlDetails, loadModule, type Node, parseSync, type ScanToken, scanSync } from 'libpg-query';

/** One statement of a schema. */
export interface Statement {
  /** Its syntax tree; undefined if the parser does not know the statement. */
  node: Node | undefined;
  /** Where it starts and ends in the schema's text, in UTF-16 code units. */
  start: number;
  end: number;
}

/** The parser crashed or would take too long, which says nothing about the schema. */
export class ParserError extends Error {}

/** A chunk is parsed in a few milliseconds, and its syntax tree takes a few megabytes. */
const chunkLength = 128 * 1024;

/**
 * Splits a schema into statements with Postgres' own parser, in chunks of whole objects. If a chunk doesn't parse, its statements are parsed one
 * by one. Throws a `ParserError`, or the signal's reason.
 */
export async function parseSchema(options: { text: string; signal: AbortSignal }): Promise<Statement[]> {
  const { signal } = options;
  // A NUL would end the text for the parser, and hide what follows. The other lines are for psql.
  const text = options.text
    .replaceAll('\0', ' ')
    .replace(/^\\(?:un)?restrict .*$/gm, (line) => ' '.repeat(line.length));
  await loadModule().catch((error: unknown) => {
    throw new ParserError('the SQL parser could not be loaded', { cause: error });
  });
  checkOperators(text);
  const statements: Statement[] = [];
  let length = chunkLength;
  for (let start = 0; start < text.length; ) {
    await setImmediate();
    signal.throwIfAborted();
    const end = cutAfter(text, start + length);
    const found = readChunk(text.slice(start, end), end === text.length);
    // If a statement is longer than the chunk, more text is needed.
    length = found ? chunkLength : length * 2;
    if (!found) continue;
    for (const one of found) statements.push({ ...one, start: start + one.start, end: start + one.end });
    start = end;
  }
  return statements;
}

/** A second of scanning, in which no signal would be heard: characters that the scanner reads. */
const mostScanned = 20_000_000;

/** Shorter runs add up to a fraction of a second per chunk, and a signal is heard between chunks. */
const operatorRun = /(?<![-~!@#^&|`?+*/%<>=])[-~!@#^&|`?+*/%<>=]{200,}/g;

/**
 * Throws if the text has what the scanner takes a quadratic time for. It reads operator characters to the end of their run, and
 * again from each place in it where a comment starts or ends, or an operator ends early.
 */
function checkOperators(text: string): void {
  let scanned = 0;
  for (const [run] of text.matchAll(operatorRun)) {
    scanned += run.length * (run.match(/\/\*|\*\/|\+/g)?.length ?? 0);
    if (scanned > mostScanned) {
      throw new ParserError(
        "the schema has thousands of comment markers or operators without spaces between them, which the SQL parser can't read in time",
      );
    }
  }
}

/** What pg_dump writes before each object. */
const header = /^-- (?:Data for )?Name: .*; Type: /;
const beforeHeader = /\n--\n-- (?:Data for )?Name: .*; Type: /g;
const semicolon = /;[ \t\r]*(?:\n|$)/g;

/** Where to cut a text, at or after a place: before an object, or if there are none, after what is probably the end of a statement. */
function cutAfter(text: string, from: number): number {
  if (from >= text.length) return text.length;
  for (const form of [beforeHeader, semicolon]) {
    form.lastIndex = from;
    const found = form.exec(text);
    if (found) return form === beforeHeader ? found.index : form.lastIndex;
  }
  return text.length;
}

/** The statements of a chunk; undefined if it may end within one. */
function readChunk(chunk: string, isLast: boolean): Statement[] | undefined {
  const whole = parse(chunk);
  if (whole) return whole;
  // Other commands of psql.
  const text = chunk.replace(/^\\(?:\w+(?: .*)?|\.)$/gm, (line) => ' '.repeat(line.length));
  const places = placesIn(text, isLast);
  if (places) return places.flatMap((place) => within(text, place));
  if (!isLast) return undefined;
  // A quote has no end. The next object begins with a header.
  const starts = [0, ...[...text.matchAll(beforeHeader)].map(({ index }) => index)];
  return starts.flatMap((start, n) => {
    const object = text.slice(start, starts[n + 1]);
    return placesBefore(object).flatMap((place) =>
      within(text, { start: start + place.start, end: start + place.end }),
    );
  });
}

/** The statements in front of a quote without an end, and the rest. */
function placesBefore(text: string): Place[] {
  let end = text.length;
  for (let tries = 0; end > 0 && tries < 8; tries++) {
    const places = placesIn(text.slice(0, end), true);
    if (places) return end === text.length ? places : [...places, { start: end, end: text.length }];
    end = text.lastIndexOf(';\n', end - 2) + 1;
  }
  return [{ start: 0, end: text.length }];
}

type Place = Pick<Statement, 'start' | 'end'>;

/** The statement in a place, or more if it has no semicolon of its own. */
function within(text: string, { start, end }: Place): Statement[] {
  const found = parse(text.slice(start, end)) ?? [{ node: undefined, start: 0, end: end - start }];
  return found.map((one) => ({ ...one, start: start + one.start, end: start + one.end }));
}

/** The statements of a text, or undefined if the parser does not know one of them. */
function parse(text: string): Statement[] | undefined {
  if (text.trim() === '') return [];
  try {
    const { stmts = [] } = parseSync(text);
    const at = byteOffsets(text);
    return stmts.map(({ stmt, stmt_location = 0, stmt_len }) => {
      const start = at(stmt_location);
      return { node: stmt, start, end: stmt_len === undefined ? text.length : at(stmt_location + stmt_len) };
    });
  } catch (error) {
    if (!hasSqlDetails(error)) throw new ParserError('the SQL parser crashed', { cause: error });
    return undefined;
  }
}

/** The tokens of a text; undefined if a quote has no end. */
function tokensOf(text: string): ScanToken[] | undefined {
  try {
    return scanSync(text).tokens;
  } catch (error) {
    // The scanner's message comes as text that is not JSON.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/**
 * Where the statements of a text are: each ends at a semicolon, but not at one within parentheses or a function's body, and in any case before
 * the next object. Undefined if the text may end within a statement; the last part of a schema can't, so there the next semicolon ends it.
 */
function placesIn(text: string, isLast: boolean): Place[] | undefined {
  const tokens = tokensOf(text);
  if (!tokens) return undefined;
  const places: { from: number; to: number }[] = [];
  let isFlat = false;
  for (let next = 0; next < tokens.length; ) {
    let [parentheses, blocks, previous, index] = [0, 0, '', next];
    let from = -1;
    let to = -1;
    for (; index < tokens.length && to < 0; index++) {
      const { text: token, start, end, tokenName } = tokens[index] as ScanToken;
      if (tokenName.endsWith('_COMMENT')) {
        if (from >= 0 && header.test(token)) to = start;
        continue;
      }
      if (from < 0) from = start;
      const word = token.toLowerCase();
      if (word === '(') parentheses++;
      if (word === ')') parentheses = Math.max(0, parentheses - 1);
      if ((word === 'atomic' && previous === 'begin') || (word === 'case' && blocks > 0)) blocks++;
      if (word === 'end' && blocks > 0) blocks--;
      if (word === ';' && (isFlat || parentheses + blocks === 0)) to = end;
      previous = word;
    }
    if (from < 0) break;
    if (to < 0 && !isLast) return undefined;
    // What is open at the end is read once more.
    if (to < 0 && !isFlat && parentheses + blocks > 0) {
      isFlat = true;
      continue;
    }
    isFlat = false;
    places.push({ from, to: to < 0 ? Buffer.byteLength(text) : to });
    next = index;
  }
  const at = byteOffsets(text);
  return places.map(({ from, to }) => ({ start: at(from), end: at(to) }));
}

/** Converts byte offsets into offsets in the text. They must not decrease from call to call. */
function byteOffsets(text: string): (offset: number) => number {
  if (Buffer.byteLength(text) === text.length) return (offset) => offset;
  const bytes = Buffer.from(text);
  let [byte, index] = [0, 0];
  return (offset) => {
    index += bytes.toString('utf8', byte, offset).length;
    byte = offset;
    return index;
  };
}
