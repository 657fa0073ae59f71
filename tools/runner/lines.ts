import type { Readable } from 'node:stream';

/**
 * Calls `onLine` for each line of a stream, and resolves with the whole text at its end. As in the runner, a line ends with LF,
 * CR LF or CR alone, so a carriage return in text from outside can begin a new line.
 */
export async function eachLine(stream: Readable, onLine: (line: string) => void): Promise<string> {
  let text = '';
  let rest = '';
  stream.setEncoding('utf8');
  for await (const chunk of stream) {
    text += chunk;
    rest += chunk;
    // A CR at the end of a chunk may be half of a CR LF.
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  }
  if (rest !== '') onLine(rest.replace(/\r$/, ''));
  return text;
}
