export const stars = '***';

/** What is in front of a quoted password, with its opening quotes: within a literal, they are doubled. An empty value is none. */
const opening = /password"?\s*(?:=>?\s*|:=\s*)?e?(?!''(?:[\s;),:\]|]|$))('+)/gim;
const bare = /(password=)(?![>'])[^\s"'&;]+/gi;

/**
 * A text from elsewhere (a schema, an error) without the passwords in it: everything from `://` to the last `@` before a blank or a quote,
 * `password=…` and `PASSWORD '…'`. Keeps all lines. A cut (`…`) counts as `@`, because all that is left of the URI may be password.
 * Takes linear time.
 */
export function hidePasswords(text: string): string {
  const hidden = text.includes('://') ? text.replace(/[^\s"']+/g, hideInWord) : text;
  return /password/i.test(hidden) ? hidden.replace(/.*password.*/gi, hideQuoted).replace(bare, `$1${stars}`) : hidden;
}

/** Hides what is between quotes, up to the end of the line, and leaves as many quotes as close it, so that SQL stays SQL. */
function hideQuoted(line: string): string {
  const quotes = /(?<!\\)'+/g;
  let shown = '';
  let done = 0;
  for (const match of line.matchAll(opening)) {
    if (match.index < done) continue;
    const from = match.index + match[0].length;
    const depth = match[1]?.length ?? 0;
    // Quotes within the value are doubled once more than those around it.
    quotes.lastIndex = from;
    let close = quotes.exec(line);
    while (close && close[0].length % (2 * depth) < depth) close = quotes.exec(line);
    shown += line.slice(done, from) + stars;
    done = close ? quotes.lastIndex - (close[0].length % (2 * depth)) : line.length;
  }
  return shown + line.slice(done);
}

function hideInWord(word: string): string {
  const start = word.indexOf('://') + '://'.length;
  const end = Math.max(word.lastIndexOf('@'), word.lastIndexOf('…'));
  return start < '://'.length || end < start ? word : `${word.slice(0, start)}${stars}${word.slice(end)}`;
}
