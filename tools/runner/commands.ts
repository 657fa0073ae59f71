/** A workflow command that a step printed, without its properties: `::name key=value::data`. */
export interface Command {
  name: string;
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

/** The forms of a command, and what each escapes. `%25` is last, as in the runner. */
const forms = [
  { pattern: /^\s*::(.*?)::(.*)$/s, escapes: { '\r': '%0D', '\n': '%0A', '%': '%25' } },
  { pattern: /##\[(.*?)\](.*)$/s, escapes: { ';': '%3B', '\r': '%0D', '\n': '%0A', ']': '%5D', '%': '%25' } },
];

/**
 * Reads a line as the runner does (`ActionCommand` in actions/runner): `::name::data` at the start of the line, possibly after
 * spaces, or the older `##[name]data` anywhere in it, which makes text from outside dangerous even in the middle of a line.
 * `resumeToken` is one more name, which is valid after `stop-commands`.
 */
export function parseCommand(line: string, resumeToken?: string): Command | undefined {
  for (const { pattern, escapes } of forms) {
    const [whole, head = '', data = ''] = pattern.exec(line) ?? [];
    const [name = ''] = head.split(' ');
    if (whole === undefined || !(KNOWN.has(name.toLowerCase()) || name === resumeToken)) continue;
    const unescaped = Object.entries(escapes).reduce((text, [token, escaped]) => text.replaceAll(escaped, token), data);
    return { name: name.toLowerCase(), data: unescaped };
  }
  return undefined;
}
