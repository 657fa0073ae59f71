import { existsSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runCommand } from '../command.ts';
import { REPOSITORY } from '../runner/repository.ts';
import type { SqlFile } from './migration.ts';
import type { PlayOptions } from './play.ts';

/** `npm run play`: plays workflow files against the local service. */
const USAGE = `npm run play -- FILE [FILE …] --event EVENT [--event EVENT …] [options]

Lints workflow files and plays them with the built action against the local service and a stand-in for GitHub's API.
Several files share one repository and one project: each event is played on each file that it starts, in this order.
Jobs run in the order of the file; reusable workflows of the same repository (\`uses: ./…\`) with their caller.
Scripts (\`run:\` steps) and other actions are not run, but the \`run\` of a rehearsal is, on this machine.
The action's own requests stay on this machine. Ctrl+C cancels the run, as on GitHub: post steps still run.

  --event NAME              event, such as pull_request.opened, push or schedule; several are played in order
  --action NAME             this action's name in the workflows' \`uses:\`, without its version (default: ${REPOSITORY})
  --var NAME=VALUE          configuration variable. NEON_PROJECT_ID and ORG_ID have values; as a \`project_id\`, any value is that of the local project
  --secret NAME=VALUE       secret. NEON_API_KEY has a value; as an \`api_key\`, any value is the local service's key
  --input NAME=VALUE        input of a workflow that is dispatched
  --output STEP.NAME=VALUE  output of a script or another action, by the ID of its step
  --workspace FOLDER        working directory of a rehearsal: your checkout (default: an empty folder)
  --seed [DATABASE=]FILE    SQL to run in main first, as the database's owner (default: database neondb), such as \`pg_dump --inserts
                            --no-acl --no-owner\` writes with the migration tool's history table. Several files run in order
  --migrate [DATABASE=]FILE SQL to run once on each branch but main after the step that gets it, statement by statement, with the same
                            database and role: all of it, so leave out what goes down (that of goose and dbmate is left out). With DATABASE, FILE is only for that database
  --branch NAME             additional branch of main, such as staging or production
  --database NAME[=OWNER]   additional database in main, beside neondb, and the role that owns it (default: neondb_owner)
  --role NAME               additional role in main, as the API makes it: a member of neon_superuser. Roles of SQL are unknown to the API
  --fork                    play pull requests from a fork: without secrets, and with a token that only reads
  --base NAME               target branch of the pull request (default: main)
  --label NAME              label of the pull request, which pull_request.labeled adds and pull_request.unlabeled removes
  --compute none            start no Postgres servers, which a rehearsal, \`check_connection\`, --seed and --migrate need
`;

await runCommand(main);

async function main(): Promise<void> {
  const many = { type: 'string', multiple: true, default: [] as string[] } as const;
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      event: many,
      action: { type: 'string', default: REPOSITORY },
      var: many,
      secret: many,
      input: many,
      output: many,
      workspace: { type: 'string' },
      seed: many,
      migrate: many,
      ...{ branch: many, database: many, role: many },
      fork: { type: 'boolean', default: false },
      ...{ label: { type: 'string' }, base: { type: 'string' } },
      compute: { type: 'string', default: 'postgres' },
      help: { type: 'boolean', default: false },
    },
  });
  const { compute, fork, label, base } = values;
  if (values.help || positionals.length === 0 || values.event.length === 0) {
    // Without `--`, npm takes the options for its own.
    if (!values.help)
      process.stdout.write('A FILE or an `--event` is missing. Options need `--` after `npm run play`.\n\n');
    process.stdout.write(USAGE);
    process.exitCode = values.help ? 0 : 1;
    return;
  }
  if (compute !== 'postgres' && compute !== 'none')
    throw new Error(`--compute: "${compute}" is invalid; expected postgres or none`);
  const files = positionals.map((path) => ({ path, text: contentsOf(path) }));
  const workspace = values.workspace === undefined ? undefined : fromCaller(values.workspace);
  if (workspace !== undefined && !existsSync(workspace))
    throw new Error(`--workspace: folder ${values.workspace} does not exist`);
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop.abort(signal));
  const options: PlayOptions = {
    ...{ compute, files, readCalled, workspace, cancel: stop.signal, fork, label, base },
    ...{ events: values.event, action: values.action.replace(/@.*/, '') },
    ...{ vars: pairs('var', values.var), secrets: pairs('secret', values.secret) },
    ...{ inputs: pairs('input', values.input), outputs: pairs('output', values.output, 'STEP.NAME') },
    ...{ seed: sqlOf('seed', values.seed), migrate: sqlOf('migrate', values.migrate) },
    ...{ databases: values.database, branches: values.branch, roles: values.role },
    print: (line: string) => void process.stdout.write(`${line}\n`),
  };
  // GitHub's parser imports JSON without the attribute that Node.js requires.
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      return found.url.endsWith('.json') ? { ...found, importAttributes: { type: 'json' } } : found;
    },
  });
  const { play } = await import('./play.ts');
  if (!(await play(options))) process.exitCode = 1;
}

/** A workflow that another one calls: below the folder that has the caller's `.github`, or else beside the caller. */
function readCalled(uses: string, by: string): { path: string; text: string } {
  const [, root] = /^(.*?)\.github\/workflows\/[^/]+$/.exec(by.replaceAll('\\', '/')) ?? [];
  const path = root === undefined ? join(dirname(by), basename(uses)) : join(root, uses);
  return { path, text: contentsOf(path) };
}

/** A path from where the caller is: npm starts scripts in the folder of the package. */
function fromCaller(path: string): string {
  return resolve(process.env.INIT_CWD ?? '.', path);
}

/** The text of a file. Errors say what it is for, such as ` for --seed`. */
function contentsOf(path: string, what = ''): string {
  try {
    return readFileSync(fromCaller(path), 'utf8');
  } catch (error) {
    throw new Error(`Could not read the file${what}: ${(error as Error).message}`);
  }
}

/** SQL files, each for the database before its path: `shop=0042.sql`. Those of goose and dbmate say where what undoes them begins. */
function sqlOf(option: 'seed' | 'migrate', given: string[]): SqlFile[] {
  return given.map((one) => {
    const [, database, path = one] = existsSync(fromCaller(one)) ? [] : (/^([^=/]+)=(.+)$/.exec(one) ?? []);
    const sql = contentsOf(path, ` for --${option}`).replace(/^-- *(\+goose|migrate:) *down.*/ims, '');
    return { database, path, sql };
  });
}

/** Options of the form `NAME=VALUE`, by name. An error shows only the name: a value may be secret. */
function pairs(option: string, all: string[], form: 'NAME' | 'STEP.NAME' = 'NAME'): Record<string, string> {
  return Object.fromEntries(
    all.map((one) => {
      const [, name, value] = /^([^=]+)=(.*)$/s.exec(one) ?? [];
      const isValid = name !== undefined && (form === 'NAME' || /[^.]\.[^.]/.test(name));
      if (!isValid) throw new Error(`--${option}: "${one.split('=')[0]}" is invalid; expected ${form}=VALUE`);
      return [name, value ?? ''];
    }),
  );
}
