import { setImmediate } from 'node:timers/promises';
import { hasSqlDetails, loadModule, type Node, parseSync, scanSync } from 'libpg-query';

/** One statement of a schema. */
export interface Statement {
  /** Its syntax tree; undefined if the parser does not know the statement. */
  node: Node | undefined;
  /** Where it starts and ends in the schema's text, in UTF-16 code units. */
  start: number;
  end: number;
}

/** The parser broke down, which says nothing about the schema. */
export class ParserError extends Error {}

/** A chunk is parsed in a few milliseconds, and its syntax tree takes a few megabytes. */
const chunkLength = 128 * 1024;

/**
 * A line that only `psql` reads, such as `\restrict x`. There is no quote and no comment in it, so that blanking it within a string or a
 * function changes nothing else.
 */
const psqlCommand = /^\\[a-z]+(?: \w+)*[ \t]*$/gm;

/** A place in which a statement may end. */
const boundary = /;[ \t\r]*(?:\n|$)/g;

/**
 * Splits a schema into statements with Postgres' own parser. Works through the text in chunks: if everything up to a semicolon
 * parses, the statement really ends there. Throws a `ParserError`, or the signal's reason.
 */
export async function parseSchema(options: { text: string; signal: AbortSignal }): Promise<Statement[]> {
  const { signal } = options;
  // A NUL would end the text for the parser, and hide what follows.
  const text = options.text.replaceAll('\0', ' ').replace(psqlCommand, (line) => ' '.repeat(line.length));
  await loadModule();
  const statements: Statement[] = [];
  let start = 0;
  let length = chunkLength;
  while (start < text.length) {
    await setImmediate(undefined, { signal });
    const end = endOfChunk(text, start + length);
    const chunk = text.slice(start, end);
    const read = parsed(chunk) ?? separate(chunk, end === text.length);
    for (const one of read?.statements ?? []) {
      statements.push({ ...one, start: start + one.start, end: start + one.end });
    }
    const done = read?.length ?? 0;
    start += done;
    // A statement that is longer than the chunk.
    length = done === 0 ? length * 2 : chunkLength;
  }
  return statements;
}

function endOfChunk(text: string, from: number): number {
  if (from >= text.length) return text.length;
  boundary.lastIndex = from;
  return boundary.exec(text) ? boundary.lastIndex : text.length;
}

interface Chunk {
  statements: Statement[];
  /** How much of the chunk they cover. */
  length: number;
}

/** The statements of a chunk; undefined if it does not parse. */
function parsed(chunk: string): Chunk | undefined {
  const stmts = attempt(() => (chunk.trim() === '' ? [] : (parseSync(chunk).stmts ?? [])));
  if (!stmts) return undefined;
  const at = byteOffsets(chunk);
  const statements = stmts.map(({ stmt, stmt_location = 0, stmt_len }) => {
    const start = at(stmt_location);
    return { node: stmt, start, end: stmt_len === undefined ? chunk.length : at(stmt_location + stmt_len) };
  });
  return { statements, length: chunk.length };
}

/** Runs the parser; undefined for an error in the text. */
function attempt<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch (error) {
    // The scanner's message comes as text that is not JSON.
    if (hasSqlDetails(error) || error instanceof SyntaxError) return undefined;
    throw new ParserError('The SQL parser broke down', { cause: error });
  }
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

/** Parses the statements of a chunk one by one. Undefined if not even the first one ends in it. */
function separate(chunk: string, last: boolean): Chunk | undefined {
  const tokens = attempt(() => scanSync(chunk).tokens);
  if (!tokens) return last ? { statements: [unknown(0, chunk.length)], length: chunk.length } : undefined;
  const at = byteOffsets(chunk);
  const statements: Statement[] = [];
  let start: number | undefined;
  let length = 0;
  const nesting = new Nesting();
  for (const token of tokens) {
    if (token.tokenName.endsWith('_COMMENT')) continue;
    const [from, to] = [at(token.start), at(token.end)];
    start ??= from;
    if (token.text !== ';' || nesting.isOpen) {
      nesting.add(token.text.toLowerCase());
      continue;
    }
    statements.push(single(chunk, start, to));
    start = undefined;
    length = to;
  }
  if (!last) return length === 0 ? undefined : { statements, length };
  if (start !== undefined) statements.push(single(chunk, start, chunk.length));
  return { statements, length: chunk.length };
}

function single(chunk: string, start: number, end: number): Statement {
  const node = parsed(chunk.slice(start, end))?.statements[0]?.node;
  return node ? { node, start, end } : unknown(start, end);
}

function unknown(start: number, end: number): Statement {
  return { node: undefined, start, end };
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
