import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';

/** What the documents say while the repository has no name. In two parts, so that this file has none left over. */
export const placeholder = ['OWNER', 'REPO'].join('/');

/** Where the name appears: in everything that readers and GitHub see. The tests take it from `package.json`. */
const places = [
  'package.json',
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'action.yml',
  ...['diff', 'manage', 'prune', 'rehearse'],
  'docs',
  'examples',
  '.github',
];

/** `owner/name` as in `repository` in package.json, which is the only place that decides. */
export function repositoryOf(root: string): string {
  const { repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { repository?: unknown };
  const [, name] = /^github:([^/]+\/[^/]+)$/.exec(String(repository)) ?? [];
  if (name === undefined) throw new Error('package.json: "repository" must be "github:owner/name"');
  return name;
}

/**
 * The files in which the name has to be written, with their new text: the old name, and the placeholder, become the new one. Throws if
 * the name is not one that GitHub allows.
 */
export function renamed({ root, to }: { root: string; to: string }): Map<string, string> {
  if (to !== placeholder && !/^[A-Za-z0-9](-?[A-Za-z0-9]){0,38}\/(?!\.{1,2}$)[\w.-]{1,100}$/.test(to))
    throw new Error(`--repository: "${to}" is invalid; expected owner/name`);
  const old = repositoryOf(root);
  const texts = new Map<string, string>();
  for (const path of places.flatMap((place) => filesAt(join(root, place)))) {
    const text = readFileSync(path, 'utf8');
    const named = [old, placeholder].reduce((all, name) => replaceName(all, name, to), text);
    if (named !== text) texts.set(relative(root, path), named);
  }
  return texts;
}

/** Not inside a longer name: renaming `a/b` leaves `a/b-c` and `x-a/b` alone. */
function replaceName(text: string, from: string, to: string): string {
  const literal = from.replaceAll(/[.]/g, '\\.');
  return text.replaceAll(new RegExp(`(?<![\\w.-])${literal}(?![\\w-]|\\.\\w)`, 'g'), to);
}

/** The text files at a path, which may be a folder, a file, or nothing. */
function filesAt(path: string): string[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found?.isDirectory()) return found ? [path] : [];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(md|ya?ml)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
