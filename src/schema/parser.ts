import { setImmediate } from 'node:timers/promises';
import { hasSqlDetails, loadModule, type Node, parseSync, type ScanToken, scanSync } from 'libpg-query';
import { ShapeError } from '../text/json.ts';

export interface Statement {
  /** Its syntax tree; undefined if the parser does not know the statement. */
  node: Node | undefined;
  /** Where it starts and ends in the schema's text, in UTF-16 code units. */
  start: number;
  end: number;
}

/** A chunk is parsed in a few milliseconds, and its syntax tree takes a few megabytes. */
const chunkLength = 128 * 1024;

/**
 * Splits a schema into statements with Postgres' own parser, in chunks of whole objects. What doesn't parse is tried object by object, and
 * then statement by statement. Throws a `ShapeError`, or the signal's reason.
 */
export async function parseSchema(options: { text: string; signal: AbortSignal }): Promise<Statement[]> {
  const { signal } = options;
  // A NUL would end the text for the parser, and hide what follows. The other lines are for psql.
  const text = options.text
    .replaceAll('\0', ' ')
    .replace(/^\\(?:un)?restrict .*$/gm, (line) => ' '.repeat(line.length));
  await loadModule();
  const statements: Statement[] = [];
  let length = chunkLength;
  for (let start = 0; start < text.length; ) {
    await setImmediate();
    signal.throwIfAborted();
    beforeObject.lastIndex = start + length;
    const end = beforeObject.exec(text)?.index ?? text.length;
    const found = readChunk(text.slice(start, end), end === text.length);
    // If a statement is longer than the chunk, more text is needed.
    length = found ? chunkLength : length * 2;
    if (!found) continue;
    statements.push(...moved(found, start));
    start = end;
  }
  return statements;
}

/** What pg_dump writes before each object. A text may also have it. */
const beforeObject = /\n--\n-- (?:Data for )?Name: .*; Type: /g;
/** The statements of a chunk; undefined if it ends within one. */
function readChunk(chunk: string, isLast: boolean): Statement[] | undefined {
  const whole = parse(chunk);
  if (whole) return whole;
  const ends = [...[...chunk.matchAll(beforeObject)].map(({ index }) => index), chunk.length];
  const found: Statement[] = [];
  let start = 0;
  for (const end of ends) {
    const object = chunk.slice(start, end);
    const statements = parse(object) ?? split(object);
    // What looks like the next object is in a quote that began in this one.
    if (!statements) continue;
    found.push(...moved(statements, start));
    start = end;
  }
  if (start === chunk.length) return found;
  if (isLast) throw new ShapeError('a quote in the schema has no end');
  return undefined;
}

/** The statements of a text that doesn't parse as a whole: each ends at a semicolon outside of parentheses. Undefined if a quote has no end. */
function split(text: string): Statement[] | undefined {
  let tokens: ScanToken[];
  try {
    ({ tokens } = scanSync(text));
  } catch (error) {
    // The scanner's message comes as text that is not JSON.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  const at = byteOffsets(text);
  const found: Statement[] = [];
  let depth = 0;
  let start: number | undefined;
  const add = (end: number) => {
    if (start === undefined) return;
    const piece = text.slice(start, end);
    found.push(...moved(parse(piece) ?? [{ node: undefined, start: 0, end: piece.length }], start));
    start = undefined;
  };
  for (const { text: token, tokenName, start: first, end } of tokens) {
    if (tokenName.endsWith('_COMMENT')) continue;
    start ??= at(first);
    if (token === '(') depth++;
    if (token === ')') depth = Math.max(0, depth - 1);
    if (token === ';' && depth === 0) add(at(end));
  }
  add(text.length);
  return found;
}

function moved(statements: Statement[], by: number): Statement[] {
  return statements.map(({ node, start, end }) => ({ node, start: start + by, end: end + by }));
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
    if (!hasSqlDetails(error)) throw new ShapeError('the SQL parser crashed', { cause: error });
    return undefined;
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
