import { show } from '../text/inert.ts';
import { Fault, isConnectionString } from './parse.ts';

/** What a path and a query have as it is; `{name}` stands for what another input says. */
const placeholder = /\{[a-z_]+\}/.source;
const escaped = /%[0-9a-f]{2}/.source;
const inPath = new RegExp(`${placeholder}|${escaped}|[\\w.~!$&'()*+,;=:@/-]`, 'iy');
const inQuery = new RegExp(`${placeholder}|${escaped}|[\\w.~!$&'()*+,;=:@/?-]`, 'iy');

/**
 * A path below the base URL, with its query: without `..`, and never to another origin. Characters that must be encoded are; what
 * is encoded already stays.
 */
export function requestPath(raw: string): string {
  const takes = 'a path below the base URL, such as /projects/shiny-wind-028834/branches, without ..';
  const whole = raw.startsWith('/') ? raw : `/${raw}`;
  // Split before it is decoded: a `%3F` is no question mark, and what stands behind it is still path.
  const mark = whole.indexOf('?');
  const [route, query] = mark < 0 ? [whole, undefined] : [whole.slice(0, mark), whole.slice(mark + 1)];
  if (isConnectionString(raw)) throw new Fault(takes, 'a connection string (not shown)');
  // There may be a token in the query.
  const fault = () => new Fault(takes, query === undefined ? undefined : `${show(route)} with a query (not shown)`);
  if (/^[a-z][a-z0-9+.-]*:/i.test(raw) || whole.startsWith('//')) throw fault();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a URL parser would drop some of these without a word
  if (/[\u0000-\u001f\u007f\\]/.test(whole) || !whole.isWellFormed()) throw fault();
  const path = encodeExcept(route, inPath);
  // Dots are dots however they are written, also behind an encoded slash or backslash.
  const parts = decoded(decoded(path)).split(/[/\\]/);
  if (parts.some((part) => part === '.' || part === '..')) throw fault();
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

/** Percent-decoding, each escape by itself: what is no character of ASCII stays as it is. */
function decoded(text: string): string {
  return text.replace(/%[0-7][0-9a-f]/gi, (one) => decodeURIComponent(one));
}
