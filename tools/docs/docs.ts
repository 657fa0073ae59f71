/**
 * Writes into the documents the inputs and outputs from `action.yml`, the only list of them; the rules of the schema review from
 * `src/schema/rule-texts.ts`; and the repository's name from `package.json`.
 *
 *   node tools/docs/docs.ts                           writes README.md and docs/*.md, and the name wherever it is missing
 *   node tools/docs/docs.ts --check                   names the documents that are out of date and writes nothing
 *   node tools/docs/docs.ts --repository owner/name   gives the repository this name, in package.json and everywhere else
 *
 * The inputs go between `<!-- inputs:start -->` and `<!-- inputs:end -->`, by the commands that use them; or the same with `outputs`.
 * With names after `start`, as in `<!-- inputs:start api_key project_id -->`, only those inputs are in a table, in that order, with the first
 * sentence of each description and the default, if it names one. docs/reference.md must have them all. The rules go between `<!-- rules:start -->` and
 * `<!-- rules:end -->`. The page of an action, such as docs/diff.md, has the inputs and outputs of that action, diff/action.yml, except the
 * inputs that all actions have alike.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { ruleTexts } from '../../src/schema/rule-texts.ts';
import { levelOf, levels, ruleNames } from '../../src/schema/rules.ts';
import { runCommand } from '../command.ts';
import { ROOT } from '../files.ts';
import { renamed, repositoryOf } from './repository.ts';

interface ActionFile {
  inputs: Record<string, { description?: string; default?: unknown; required?: boolean }>;
  outputs: Record<string, { description?: string }>;
}

type TableName = keyof ActionFile;

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

/** The inputs in `names` as a short table. */
function tableOf({ inputs }: ActionFile, names: string[]): string {
  const rows = names.map((name) => {
    const input = inputs[name];
    if (!input) throw new Error(`action.yml has no input ${name}`);
    const { description = '' } = input;
    const [sentence = description] = /^.*?\.(?=\s|$)/s.exec(description) ?? [];
    return [code(name), defaultInTable(input), cell(sentence)];
  });
  const lines = [['Input', 'Default', 'Meaning'], ['---', '---', '---'], ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`.replaceAll(/ {2,}\|/g, ' |')).join('\n');
}

/** The default, or the most common one if it depends on the run: then only the description has it. */
function defaultInTable(input: ActionFile['inputs'][string]): string {
  if (input.required) return '**required**';
  const [, described = ''] = /Default: ([^,;.]+)/.exec(line(input.description)) ?? [];
  return cell(code(String(input.default ?? '')) || described);
}

/** What all actions have alike; only docs/reference.md describes it. */
const common = ['api_key', 'api_host', 'timeout', 'on_missing_key', 'summary'];

/** All inputs or outputs, below a heading for the commands that the last sentence of their descriptions names. */
function listOf(action: ActionFile, name: TableName, isReference: boolean): string {
  const sections = new Map<string, string[]>();
  for (const [one, { description }] of Object.entries(action[name])) {
    if (!isReference && common.includes(one)) continue;
    const text = line(description);
    const [sentence = '', commands = 'all commands'] = / (?:Used by|From) ([^.]+)\.$/.exec(text) ?? [];
    const meaning = text.slice(0, text.length - sentence.length);
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
function ruleSections(): string {
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

/** The text with what is between a pair of markers written anew. `write` gets the names in the first marker. */
function between(text: string, { path, kind }: { path: string; kind: string }, write: (names: string[]) => string) {
  const parts = text.split(new RegExp(`(<!-- ${kind}:start(?: \\w+)* -->|<!-- ${kind}:end -->)`));
  if (parts.length === 1) return text;
  const [before, start = '', , end, after] = parts;
  if (parts.length !== 5 || end !== `<!-- ${kind}:end -->`)
    throw new Error(`${path}: expected one pair of markers for the ${kind}`);
  const names = start.split(' ').slice(2, -1);
  return `${before}${start}\n\n${write(names)}\n\n${end}${after}`;
}

/** The document with its inputs, outputs and rules written anew. */
function written(text: string, path: string, action: ActionFile): string {
  const tables = (['inputs', 'outputs'] as const).reduce(
    (all, kind) =>
      between(all, { path, kind }, (names) =>
        names.length > 0 ? tableOf(action, names) : listOf(action, kind, path === 'docs/reference.md'),
      ),
    text,
  );
  return between(tables, { path, kind: 'rules' }, ruleSections);
}

/**
 * Writes the documents below `root`, or only names those that are out of date, in an error. Returns what it has done, in a line. The page of an
 * action has that action's inputs and outputs; every other page, those of the root action.
 */
export function writeDocuments(root: string, { check = false, repository = '' } = {}): string {
  const texts = renamed({ root, to: repository || repositoryOf(root) });
  if (!check) for (const [path, text] of texts) writeFileSync(join(root, path), text);
  const stale = new Set(texts.keys());
  const docs = readdirSync(join(root, 'docs')).filter((file) => file.endsWith('.md'));
  for (const path of ['README.md', ...docs.sort().map((file) => `docs/${file}`)]) {
    const own = join(root, basename(path, '.md'), 'action.yml');
    const action = parse(readFileSync(existsSync(own) ? own : join(root, 'action.yml'), 'utf8')) as ActionFile;
    const old = readFileSync(join(root, path), 'utf8');
    const text = written(old, path, action);
    if (text === old) continue;
    stale.add(path);
    if (!check) writeFileSync(join(root, path), text);
  }
  const names = [...stale].join(', ');
  if (!check) return names ? `written: ${names}` : 'nothing to write';
  if (names) throw new Error(`out of date: ${names}\nRun \`npm run docs\` and commit the result.`);
  return 'the documents match action.yml and package.json';
}

if (import.meta.main)
  await runCommand(() => {
    const { values } = parseArgs({ options: { check: { type: 'boolean' }, repository: { type: 'string' } } });
    console.log(writeDocuments(ROOT, values));
  });
