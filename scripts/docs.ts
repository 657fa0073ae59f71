/**
 * Writes the tables of inputs and outputs into the documents, from `action.yml`, which is the only list of them.
 *
 *   node scripts/docs.ts           writes them between the markers in README.md and docs/*.md
 *   node scripts/docs.ts --check   names the documents that are out of date, and writes nothing
 *
 * The markers: `<!-- inputs:start -->` … `<!-- inputs:end -->`, and the same with `outputs`.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parse } from 'yaml';

interface ActionFile {
  inputs: Record<string, { description?: string; default?: unknown; required?: boolean }>;
  outputs: Record<string, { description?: string }>;
}

const root = dirname(import.meta.dirname);

/** Markdown of several lines as one table cell: paragraphs and list items keep a line of their own, other breaks are blanks. */
function cell(markdown = ''): string {
  return markdown
    .trim()
    .replaceAll(/\s*\n(?:[ \t]*\n)+\s*/g, '<br>')
    .replaceAll(/[ \t]*\n[ \t]*(?=[-*] )/g, '<br>')
    .replaceAll(/[ \t]*\n[ \t]*/g, ' ')
    .replaceAll('|', '\\|');
}

function code(text: string): string {
  return text === '' ? '' : `\`${text.replaceAll('|', '\\|')}\``;
}

function table(head: string[], rows: string[][]): string {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return lines.map((line) => line.replaceAll(/ {2,}\|/g, ' |')).join('\n');
}

function tables(action: ActionFile): Record<'inputs' | 'outputs', string> {
  const inputs = Object.entries(action.inputs).map(([name, input]) => [
    code(name),
    input.required ? '**required**' : code(String(input.default ?? '')),
    cell(input.description),
  ]);
  const outputs = Object.entries(action.outputs).map(([name, output]) => [code(name), cell(output.description)]);
  return {
    inputs: table(['Input', 'Default', 'Meaning'], inputs),
    outputs: table(['Output', 'Meaning'], outputs),
  };
}

/** The document with its tables renewed; what stands outside the markers is left as it is. */
function renew(path: string, fresh: Record<string, string>, wanted: boolean): string {
  let text = readFileSync(path, 'utf8');
  for (const [name, content] of Object.entries(fresh)) {
    const [start, end] = [`<!-- ${name}:start -->`, `<!-- ${name}:end -->`];
    const [before, rest, ...more] = text.split(start);
    const [, after, ...others] = rest?.split(end) ?? [];
    if (more.length > 0 || others.length > 0)
      throw new Error(`${path}: ${start} or ${end} stands there more than once`);
    if (rest === undefined && !text.includes(end)) {
      if (wanted) throw new Error(`${path}: ${start} and ${end} are missing, so that its table cannot be written`);
    } else if (after === undefined)
      throw new Error(`${path}: of ${start} and ${end}, one is missing or they are swapped`);
    else text = `${before}${start}\n\n${content}\n\n${end}${after}`;
  }
  return text;
}

function main(args: string[]): void {
  const unknown = args.filter((arg) => arg !== '--check');
  if (unknown.length > 0) throw new Error(`unknown argument ${unknown.join(' ')}; there is only --check`);
  const fresh = tables(parse(readFileSync(join(root, 'action.yml'), 'utf8')) as ActionFile);
  const readme = join(root, 'README.md');
  const docs = join(root, 'docs');
  const others = existsSync(docs) ? readdirSync(docs).filter((name) => name.endsWith('.md')) : [];
  const stale: string[] = [];
  for (const path of [readme, ...others.sort().map((name) => join(docs, name))]) {
    const text = renew(path, fresh, path === readme);
    if (text === readFileSync(path, 'utf8')) continue;
    stale.push(relative(root, path));
    if (!args.includes('--check')) writeFileSync(path, text);
  }
  if (!args.includes('--check')) console.log(stale.length > 0 ? `written: ${stale.join(', ')}` : 'nothing to write');
  else if (stale.length > 0)
    throw new Error(
      `out of date with action.yml: ${stale.join(', ')}\nRun \`npm run docs\` and commit what it writes.`,
    );
  else console.log('the documents agree with action.yml');
}

try {
  main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
