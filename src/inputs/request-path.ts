import { hasDots } from '../text/path.ts';
import { InvalidValue } from './invalid.ts';
import { echo, isConnectionString } from './key.ts';

/** What a path or query keeps as it is; `{name}` stands for the value of another input. */
const placeholder = /\{[a-z_]+\}/.source;
const escaped = /%[0-9a-f]{2}/.source;
const inPath = new RegExp(`${placeholder}|${escaped}|[\\w.~!$&'()*+,;=:@/-]`, 'iy');
const inQuery = new RegExp(`${placeholder}|${escaped}|[\\w.~!$&'()*+,;=:@/?-]`, 'iy');

/**
 * A path below the base URL, with its query. It has no `..` and cannot lead to another origin. Characters that need
 * percent-encoding are encoded; what is already encoded stays as it is.
 */
export function requestPath(raw: string): string {
  const expected =
    'a path relative to the base URL, without "." or ".." segments, such as /projects/shiny-wind-028834/branches';
  const whole = raw.startsWith('/') ? raw : `/${raw}`;
  // Split before decoding: a `%3F` does not begin the query.
  const mark = whole.indexOf('?');
  const [route, query] = mark < 0 ? [whole, undefined] : [whole.slice(0, mark), whole.slice(mark + 1)];
  if (isConnectionString(raw)) throw new InvalidValue(expected, 'a connection URI (not shown)');
  // The query may hold a token.
  const invalid = () =>
    new InvalidValue(expected, query === undefined ? undefined : `${echo(route)} with a query (not shown)`);
  if (/^[a-z][a-z0-9+.-]*:/i.test(raw) || whole.startsWith('//')) throw invalid();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a URL parser drops some of these silently
  if (/[\u0000-\u001f\u007f\\]/.test(whole) || !whole.isWellFormed()) throw invalid();
  const path = encodeExcept(route, inPath);
  if (hasDots(path)) throw invalid();
  return query === undefined ? path : `${path}?${encodeExcept(query, inQuery)}`;
}

function encodeExcept(text: string, kept: RegExp): string {
  let encoded = '';
  for (let at = 0; at < text.length; ) {
    kept.lastIndex = at;
    const part = kept.exec(text)?.[0];
    const character = part ?? String.fromCodePoint(text.codePointAt(at) ?? 0);
    encoded += part ?? encodeURIComponent(character);
    at += character.length;
  }
  return encoded;
}
