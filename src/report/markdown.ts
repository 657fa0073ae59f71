import { oneLine } from '../text/inert.ts';

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

/** Facts, one a row: what it is, and its value as Markdown. The first row is the heading, for GitHub shows an empty one as a gap. */
export function factTable(rows: [name: string, value: string][]): string {
  const [first, ...others] = rows.map(([name, value]) => `| ${name} | ${value} |`);
  return [first, '| :-- | :-- |', ...others].join('\n');
}

/** `2026-12-01 18:00 UTC`; a time that cannot be read is shown as it is. */
export function readable(time: string): string {
  const ms = Date.parse(time);
  return Number.isNaN(ms) ? plain(time) : `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Characters that show nothing, or turn what stands beside them around; a tab and a line feed are none of them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this makes visible
const invisible = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Text from outside of several lines as a block of code: its fence is longer than any that the text has. */
export function fenced(text: string, language = ''): string {
  const clean = text
    .replace(invisible, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replace(/(?<!\n)\n+$/, '');
  let longest = 2;
  for (const [run] of clean.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${clean}\n${fence}`;
}

/** A part that is folded away; what it says in one line is Markdown's HTML already. */
export function folded(line: string, content: string): string {
  return `<details>\n<summary>${line}</summary>\n\n${content}\n\n</details>`;
}
