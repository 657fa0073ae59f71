import { oneLine } from '../api/text.ts';

/**
 * Breaks what GitHub makes of the text itself, after the Markdown: mentions, references and addresses. It reads entities as what
 * they stand for, so that only a character in between helps; this one has no width.
 */
const joint = '&#8203;';

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
      // At the start of a line: a heading, its underline, a list.
      .replace(/^(?:[-+=]|#(?=#*(?:\s|$)))/, entity)
      .replace(/^(\d+)([.)])(?=\s|$)/, (_, number: string, mark: string) => number + entity(mark))
      .replace(/[\\`*[\]|~$]/g, entity)
      // Within a word an underscore is no emphasis.
      .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '&#95;')
      .replace(/@/g, `@${joint}`)
      .replace(/(?<!&)#(?=\w)/g, `#${joint}`)
      .replace(/(?<![a-z\d])GH-(?=\d)/gi, (word) => word + joint)
      .replace(/:(?=\/\/)/g, `:${joint}`)
      .replace(/(?<![a-z\d])www(?=\.)/gi, (word) => word + joint)
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

/** Text of several lines as a block of code; nothing in it ends the block. */
export function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
