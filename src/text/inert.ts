/**
 * Text from outside (a ref, a title, a message of the service) on one line and inert: no control character, no
 * direction mark, nothing that the runner would take for a command.
 */
export function oneLine(text: string, most = 500): string {
  const bare = text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this takes out
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
    .replace(/[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, '')
    .replace(/##\[/g, '# #[');
  // A command has its name and, anywhere behind that, a second pair of colons.
  const last = bare.lastIndexOf('::');
  const flat = bare.replace(/::(?=[\w-])/g, (colons, at: number) => (at + 3 <= last ? ': :' : colons)).trim();
  const characters = Array.from(flat);
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : flat;
}

/** A value in quotes for a message. */
export function show(value: string, most = 120): string {
  return JSON.stringify(oneLine(value, most));
}
