import { parseArgs } from 'node:util';
import { installGitea } from './gitea-server.ts';
import { missing, type RunnerName, runners } from './runners.ts';

/** `npm run runners`: runs the action on runners that are not GitHub's, on this machine and without Docker. */
const USAGE = `npm run runners -- act|forgejo|gitea [--bin PATH]
npm run runners -- gitea-server --server PATH --source FOLDER [--bin PATH]

Runs the built action on nektos/act, Forgejo's or Gitea's runner, in host mode, against the local service and a stand-in for
GitHub's API: the README's quick start from open to close, prune, an ephemeral branch, and a job that is cancelled.
With \`gitea-server\`, a real Gitea server starts Gitea's runner: also a comment, and a git branch that is deleted.

  --bin PATH       the runner's program (default: from the PATH)
  --server PATH    Gitea
  --source FOLDER  its source, which has its templates

${installGitea}
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    bin: { type: 'string' },
    server: { type: 'string' },
    source: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const [name = ''] = positionals;
const { server, source } = values;
if (name === 'gitea-server' && server !== undefined && source !== undefined) {
  const { playGitea } = await import('./gitea-server.ts');
  const { bin = runners.gitea.program } = values;
  process.exitCode = (await playGitea({ server, source, runner: bin })) ? 0 : 1;
} else if (values.help || !Object.hasOwn(runners, name)) {
  process.stdout.write(USAGE);
  process.exitCode = values.help ? 0 : 1;
} else {
  const runner = runners[name as RunnerName];
  const bin = values.bin ?? runner.program;
  const problem = missing(runner, bin);
  if (problem === undefined) {
    const { playAll } = await import('./plays.ts');
    process.exitCode = (await playAll(runner, bin)) ? 0 : 1;
  } else {
    console.error(problem);
    process.exitCode = 1;
  }
}
