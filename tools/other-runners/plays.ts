import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { type GitHub, startGitHub } from '../github/index.ts';
import { actionNames } from '../runner/action.ts';
import { type GitHubEvent, pullRequest, push, schedule } from '../runner/events.ts';
import { OURS, REPOSITORY } from '../runner/repository.ts';
import { type Service, startService } from '../service/index.ts';
import type { Runner } from './runners.ts';

const root = dirname(dirname(import.meta.dirname));

/** What the plays share: a repository that holds the action, the services, and a way to run a workflow. */
interface Stage {
  runner: Runner;
  service: Service;
  github: GitHub;
  run(options: {
    text: string;
    event: GitHubEvent;
    cancelAt?: RegExp;
  }): Promise<{ status: number | null; log: string }>;
}

/** A play returns what is wrong, if anything. */
type Play = (stage: Stage) => Promise<string | undefined>;

/** Plays everything that the runner, the program `bin`, can. Returns whether all was as it should be. */
export async function playAll(runner: Runner, bin: string): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'other-runners-'));
  // Long enough to cancel a create in the middle, and short enough to wait for.
  const service = await startService({ compute: 'none', operationMs: 400 });
  const github = await startGitHub();
  try {
    const possible = Object.entries(plays).filter(([, play]) => play !== prune || runner.hasPayload);
    return await playEach(Object.fromEntries(possible), prepare({ runner, service, github, folder, program: bin }));
  } finally {
    await github.close();
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs plays, and prints a line for each, with what is wrong below it. Returns whether all were as they should be. */
export async function playEach<T>(
  plays: Record<string, (stage: T) => Promise<string | undefined>>,
  stage: T,
): Promise<boolean> {
  let good = true;
  for (const [name, play] of Object.entries(plays)) {
    const problem = await play(stage).catch((error: Error) => error.message);
    console.log(problem === undefined ? `ok   ${name}` : `FAIL ${name}\n     ${problem}`);
    good &&= problem === undefined;
  }
  return good;
}

/** Copies the actions into a repository. */
export function copyActions(repository: string): void {
  for (const one of ['action.yml', 'dist', ...actionNames].filter((name) => existsSync(join(root, name))))
    cpSync(join(root, one), join(repository, one), { recursive: true });
}

export function git(folder: string, ...args: string[]): void {
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];
  execFileSync('git', [...identity, ...args], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
}

function prepare(given: Omit<Stage, 'run'> & { folder: string; program: string }): Stage {
  const { runner, service, github, folder, program } = given;
  const repository = join(folder, 'repository');
  const home = join(folder, 'home');
  const bin = join(folder, 'bin');
  for (const one of [join(repository, '.github/workflows'), home, bin]) mkdirSync(one, { recursive: true });
  copyActions(repository);
  // The quick start's `psql`. The local service has no Postgres here, so this only says that it got a URI.
  const psql = '#!/bin/sh\ncase "$1" in postgresql://*:*@*) echo "connected to $1" ;; *) exit 1 ;; esac\n';
  writeFileSync(join(bin, 'psql'), psql, { mode: 0o755 });
  git(repository, 'init', '--quiet', '--initial-branch', 'main');
  git(repository, 'add', '--all');
  git(repository, 'commit', '--quiet', '--message', 'Add the action');

  return {
    runner,
    service,
    github,
    async run({ text, event, cancelAt }) {
      const workflow = join(repository, '.github/workflows/play.yml');
      writeFileSync(workflow, adapted(text, service));
      const file = join(folder, 'event.json');
      writeFileSync(file, JSON.stringify(event.payload));
      const args = runner.args({
        workflow: '.github/workflows/play.yml',
        event: { name: event.env.GITHUB_EVENT_NAME ?? '', file },
        env: { ...github.env, GITHUB_REPOSITORY: github.state.fullName },
        vars: { NEON_PROJECT_ID: service.projectId },
        secrets: { NEON_API_KEY: service.apiKey, GITHUB_TOKEN: 'ghs_tokenOfThisRun' },
      });
      const path = [bin, dirname(process.execPath), process.env.PATH].join(delimiter);
      // A home of its own: its caches go away with the folder.
      const child = spawn(program, args, {
        cwd: repository,
        env: { PATH: path, HOME: home, XDG_CACHE_HOME: join(home, '.cache') },
      });
      const timer = setTimeout(() => child.kill('SIGKILL'), 120_000);
      let log = '';
      let isCancelled = false;
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (chunk: string) => {
          log += chunk;
          if (isCancelled || !cancelAt?.test(log)) return;
          isCancelled = true;
          child.kill('SIGINT');
        });
      const status = await new Promise<number | null>((resolve, reject) => {
        child.once('error', reject);
        child.once('close', resolve);
      });
      clearTimeout(timer);
      return { status, log };
    },
  };
}

/** The workflow with this action from the checkout, at the local service. These runners do the checkout themselves. */
function adapted(text: string, service: Service): string {
  return text
    .replace(/^( +)steps:\n/gm, (line, indent) => `${line}${indent}  - uses: actions/checkout@v6\n`)
    .replaceAll(new RegExp(`${REPOSITORY}(/\\w+)?@v1`, 'g'), (_, name = '/') => `.${name}`)
    .replaceAll(/^( +)project_id: /gm, (line, indent) => `${indent}api_host: ${service.baseUrl}\n${line}`);
}

/** A workflow of the README, by its name. */
export function fromReadme(name: string): string {
  const blocks = readFileSync(join(root, 'README.md'), 'utf8').matchAll(/^```yaml\n([\s\S]*?)^```$/gm);
  const found = [...blocks].map(([, text = '']) => text).find((text) => text.startsWith(`name: ${name}\n`));
  if (found === undefined) throw new Error(`the README has no workflow "${name}"`);
  return found;
}

/** What is wrong with a run: how it ended, what its log lacks, or a secret in its log. */
function problemOf(
  { service }: Stage,
  { status, log }: { status: number | null; log: string },
  expected: { succeeds: boolean; says: string[] },
): string | undefined {
  // Also in the commands that register masks, which some runners show.
  const leaked = [...service.secrets].filter((secret) => log.includes(secret));
  const lacks = expected.says.filter((text) => !log.includes(text));
  if ((status === 0) !== expected.succeeds) return `it ended with ${status}:\n${log}`;
  if (leaked.length > 0) return `${leaked.length} secrets are in the log:\n${log}`;
  if (lacks.length > 0) return `the log does not say ${JSON.stringify(lacks)}:\n${log}`;
  return undefined;
}

/** The quick start; if the runner can't be given a payload, with the branch and the command that would follow from it. */
function quickStart({ runner }: Stage, command: string): string {
  const text = fromReadme('Preview');
  return runner.hasPayload
    ? text
    : text.replace(/^( +)project_id: .*\n/m, `$1branch_name: preview/pr-7\n$1command: ${command}\n$&`);
}

function ephemeral(then: string): string {
  return `name: Tests
on: push
permissions: {}
jobs:
  tests:
    runs-on: ubuntu-latest
    steps:
      - id: db
        uses: ${OURS}
        with:
          project_id: \${{ vars.NEON_PROJECT_ID }}
          api_key: \${{ secrets.NEON_API_KEY }}
          command: create
          branch_name: tests/throwaway
          ephemeral: true
          expires_in: 2h
          export_env: true
      - run: psql "$DATABASE_URL"
      - run: ${then}
`;
}

/** Needs a branch whose metadata names a pull request, and so the payload of its event. */
async function prune(stage: Stage): Promise<string | undefined> {
  const { service, github } = stage;
  await stage.run({ text: quickStart(stage, 'create'), event: pullRequest({ number: 8 }) });
  github.state.addPull({ number: 8, state: 'closed' });
  const run = await stage.run({
    text: readFileSync(join(root, 'examples/nightly-prune.yml'), 'utf8'),
    event: schedule(),
  });
  const problem = problemOf(stage, run, { succeeds: true, says: ['preview/pr-8'] });
  return problem ?? (service.branch('preview/pr-8') ? `the branch is still there:\n${run.log}` : undefined);
}

const plays: Record<string, Play> = {
  'quick start: opening the pull request creates the branch': async (stage) => {
    const run = await stage.run({ text: quickStart(stage, 'create'), event: pullRequest({ number: 7 }) });
    const problem = problemOf(stage, run, { succeeds: true, says: ['Created branch "preview/pr-7"', 'connected to '] });
    return problem ?? (stage.service.branch('preview/pr-7') ? undefined : 'there is no branch');
  },
  'quick start: closing deletes it': async (stage) => {
    const event = pullRequest({ number: 7, action: 'closed' });
    const run = await stage.run({ text: quickStart(stage, 'delete'), event });
    const problem = problemOf(stage, run, { succeeds: true, says: ['Deleted branch "preview/pr-7"'] });
    return problem ?? (stage.service.branch('preview/pr-7') ? 'the branch is still there' : undefined);
  },
  'prune deletes the branch of a closed pull request': prune,
  'an ephemeral branch is deleted when a later step fails': async (stage) => {
    const run = await stage.run({ text: ephemeral('exit 3'), event: push() });
    const says = ['connected to ', 'Deleted ephemeral branch "tests/throwaway"'];
    const problem = problemOf(stage, run, { succeeds: false, says });
    return problem ?? (stage.service.branch('tests/throwaway') ? 'the branch is still there' : undefined);
  },
  'an ephemeral branch is deleted when the job is cancelled': async (stage) => {
    // Not between two steps: act then ends with 0. The quotes keep the script itself, which the log shows, from matching.
    const run = await stage.run({
      text: ephemeral("echo slee''ping; sleep 30"),
      event: push(),
      cancelAt: /\bsleeping\b/,
    });
    const problem = problemOf(stage, run, { succeeds: false, says: [] });
    await stage.service.idle();
    return problem ?? (stage.service.branch('tests/throwaway') ? `the branch is still there:\n${run.log}` : undefined);
  },
};
