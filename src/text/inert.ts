/** Characters that show nothing, or change the direction of text. */
export const unseen = /\u034f|[\ufe00-\ufe0f]|[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/**
 * Text from outside (a ref, a title, a message of the service) on one line, without control characters, direction marks and other
 * characters that show nothing. `most` is its length in characters; a cut ends in `…`.
 */
export function oneLine(text: string, most = 500): string {
  const line = text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are to be removed
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
    .replace(unseen, '')
    .trim();
  const characters = Array.from(line);
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : line;
}

/** A value from outside in quotes, for a message. */
export function show(value: string): string {
  return JSON.stringify(oneLine(value, 120));
}

/**
 * A line that the runner does not read as a command: neither as `::name::`, which counts at the start of a line only, nor as
 * `##[name]`, which counts anywhere.
 */
export function withoutCommands(line: string): string {
  return line.replace(/^(\s*):(?=:)/, '$1: ').replaceAll('##[', '# #[');
}
