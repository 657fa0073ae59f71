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

/** After a statement that the parser does not know: more of them may follow, and each ends a chunk. */
const shortChunk = 2 * 1024;

/**
 * Splits a schema into statements with Postgres' own parser. Works through the text in chunks: if everything up to a semicolon
 * parses, the statement really ends there. Throws a `ParserError`, or the signal's reason.
 */
export async function parseSchema(options: { text: string; signal: AbortSignal }): Promise<Statement[]> {
  const { signal } = options;
  // A NUL would end the text for the parser, and hide what follows.
  const text = options.text.replaceAll('\0', ' ');
  await loadModule().catch((error: unknown) => {
    throw new ParserError('the SQL parser could not be loaded', { cause: error });
  });
  checkOperators(text);
  const statements: Statement[] = [];
  let start = 0;
  let length = chunkLength;
  while (start < text.length) {
    await setImmediate();
    signal.throwIfAborted();
    const end = cutAfter(text, start + length, length);
    const chunk = text.slice(start, end);
    const read = readChunk(chunk, end === text.length);
    for (const one of read.statements) statements.push({ ...one, start: start + one.start, end: start + one.end });
    start += read.length;
    // If nothing ends in the chunk, a statement is longer than it.
    if (read.length === 0) length *= 2;
    else length = read.isBroken ? shortChunk : Math.min(length * 2, chunkLength);
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

interface Chunk {
  statements: Statement[];
  /** How much of the chunk they cover. */
  length: number;
  /** Whether more may follow that the parser does not know. */
  isBroken: boolean;
}

/** The statements at the beginning of a chunk: all of them, those before the first that does not parse, or that one. */
function readChunk(chunk: string, isLast: boolean): Chunk {
  const whole = parse(chunk);
  if (whole.statements) return { statements: whole.statements, length: chunk.length, isBroken: false };
  const beforeError = chunk.slice(0, whole.error);
  const known = lastEnd(beforeError);
  const before = known > 0 ? parse(chunk.slice(0, known)).statements : undefined;
  if (before) return { statements: before, length: known, isBroken: false };
  if (chunk[beforeError.length] === '\\' && isBlank(beforeError)) {
    // A line for psql, such as `\restrict x`.
    const line = chunk.indexOf('\n', beforeError.length);
    return { statements: [], length: line < 0 ? chunk.length : line, isBroken: false };
  }
  const first = firstStatement(chunk, isLast);
  if (!first) return { statements: [], length: 0, isBroken: true };
  const statements = parse(chunk.slice(0, first.end)).statements ?? [{ node: undefined, ...first }];
  return { statements, length: first.end, isBroken: true };
}

/** The statements of a text, or where the first error is. */
function parse(text: string): { statements: Statement[]; error?: never } | { statements?: never; error: number } {
  if (text.trim() === '') return { statements: [] };
  try {
    const { stmts = [] } = parseSync(text);
    const at = byteOffsets(text);
    const statements = stmts.map(({ stmt, stmt_location = 0, stmt_len }) => {
      const start = at(stmt_location);
      return { node: stmt, start, end: stmt_len === undefined ? text.length : at(stmt_location + stmt_len) };
    });
    return { statements };
  } catch (error) {
    if (!hasSqlDetails(error)) throw new ParserError('the SQL parser crashed', { cause: error });
    return { error: offsetOf(text, error.sqlDetails?.cursorPosition ?? 0) };
  }
}

/** Where the parser's position is in a text: it counts code points. */
function offsetOf(text: string, position: number): number {
  let offset = 0;
  for (let point = 0; point < position && offset < text.length; point++) {
    offset += (text.codePointAt(offset) ?? 0) > 0xffff ? 2 : 1;
  }
  return offset;
}

/** What pg_dump writes before each object. */
const header = /^-- (?:Data for )?Name: .*; Type: .*/;
const nextHeader = /\n--\n-- (?:Data for )?Name: .*; Type: /g;
const semicolon = /;[ \t\r]*(?:\n|$)/g;

/** Where to cut a text, at or after a place, so that probably no statement is cut in two: before an object, else after a semicolon. */
function cutAfter(text: string, from: number, within: number): number {
  if (from >= text.length) return text.length;
  nextHeader.lastIndex = from;
  const found = nextHeader.exec(text.slice(0, from + within))?.index;
  if (found !== undefined) return found;
  semicolon.lastIndex = from;
  return semicolon.exec(text) ? semicolon.lastIndex : text.length;
}

/** Where the last complete statement of a text ends; 0 if the text has none. */
function lastEnd(text: string): number {
  // The text may end within a string. Then a line before it doesn't.
  for (let [end, tries] = [text.length, 0]; end > 0 && tries < 8; tries++) {
    const tokens = tokensOf(text.slice(0, end));
    if (tokens) return endsOf(text, tokens).at(-1) ?? 0;
    end = text.lastIndexOf(';\n', end - 1) + 1;
  }
  return 0;
}

/** Whether there is nothing but comments. */
function isBlank(text: string): boolean {
  return tokensOf(text)?.every(isComment) ?? false;
}

/** Where the first statement starts and ends; undefined if more text is needed. `isLast`: there is no more. */
function firstStatement(text: string, isLast: boolean): { start: number; end: number } | undefined {
  for (let length = 256; length < text.length * 2; length *= 2) {
    const tokens = tokensOf(text.slice(0, length)) ?? [];
    const [end] = endsOf(text, tokens);
    if (end !== undefined) return { start: startOf(text, tokens), end };
  }
  if (!isLast) return undefined;
  // A parenthesis, function body or quote is never closed. For the first two, end the statement at the next semicolon; for a quote, at
  // the next pg_dump header.
  const tokens = tokensOf(text) ?? [];
  const start = startOf(text, tokens);
  nextHeader.lastIndex = start;
  const [end = nextHeader.exec(text)?.index ?? text.length] = endsOf(text, tokens, { flat: true });
  return { start, end };
}

/** Without comments before it. */
function startOf(text: string, tokens: ScanToken[]): number {
  const first = tokens.find((token) => !isComment(token));
  return first ? byteOffsets(text)(first.start) : text.search(/\S/);
}

/** Undefined if a quote has no end, or the like. */
function tokensOf(text: string): ScanToken[] | undefined {
  if (text.trim() === '') return [];
  try {
    return scanSync(text).tokens;
  } catch (error) {
    // The scanner's message comes as text that is not JSON.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isComment({ tokenName }: ScanToken): boolean {
  return tokenName.endsWith('_COMMENT');
}

/** Where statements end. `flat`: also at a semicolon within parentheses or a body. */
function endsOf(text: string, tokens: ScanToken[], { flat = false } = {}): number[] {
  const at = byteOffsets(text);
  const ends: number[] = [];
  let nesting = new Nesting();
  let isOpen = false;
  for (const token of tokens) {
    // A new object begins, whatever is still open.
    const isCut = isComment(token) && isOpen && header.test(token.text);
    if (isComment(token) && !isCut) continue;
    isOpen = true;
    if (!isCut && (token.text !== ';' || (nesting.isOpen && !flat))) nesting.add(token.text.toLowerCase());
    else {
      ends.push(at(isCut ? token.start : token.end));
      nesting = new Nesting();
      isOpen = false;
    }
  }
  return ends;
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

/** Tells whether a semicolon is within parentheses or a function body of SQL, and so ends no statement. */
class Nesting {
  #parentheses = 0;
  #blocks = 0;
  #previous = '';

  get isOpen(): boolean {
    return this.#parentheses > 0 || this.#blocks > 0;
  }

  add(token: string): void {
    if (token === '(') this.#parentheses++;
    if (token === ')') this.#parentheses = Math.max(0, this.#parentheses - 1);
    if (token === 'atomic' && this.#previous === 'begin') this.#blocks++;
    if (token === 'case' && this.#blocks > 0) this.#blocks++;
    if (token === 'end' && this.#blocks > 0) this.#blocks--;
    this.#previous = token;
  }
}
