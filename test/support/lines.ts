import type { Readable } from 'node:stream';

/**
 * Calls `onLine` for each line of a stream, and gives the whole text at its end. A line ends as it does for the runner's reader:
 * LF, CR LF, or a CR alone, which is how a carriage return in somebody's text can start a line of its own.
 */
export async function eachLine(stream: Readable, onLine: (line: string) => void): Promise<string> {
  let text = '';
  let rest = '';
  stream.setEncoding('utf8');
  for await (const chunk of stream) {
    text += chunk;
    rest += chunk;
    // a CR at the very end may be half of a CR LF: it waits for the next chunk
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  }
  if (rest !== '') onLine(rest.replace(/\r$/, ''));
  return text;
}
