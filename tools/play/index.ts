import { existsSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { parseArgs } from 'node:util';
import { REPOSITORY } from '../runner/repository.ts';

/** `npm run play`: plays a workflow file against the local service. */
const USAGE = `npm run play -- FILE --event EVENT [--event EVENT …] [options]

Lints a workflow file and plays it, with the built action, against the local service and a stand-in for GitHub's API.
Scripts (\`run:\` steps) and other actions are not run, but the \`run\` of \`command: rehearse\` is, on this machine.
The action's own requests stay on this machine.

  --event NAME         such as pull_request.opened, push or schedule; several are played in order
  --action NAME        what the workflow calls this action, without its version (default: ${REPOSITORY})
  --var NAME=VALUE     a variable that the workflow reads, other than in this action's inputs
  --secret NAME=VALUE  a secret that the workflow reads, other than in this action's inputs
  --number N           number of the pull request (default: 7)
  --label NAME         label of pull_request.labeled
  --compute none       start no Postgres servers
  --seed FILE          SQL to run in main first
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    event: { type: 'string', multiple: true, default: [] },
    action: { type: 'string', default: REPOSITORY },
    var: { type: 'string', multiple: true, default: [] },
    secret: { type: 'string', multiple: true, default: [] },
    number: { type: 'string', default: '7' },
    label: { type: 'string' },
    compute: { type: 'string', default: 'postgres' },
    seed: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const pairs = (all: string[]) =>
  Object.fromEntries(all.map((one) => [one.split('=', 1)[0] ?? '', one.slice(one.indexOf('=') + 1)]));

// The reader may have seen enough, like `head`. What was started is still stopped as usual.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

const [path] = positionals;
const seed = values.seed === undefined ? undefined : contentsOf(values.seed);
if (values.help || path === undefined || values.event.length === 0) {
  process.stdout.write(USAGE);
  process.exitCode = values.help ? 0 : 1;
} else if (!existsSync(path)) {
  console.error(
    `There is no file ${path}. Give the path of a workflow, such as examples/preview-per-pull-request.yml.`,
  );
  process.exitCode = 1;
} else if (seed instanceof Error) {
  console.error(`The file for --seed cannot be read: ${seed.message}`);
  process.exitCode = 1;
} else {
  // GitHub's parser imports JSON without the attribute that Node.js requires.
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      return found.url.endsWith('.json') ? { ...found, importAttributes: { type: 'json' } } : found;
    },
  });
  const { play } = await import('./play.ts');
  const succeeded = await play({
    path,
    text: readFileSync(path, 'utf8'),
    events: values.event,
    action: values.action,
    vars: pairs(values.var),
    secrets: pairs(values.secret),
    number: Number(values.number),
    label: values.label,
    compute: values.compute === 'none' ? 'none' : 'postgres',
    seed,
    print: (line) => process.stdout.write(`${line}\n`),
  });
  if (!succeeded) process.exitCode = 1;
}

function contentsOf(path: string): { path: string; sql: string } | Error {
  try {
    return { path, sql: readFileSync(path, 'utf8') };
  } catch (error) {
    return error as Error;
  }
}
