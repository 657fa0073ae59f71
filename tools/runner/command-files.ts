/**
 * The entries of a command file (`GITHUB_OUTPUT`, `GITHUB_ENV`, `GITHUB_STATE`), read as strictly as the runner does: `name=value`,
 * or `name<<delimiter`, lines, `delimiter`. As in the runner, entries before a malformed one are valid: they are in `pairs`, and
 * `error` is the runner's message.
 */
export function parseCommandFile(text: string): { pairs: [name: string, value: string][]; error?: string } {
  const pairs: [string, string][] = [];
  const lines = text.split('\n');
  // A line break at the end does not begin another line.
  if (lines.at(-1) === '') lines.pop();
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    if (line === '') continue;
    const equals = line.indexOf('=');
    const heredoc = line.indexOf('<<');
    if (equals >= 0 && (heredoc < 0 || equals < heredoc)) {
      if (equals === 0) return { pairs, error: `Invalid format '${line}'. Name must not be empty` };
      pairs.push([line.slice(0, equals), line.slice(equals + 1)]);
    } else if (heredoc >= 0) {
      const name = line.slice(0, heredoc);
      const delimiter = line.slice(heredoc + 2);
      if (name === '' || delimiter === '')
        return { pairs, error: `Invalid format '${line}'. Name must not be empty and delimiter must not be empty` };
      const end = lines.indexOf(delimiter, at + 1);
      if (end < 0) return { pairs, error: `Invalid value. Matching delimiter not found '${delimiter}'` };
      pairs.push([name, lines.slice(at + 1, end).join('\n')]);
      at = end;
    } else {
      return { pairs, error: `Invalid format '${line}'` };
    }
  }
  return { pairs };
}
