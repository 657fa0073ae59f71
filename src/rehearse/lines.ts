import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** What is kept of a line, in UTF-16 units: a tool may write megabytes without a line break. */
const longestLine = 16_384;

/** Colors, cursor movements and titles of a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with one
const escapeSequence = /\u001b(?:\[[\d;:?<=>]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\^_])/g;

/**
 * Calls `onLine` for each line of a stream as it comes in, without escape sequences; resolves once the stream has closed. Lines are
 * whole, so that a secret in one can be recognized; a very long one is cut, and ends in `…`.
 */
export async function readLines(stream: Readable | null, onLine: (line: string) => void): Promise<void> {
  if (!stream) return;
  const decoder = new StringDecoder('utf8');
  let pending = '';
  let isCut = false;
  const take = (text: string) => {
    const lines = text.split('\n');
    for (const [index, part] of lines.entries()) {
      if (!isCut) pending += part;
      if (pending.length > longestLine) {
        pending = `${pending.slice(0, longestLine)}…`;
        isCut = true;
      }
      if (index === lines.length - 1) break;
      flush();
    }
  };
  const flush = () => {
    // A progress bar goes back to the start of its line; what counts is what was left in the end.
    const line = pending.replace(/\r+$/, '').split('\r').at(-1) ?? '';
    pending = '';
    isCut = false;
    onLine(line.replace(escapeSequence, '').trimEnd());
  };
  stream.on('data', (chunk: Buffer) => take(decoder.write(chunk)));
  // A pipe that breaks has no more lines.
  stream.on('error', () => {});
  await new Promise<void>((resolve) => stream.once('close', resolve));
  take(decoder.end());
  if (pending !== '') flush();
}
