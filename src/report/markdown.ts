import { oneLine } from '../api/text.ts';

/**
 * Text from outside in Markdown: one line, and inert. No markup, no HTML, no link, mention, reference or maths. What is harmless
 * stays as it is, so that names can be read and searched for in the source too.
 */
export function plain(text: string, most = 300): string {
  return (
    oneLine(text, most)
      .replace(/&/g, '&amp;')
      .replace(/</g, '&lt;')
      .replace(/>/g, '&gt;')
      .replace(/[\\`*[\]|~$@]/g, entity)
      // Within a word an underscore is no emphasis.
      .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '&#95;')
      // Issue references, and whatever GitHub would make a link of.
      .replace(/(?<![&\w])#(?=\w)|#(?=\d)(?<!&#)/g, '&#35;')
      .replace(/\bGH-(?=\d)/gi, 'GH&#45;')
      .replace(/:(?=\/\/)/g, '&#58;')
      .replace(/\bwww\./gi, (www) => www.replace('.', '&#46;'))
  );
}

function entity(character: string): string {
  return `&#${character.charCodeAt(0)};`;
}

/** Text from outside as code. What would end Markdown's own code, or a table's cell, is written in HTML instead. */
export function code(text: string, most = 300): string {
  const line = oneLine(text, most);
  return /[`|\\]/.test(line) || line === '' ? `<code>${plain(line, most)}</code>` : `\`${line}\``;
}

/** A table with a heading row; cells are Markdown already. */
export function table(rows: { head: string[]; body: string[][] }): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [line(rows.head), line(rows.head.map(() => '---')), ...rows.body.map(line)].join('\n');
}
