import { oneLine, unseen } from './inert.ts';

/**
 * Breaks what GitHub replaces after it has rendered the Markdown: mentions, references and URLs. Entities don't help, because GitHub
 * decodes them first; a character in between does. This one has no width.
 */
const joiner = '&#8203;';

/** Characters of a text from outside. */
const longest = 300;

/**
 * Text from outside as one inert line of Markdown: no markup, HTML, link, mention, reference or maths. Harmless characters are
 * kept, so that names can be read and searched for in the source too.
 */
export function plain(text: string): string {
  return inert(oneLine(text, longest));
}

/** One of our own sentences, in which backticks mark code. Outside text in it stays inert, whatever backticks it has. */
export function sentence(text: string): string {
  const parts = oneLine(text, 2_000).split(/`([^`]+)`/);
  return parts.map((part, index) => (index % 2 === 1 ? code(part) : inert(part))).join('');
}

function inert(line: string): string {
  return (
    line
      .replace(/&/g, '&amp;')
      .replace(/</g, '&lt;')
      .replace(/>/g, '&gt;')
      // At the start of a line: a heading, an underline of one, a list.
      .replace(/^(?:[-+=]|#(?=#*(?:\s|$)))/, entity)
      .replace(/^(\d+)([.)])(?=\s|$)/, (_, number: string, mark: string) => number + entity(mark))
      .replace(/[\\`*[\]|~$]/g, entity)
      // Within a word, an underscore is not emphasis.
      .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '&#95;')
      .replace(/@/g, `@${joiner}`)
      .replace(/(?<!&)#(?=\w)/g, `#${joiner}`)
      .replace(/(?<![a-z\d])GH-(?=\d)/gi, (word) => word + joiner)
      .replace(/:(?=\/\/)/g, `:${joiner}`)
      .replace(/(?<![a-z\d])www(?=\.)/gi, (word) => word + joiner)
  );
}

function entity(character: string): string {
  return `&#${character.charCodeAt(0)};`;
}

/** Text from outside as code; in HTML if it would end Markdown's own code or a table cell. */
export function code(text: string): string {
  const line = oneLine(text, longest);
  return /[`|\\]/.test(line) || line === '' ? `<code>${inert(line)}</code>` : `\`${line}\``;
}

/** A table with a heading row. Cells are Markdown. */
export function table(rows: { head: string[]; body: string[][] }): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [line(rows.head), line(rows.head.map(() => '---')), ...rows.body.map(line)].join('\n');
}

/** A table of names and values, the values being Markdown. Without the headings, GitHub would show the first row in bold. */
export function factTable(rows: [name: string, value: string][]): string {
  return table({ head: ['Property', 'Value'], body: rows });
}

/** `2026-12-01 18:00 UTC`; an invalid time is shown as it is. */
export function readable(time: string): string {
  const ms = Date.parse(time);
  return Number.isNaN(ms) ? plain(time) : `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Control characters, except tab and line feed. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this makes visible
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]/g;

/** Several lines of text from outside as a code block, with a longer fence than any in the text. */
export function fenced(text: string, language = ''): string {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const clean = text
    .replace(controls, escaped)
    .replace(unseen, escaped)
    .replace(/(?<!\n)\n+$/, '');
  let longest = 2;
  for (const [run] of clean.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${clean}\n${fence}`;
}

export function alert(kind: 'CAUTION' | 'WARNING', line: string): string {
  return `> [!${kind}]\n> ${line}`;
}

/** A folded section. `line` is HTML. */
export function folded(line: string, content: string): string {
  return `<details>\n<summary>${line}</summary>\n\n${content}\n\n</details>`;
}
