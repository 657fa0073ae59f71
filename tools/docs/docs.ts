/**
 * Writes into the documents the inputs and outputs from `action.yml`, the only list of them; the rules of the schema review from
 * `src/schema/rule-texts.ts`; and the repository's name from `package.json`.
 *
 *   node tools/docs/docs.ts                           writes README.md and docs/*.md, and the name wherever it is missing
 *   node tools/docs/docs.ts --check                   names the documents that are out of date and writes nothing
 *   node tools/docs/docs.ts --repository owner/name   gives the repository this name, in package.json and everywhere else
 *
 * The inputs go between `<!-- inputs:start -->` and `<!-- inputs:end -->`, by the commands that use them; or the same with `outputs`.
 * With names after `start`, as in `<!-- inputs:start api_key project_id -->`, only those are in a table, in that order, with the first
 * sentence of each description and the default, if it names one. docs/reference.md must have them all. The rules go between `<!-- rules:start -->` and
 * `<!-- rules:end -->`. The page of an action, such as docs/diff.md, has the inputs and outputs of that action, diff/action.yml, except the
 * inputs that all actions have alike.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { renamed, repositoryOf, writeRenamed } from './repository.ts';

interface ActionFile {
  inputs: Record<string, { description?: string; default?: unknown; required?: boolean }>;
  outputs: Record<string, { description?: string }>;
}

type TableName = keyof ActionFile;

const root = dirname(dirname(import.meta.dirname));
const reference = join(root, 'docs/reference.md');

/** Markdown of several lines as one line. */
function line(markdown = ''): string {
  return markdown.trim().replaceAll(/\s*\n\s*/g, ' ');
}

function cell(markdown: string): string {
  return line(markdown).replaceAll('|', '\\|');
}

function code(text: string): string {
  return text === '' ? '' : `\`${text}\``;
}

function firstSentence(text = ''): string {
  return /^.*?\.(?=\s|$)/s.exec(text)?.[0] ?? text;
}

function markdownTable(head: string[], rows: string[][]): string {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return lines.map((line) => line.replaceAll(/ {2,}\|/g, ' |')).join('\n');
}

/** The inputs or outputs in `names` as a short table. */
function tableOf(action: ActionFile, name: TableName, names: string[]): string {
  const rows = names.map((one) => {
    const meaning = cell(firstSentence(action[name][one]?.description));
    return name === 'outputs' ? [code(one), meaning] : [code(one), defaultInTable(action.inputs[one]), meaning];
  });
  return markdownTable(name === 'outputs' ? ['Output', 'Meaning'] : ['Input', 'Default', 'Meaning'], rows);
}

/** The default, or the most common one if it depends on the run: then only the description has it. */
function defaultInTable(input: ActionFile['inputs'][string] | undefined): string {
  if (input?.required) return '**required**';
  const [, described = ''] = /Default: ([^,;.]+)/.exec(line(input?.description)) ?? [];
  return cell(code(String(input?.default ?? '')) || described);
}

/** What all actions have alike; only docs/reference.md describes it. */
const common = ['api_key', 'api_host', 'timeout', 'on_missing_key', 'summary'];

/** All inputs or outputs, below a heading for the commands that the last sentence of their descriptions names. */
function listOf(action: ActionFile, name: TableName, isReference: boolean): string {
  const sections = new Map<string, string[]>();
  for (const [one, { description }] of Object.entries(action[name])) {
    if (!isReference && common.includes(one)) continue;
    const text = line(description);
    const [sentence, what, commands = 'all commands'] = / (Used by|From|Required for) ([^.]+)\.$/.exec(text) ?? [];
    const meaning =
      text.slice(0, text.length - (sentence ?? '').length) + (what === 'Required for' ? ' Required.' : '');
    const input = name === 'inputs' ? action.inputs[one] : undefined;
    const fallback = String(input?.default ?? '');
    // Booleans are off by default, as the text above the list says.
    const about = input?.required
      ? ' (required)'
      : ['', 'false'].includes(fallback)
        ? ''
        : ` (default ${code(fallback)})`;
    const item = `- ${code(one)}${about}: ${meaning}`;
    sections.set(commands, [...(sections.get(commands) ?? []), item]);
  }
  const [only, ...others] = sections.values();
  if (only && others.length === 0) {
    const shared = `Also ${common.map(code).join(', ')}, as in [all actions](reference.md#all-commands).`;
    return `${only.join('\n')}${name === 'inputs' && !isReference ? `\n\n${shared}` : ''}`;
  }
  const heading = (commands: string) => `### ${commands.replace(/^a/, 'A')}`;
  return [...sections].map(([commands, items]) => `${heading(commands)}\n\n${items.join('\n')}`).join('\n\n');
}

const levelTexts = {
  destructive: 'loses rows or values',
  exposing: 'loses protection',
  breaking: 'breaks the previous version of the application',
  locking: 'may rewrite, scan or lock a table with rows',
  notice: 'worth knowing',
};

/** A section for each rule, by level. The report, which links to them by name, says itself why a finding matters. */
async function ruleSections(): Promise<string> {
  const { levels, levelOf, ruleNames } = await import('../../src/schema/rules.ts');
  const { ruleTexts } = await import('../../src/schema/rule-texts.ts');
  const sections = levels.flatMap((level) => [
    `## \`${level}\`: ${levelTexts[level]}`,
    ...ruleNames
      .filter((rule) => levelOf({ rule }) === level)
      .map((name) => {
        const { what, note, safer } = ruleTexts[name];
        const about = [what, note].filter(Boolean).join(' ');
        return `### ${name}\n\n${about}\n\n**Safer:** ${safer}`;
      }),
  ]);
  return sections.join('\n\n');
}

/** The document with its rules written anew, if it has any. */
async function withRules(text: string): Promise<string> {
  const [before, rest] = text.split('<!-- rules:start -->');
  const [, after] = rest?.split('<!-- rules:end -->') ?? [];
  if (after === undefined) return text;
  return `${before}<!-- rules:start -->\n\n${await ruleSections()}\n\n<!-- rules:end -->${after}`;
}

/** The document with its inputs and outputs written anew; the text outside the markers stays the same. */
async function withTables(path: string, action: ActionFile): Promise<string> {
  let text = await withRules(readFileSync(path, 'utf8'));
  for (const name of ['inputs', 'outputs'] as const) {
    const starts = [...text.matchAll(new RegExp(`<!-- ${name}:start((?: \\w+)*) -->`, 'g'))];
    const [start] = starts;
    const ends = text.split(`<!-- ${name}:end -->`).length - 1;
    const markers = `<!-- ${name}:start --> and <!-- ${name}:end -->`;
    if (starts.length > 1 || ends > 1) throw new Error(`${path}: ${markers} must not appear more than once`);
    if (!start && ends === 0) {
      if (path === reference) throw new Error(`${path}: ${markers} are missing`);
      continue;
    }
    const end = text.indexOf(`<!-- ${name}:end -->`);
    if (!start || end < start.index) throw new Error(`${path}: one of ${markers} is missing, or they are swapped`);
    const names = (start[1] ?? '').split(' ').filter(Boolean);
    if (path === reference && names.length > 0) throw new Error(`${path}: the list of ${name} must be complete`);
    const unknown = names.filter((one) => !(one in action[name]));
    if (unknown.length > 0) throw new Error(`action.yml has no ${name} ${unknown.join(', ')}`);
    const written = names.length > 0 ? tableOf(action, name, names) : listOf(action, name, path === reference);
    const before = text.slice(0, start.index + start[0].length);
    text = `${before}\n\n${written}\n\n${text.slice(end)}`;
  }
  return text;
}

/** The page of an action has that action's inputs and outputs; every other page, those of the root action. */
function actionOf(path: string): ActionFile {
  const own = join(root, basename(path, '.md'), 'action.yml');
  return parse(readFileSync(existsSync(own) ? own : join(root, 'action.yml'), 'utf8')) as ActionFile;
}

async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { check: { type: 'boolean' }, repository: { type: 'string' } } });
  if (values.check && values.repository !== undefined)
    throw new Error('--check and --repository are mutually exclusive');
  const name = { root, to: values.repository ?? repositoryOf(root) };
  const stale = new Set(values.check ? renamed(name).keys() : writeRenamed(name));
  const docs = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
  for (const path of [join(root, 'README.md'), ...docs.sort().map((name) => join(root, 'docs', name))]) {
    const text = await withTables(path, actionOf(path));
    if (text === readFileSync(path, 'utf8')) continue;
    stale.add(relative(root, path));
    if (!values.check) writeFileSync(path, text);
  }
  const names = [...stale].join(', ');
  if (!values.check) console.log(names ? `written: ${names}` : 'nothing to write');
  else if (names) throw new Error(`out of date: ${names}\nRun \`npm run docs\` and commit the result.`);
  else console.log('the documents match action.yml and package.json');
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
