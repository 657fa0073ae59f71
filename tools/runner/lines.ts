import type { Readable } from 'node:stream';

/** Cuts a text that comes in pieces into lines. As in the runner, a line ends with LF, CR LF or CR alone, so a carriage return in text from outside can begin a new line. */
export class LineReader {
  text = '';
  #rest = '';
  readonly #onLine: (line: string) => void;

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  add(piece: string): void {
    this.text += piece;
    // A CR at the end of a piece may be half of a CR LF.
    const lines = (this.#rest + piece).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#onLine(line);
  }

  end(): void {
    if (this.#rest !== '') this.#onLine(this.#rest.replace(/\r$/, ''));
    this.#rest = '';
  }
}

/** Calls `onLine` for each line of a stream, and resolves with the whole text at its end. */
export async function eachLine(stream: Readable, onLine: (line: string) => void): Promise<string> {
  const reader = new LineReader(onLine);
  stream.setEncoding('utf8');
  for await (const chunk of stream) reader.add(chunk);
  reader.end();
  return reader.text;
}
