/**
 * The entries of a command file (`GITHUB_OUTPUT`, `GITHUB_ENV`, `GITHUB_STATE`), read with the runner's strictness: `name=value`,
 * or `name<<delimiter`, lines, `delimiter`. As in the runner, what stands before a malformed entry has taken effect: `pairs` holds
 * it, and `error` says what was wrong, in the runner's words.
 */
export function parseCommandFile(text: string): { pairs: [name: string, value: string][]; error?: string } {
  const pairs: [string, string][] = [];
  const lines = text.split('\n');
  // text that ends in a line break has no further line after it
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
