import { type ScanToken, scanSync } from 'libpg-query';

/** What pg_dump writes before each object. */
const header = /^-- (?:Data for )?Name: .*; Type: .*/;
const nextHeader = /\n--\n-- (?:Data for )?Name: .*; Type: /g;
const semicolon = /;[ \t\r]*(?:\n|$)/g;

/** Where to cut a text, at or after a place, so that probably no statement is cut in two: before an object, else after a semicolon. */
export function cutAfter(text: string, from: number, within: number): number {
  if (from >= text.length) return text.length;
  nextHeader.lastIndex = from;
  const found = nextHeader.exec(text.slice(0, from + within))?.index;
  if (found !== undefined) return found;
  semicolon.lastIndex = from;
  return semicolon.exec(text) ? semicolon.lastIndex : text.length;
}

/** Where the last statement of a text ends that ends in it; 0 if none does. */
export function lastEnd(text: string): number {
  // The text may end within a string. Then a line before it doesn't.
  for (let [end, tries] = [text.length, 0]; end > 0 && tries < 8; tries++) {
    const tokens = tokensOf(text.slice(0, end));
    if (tokens) return endsOf(text, tokens).at(-1) ?? 0;
    end = text.lastIndexOf(';\n', end - 1) + 1;
  }
  return 0;
}

/** Whether there is nothing but comments. */
export function isBlank(text: string): boolean {
  return tokensOf(text)?.every(isComment) ?? false;
}

/** Where the first statement starts and ends; undefined if more text is needed. `isLast`: there is no more. */
export function firstStatement(text: string, isLast: boolean): { start: number; end: number } | undefined {
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
export function byteOffsets(text: string): (offset: number) => number {
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
