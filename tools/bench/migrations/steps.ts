import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** One migration of a project. */
export interface Step {
  name: string;
  sql: string;
}

/** The migrations in a folder, in the order in which the project's tool runs them. */
export function stepsIn(folder: string): Step[] {
  const plan = filesBelow(folder).find((file) => basename(file) === 'sqitch.plan');
  if (plan !== undefined) return sqitchSteps(plan);
  const files = filesBelow(folder).filter((file) => file.endsWith('.sql') && isForward(file));
  const own = new Set(files.filter((file) => /\.postgres\./.test(file)).map(withoutDialect));
  return files
    .filter((file) => /\.postgres\./.test(file) || !own.has(withoutDialect(file)))
    .map((file) => ({ file, name: nameOf(file) }))
    .sort((a, b) => compareNames(a.name, b.name))
    .map(({ file, name }) => ({ name, sql: readFileSync(file, 'utf8') }));
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Neither the way back, nor for another kind of server. */
function isForward(file: string): boolean {
  return (
    !/(?:\.|^|_|-)(?:down|undo|rollback)(?:\.|$)|\.(?:mysql|sqlite3?|cockroach)\./.test(basename(file)) &&
    !/^U\d/.test(basename(file))
  );
}

function withoutDialect(file: string): string {
  return file.replace('.postgres.', '.').replace('.autocommit.', '.');
}

/** Of a file in a folder of its own, such as `2024_add_users/migration.sql`, that of the folder. */
function nameOf(file: string): string {
  const name = basename(file, '.sql');
  return /^(?:up|migration)$/.test(name) ? basename(join(file, '..')) : name;
}

/** By the numbers in them; Flyway's repeatable migrations come last. */
function compareNames(a: string, b: string): number {
  const isLast = (name: string) => Number(/^R__/.test(name));
  const plain = (name: string) => name.replace(/^(\d{4})-(\d\d)-(\d\d)-/, '$1$2$3');
  return isLast(a) - isLast(b) || plain(a).localeCompare(plain(b), 'en', { numeric: true });
}

/** `plan` has one change a line, after its settings. A change that was reworked stands under its name with a tag. */
function sqitchSteps(plan: string): Step[] {
  const lines = readFileSync(plan, 'utf8').split('\n');
  const entries = lines.flatMap((line) => /^(@?[^\s%#][^\s]*)/.exec(line)?.[1] ?? []);
  return entries.flatMap((name, index) => {
    if (name.startsWith('@')) return [];
    // The old version is kept under the last tag before the new one.
    const next = entries.indexOf(name, index + 1);
    const tag = entries.slice(index + 1, Math.max(next, 0)).findLast((entry) => entry.startsWith('@')) ?? '';
    const file = join(plan, '../deploy', `${name}${tag}.sql`);
    return existsSync(file) ? [{ name, sql: readFileSync(file, 'utf8') }] : [];
  });
}
