/** A workflow command that a step printed: `::name key=value::data`. */
export interface Command {
  name: string;
  properties: Record<string, string>;
  data: string;
}

/** The commands of the runner. It treats any other name as plain text. */
const KNOWN = new Set([
  'add-mask',
  'add-matcher',
  'add-path',
  'debug',
  'echo',
  'endgroup',
  'error',
  'group',
  'notice',
  'remove-matcher',
  'save-state',
  'set-env',
  'set-output',
  'stop-commands',
  'warning',
]);

/**
 * Reads a line as the runner does (`ActionCommand` in actions/runner): `::name::data` at the start of the line, possibly after
 * spaces, or the older `##[name]data` anywhere in it, which makes text from outside dangerous even in the middle of a line.
 * `resumeToken` is one more name, which is valid after `stop-commands`.
 */
export function parseCommand(line: string, resumeToken?: string): Command | undefined {
  const known = (name: string) => KNOWN.has(name.toLowerCase()) || (resumeToken !== undefined && name === resumeToken);
  return parseColons(line.trimStart(), known) ?? parseBrackets(line, known);
}

function parseColons(line: string, known: (name: string) => boolean): Command | undefined {
  if (!line.startsWith('::')) return undefined;
  const end = line.indexOf('::', 2);
  if (end < 0) return undefined;
  const head = splitHead(line.slice(2, end));
  if (!known(head.name)) return undefined;
  const unescapeProperty = (text: string) =>
    unescapeWith(text, { '\r': '%0D', '\n': '%0A', ':': '%3A', ',': '%2C', '%': '%25' });
  return {
    name: head.name.toLowerCase(),
    properties: parseProperties(head.rest, ',', unescapeProperty),
    data: unescapeWith(line.slice(end + 2), { '\r': '%0D', '\n': '%0A', '%': '%25' }),
  };
}

function parseBrackets(line: string, known: (name: string) => boolean): Command | undefined {
  const start = line.indexOf('##[');
  const end = start < 0 ? -1 : line.indexOf(']', start);
  if (end < 0) return undefined;
  const head = splitHead(line.slice(start + 3, end));
  if (!known(head.name)) return undefined;
  const unescapeAll = (text: string) =>
    unescapeWith(text, { ';': '%3B', '\r': '%0D', '\n': '%0A', ']': '%5D', '%': '%25' });
  return {
    name: head.name.toLowerCase(),
    properties: parseProperties(head.rest, ';', unescapeAll),
    data: unescapeAll(line.slice(end + 1)),
  };
}

function splitHead(head: string): { name: string; rest: string } {
  const blank = head.indexOf(' ');
  return blank < 0 ? { name: head, rest: '' } : { name: head.slice(0, blank), rest: head.slice(blank + 1).trim() };
}

function parseProperties(text: string, separator: string, unescapeValue: (value: string) => string) {
  const properties: Record<string, string> = {};
  for (const property of text.split(separator)) {
    const equals = property.indexOf('=');
    if (equals > 0 && equals < property.length - 1)
      properties[property.slice(0, equals)] = unescapeValue(property.slice(equals + 1));
  }
  return properties;
}

/** One replacement after the other, `%25` last, as in the runner. */
function unescapeWith(text: string, mapping: Record<string, string>): string {
  return Object.entries(mapping).reduce((result, [token, escaped]) => result.replaceAll(escaped, token), text);
}
