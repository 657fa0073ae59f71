import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Service, startService } from '../service/index.ts';
import { freePort } from '../service/postgres/cluster.ts';
import { identity } from '../service/postgres/identity.ts';
import { copyActions, git, playEach } from './plays.ts';

/**
 * `npm run runners -- gitea-server`: a real Gitea server with its runner, and the actions in one of its repositories. Events come from the
 * server, and what became of them is read with its API.
 */
export interface GiteaOptions {
  /** the server, built with the tags `sqlite sqlite_unlock_notify` */
  server: string;
  /** the source of the server, which has its templates */
  source: string;
  runner: string;
}

export const installGitea = `Build both from the source of their Go modules (\`go mod download -json MODULE@VERSION\` says where it is):
  code.gitea.io/gitea@v1.26.0     go build -tags 'sqlite sqlite_unlock_notify' -o gitea .
  gitea.com/gitea/runner@v1.0.8   go build -o gitea-runner .
and set --server PATH, --source FOLDER (that of the server) and --bin PATH (the runner).`;

const action = 'octo/action';
const shop = 'octo/shop';
/** Gitea refuses to run as root. */
const nobody = identity();

/** Starts the server and the runner, plays everything, and prints a line for each play. Returns whether all were as they should be. */
export async function playGitea(options: GiteaOptions): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'gitea-'));
  const service = await startService({ compute: 'none', operationMs: 400 });
  const gitea = new Gitea(folder, options);
  try {
    await gitea.start(service);
    return await playEach(plays, { gitea, service });
  } finally {
    await gitea.stop();
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

class Gitea {
  private readonly folder: string;
  private readonly options: GiteaOptions;
  private readonly processes: ReturnType<typeof spawn>[] = [];
  private readonly password = 'Not-a-secret-1';
  private clones = 0;
  url = '';

  constructor(folder: string, options: GiteaOptions) {
    this.folder = folder;
    this.options = options;
  }

  async start(service: Service): Promise<void> {
    const { folder, options } = this;
    const port = await freePort();
    this.url = `http://127.0.0.1:${port}`;
    mkdirSync(join(folder, 'custom/conf'), { recursive: true });
    writeFileSync(join(folder, 'custom/conf/app.ini'), settings(folder, options.source, port));
    if (nobody.uid !== undefined) spawnSync('chown', ['-R', String(nobody.uid), folder]);
    this.spawn(options.server, ['web']);
    await until(() => fetch(`${this.url}/api/healthz`).then(({ ok }) => ok), 'Gitea did not start');
    const user = ['--username', 'octo', '--password', this.password, '--email', 'octo@example.com'];
    this.command(options.server, ['admin', 'user', 'create', '--admin', ...user, '--must-change-password=false']);
    for (const name of [action, shop])
      await this.api('POST', '/user/repos', { name: name.slice(5), auto_init: true, default_branch: 'main' });
    this.push(action, 'main', copyActions);
    await this.api('POST', `/repos/${action}/tags`, { tag_name: 'v1', target: 'main' });
    await this.api('PUT', `/repos/${shop}/actions/secrets/NEON_API_KEY`, { data: service.apiKey });
    await this.api('POST', `/repos/${shop}/actions/variables/NEON_PROJECT_ID`, { value: service.projectId });

    const { token } = await this.api<{ token: string }>('POST', '/admin/actions/runners/registration-token');
    const to = ['--instance', this.url, '--token', token, '--labels', 'ubuntu-latest:host'];
    this.command(options.runner, ['register', '--no-interactive', '--name', 'runner', ...to]);
    this.spawn(options.runner, ['daemon']);
  }

  private get environment() {
    const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);
    return { PATH, HOME: this.folder, GITEA_WORK_DIR: this.folder, GITEA_CUSTOM: join(this.folder, 'custom') };
  }

  private spawn(bin: string, args: string[]): void {
    this.processes.push(spawn(bin, args, { cwd: this.folder, env: this.environment, stdio: 'ignore', ...nobody }));
  }

  private command(bin: string, args: string[]): void {
    const ran = spawnSync(bin, args, { cwd: this.folder, env: this.environment, encoding: 'utf8', ...nobody });
    if (ran.status !== 0) throw new Error(`${bin} ${args.slice(0, 3).join(' ')}: ${ran.stdout}${ran.stderr}`);
  }

  async api<T = undefined>(method: string, path: string, body?: object): Promise<T> {
    const authorization = `Basic ${Buffer.from(`octo:${this.password}`).toString('base64')}`;
    const headers = { authorization, 'content-type': 'application/json' };
    const url = `${this.url}/api/v1${path}`;
    const response = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return (/^[[{]/.test(text) ? JSON.parse(text) : text) as T;
  }

  /** Commits what `change` does to a clone of main, as the new state of this git branch. */
  push(repository: string, branch: string, change: (clone: string) => void = () => {}): void {
    const clone = join(this.folder, `clone-${++this.clones}`);
    const from = this.url.replace('//', `//octo:${this.password}@`);
    git(this.folder, 'clone', '--quiet', `${from}/${repository}.git`, clone);
    change(clone);
    git(clone, 'add', '--all');
    git(clone, 'commit', '--quiet', '--allow-empty', '--message', 'Change');
    git(clone, 'push', '--quiet', '--force', 'origin', `HEAD:refs/heads/${branch}`);
  }

  /** The newest run of a workflow, once it is `done`. */
  async run(workflow: string, isRight: (run: Run) => boolean = () => true): Promise<Run> {
    let found: Run | undefined;
    await until(async () => {
      const { workflow_runs: runs } = await this.api<{ workflow_runs: Run[] }>(
        'GET',
        `/repos/${shop}/actions/runs?limit=20`,
      );
      found = runs.find((one) => one.path.startsWith(workflow) && isRight(one));
      return found?.status === 'completed';
    }, `no run of ${workflow} has ended`);
    if (!found) throw new Error('unreachable');
    return found;
  }

  async log({ id }: Run): Promise<string> {
    const runs = `/repos/${shop}/actions`;
    const { jobs } = await this.api<{ jobs: { id: number }[] }>('GET', `${runs}/runs/${id}/jobs`);
    const logs = await Promise.all(jobs.map((job) => this.api<string>('GET', `${runs}/jobs/${job.id}/logs`)));
    return logs.join('\n');
  }

  async stop(): Promise<void> {
    for (const child of this.processes.reverse()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = new Promise((resolve) => child.once('close', resolve));
      child.kill('SIGTERM');
      await Promise.race([ended, delay(5_000)]);
      child.kill('SIGKILL');
    }
  }
}

interface Run {
  id: number;
  /** `preview.yml@refs/…` */
  path: string;
  event: string;
  status: string;
  conclusion: string;
}

/** The workflows of the repository that is played, as JSON, which is YAML. */
function workflowsFor({ baseUrl }: Service): Record<string, string> {
  const step = (inputs: object, of = '') => {
    const access = { project_id: '$' + '{{ vars.NEON_PROJECT_ID }}', api_key: '$' + '{{ secrets.NEON_API_KEY }}' };
    return { id: 'db', uses: `${action}${of}@v1`, with: { api_host: baseUrl, ...access, ...inputs } };
  };
  const permissions = { contents: 'read', 'pull-requests': 'write' };
  const workflow = (on: unknown, ...steps: object[]) => ({
    on,
    jobs: { job: { 'runs-on': 'ubuntu-latest', permissions, steps } },
  });
  const sleep = { run: 'sleep 60' };
  const ephemeral = { command: 'create', ephemeral: true, expires_in: '2h' };
  const all = {
    preview: workflow({ pull_request: { types: ['opened', 'synchronize', 'closed'] } }, step({ comment: true })),
    environment: workflow({ push: { branches: ['env/*'] }, delete: null }, step({})),
    prune: workflow('workflow_dispatch', step({}, '/prune')),
    fails: workflow('workflow_dispatch', step({ ...ephemeral, branch_name: 'tests/fails' }), { run: 'exit 3' }),
    cancelled: {
      ...workflow({ push: { branches: ['slow'] } }, step({ ...ephemeral, branch_name: 'tests/cancelled' }), sleep),
      concurrency: { group: 'slow', 'cancel-in-progress': true },
    },
  };
  return Object.fromEntries(Object.entries(all).map(([name, one]) => [name, JSON.stringify({ name, ...one })]));
}

type Play = (stage: { gitea: Gitea; service: Service }) => Promise<string | undefined>;

/** What is wrong with a run, or with the branches that there are after it. */
async function problemOf({ gitea, service }: Parameters<Play>[0], run: Run, conclusion: string, branches: string[]) {
  await service.idle();
  const there = service.branches().flatMap(({ name }) => (name === 'main' ? [] : name));
  const log = await gitea.log(run);
  if (run.conclusion !== conclusion) return `it ended with ${run.conclusion}:\n${log}`;
  if (there.join() !== branches.join()) return `the branches are ${there.join() || 'none'}:\n${log}`;
  const leaked = [...service.secrets].filter((secret) => log.includes(secret));
  return leaked.length > 0 ? `${leaked.length} secrets are in the log` : undefined;
}

const plays: Record<string, Play> = {
  'a pull request gets a branch and a comment without dead links': async (stage) => {
    const { gitea, service } = stage;
    gitea.push(shop, 'main', (clone) => {
      mkdirSync(join(clone, '.gitea/workflows'), { recursive: true });
      for (const [name, text] of Object.entries(workflowsFor(service)))
        writeFileSync(join(clone, `.gitea/workflows/${name}.yml`), text);
    });
    gitea.push(shop, 'login');
    await gitea.api('POST', `/repos/${shop}/pulls`, { title: 'Login', head: 'login', base: 'main' });
    const problem = await problemOf(stage, await gitea.run('preview.yml'), 'success', ['preview/pr-1']);
    const [comment] = await gitea.api<{ body: string }[]>('GET', `/repos/${shop}/issues/1/comments`);
    const links = [...(comment?.body ?? '').matchAll(/\]\((http[^)]*)\)/g)].map(([, link = '']) => link);
    const dead = links.filter((link) => !link.startsWith(`${gitea.url}/${shop}/actions/runs/`));
    const { id } = await gitea.api<{ id: number }>('GET', `/repos/${shop}`);
    const { 'github-repository-id': noted } = service.annotations('preview/pr-1');
    if (noted !== `${gitea.url.slice(7)}/${id}`) return `its repository: ${noted}`;
    return problem ?? (comment ? (dead.length > 0 ? `dead links: ${dead.join()}` : undefined) : 'there is no comment');
  },
  'closing the pull request deletes the branch': async (stage) => {
    const { gitea } = stage;
    const before = await gitea.run('preview.yml');
    await gitea.api('PATCH', `/repos/${shop}/pulls/1`, { state: 'closed' });
    return problemOf(stage, await gitea.run('preview.yml', ({ id }) => id > before.id), 'success', []);
  },
  'prune deletes the branch of a closed pull request': async (stage) => {
    const { gitea, service } = stage;
    const annotations = { 'github-commit-repo': shop, 'github-pr-number': '1' };
    await service.addBranch({ name: 'preview/left', annotations });
    await gitea.api('POST', `/repos/${shop}/actions/workflows/prune.yml/dispatches`, { ref: 'main' });
    return problemOf(stage, await gitea.run('prune.yml'), 'success', []);
  },
  'deleting a git branch deletes its branch': async (stage) => {
    const { gitea } = stage;
    gitea.push(shop, 'env/q1');
    const problem = await problemOf(stage, await gitea.run('environment.yml'), 'success', ['preview/env/q1']);
    await gitea.api('DELETE', `/repos/${shop}/branches/env/q1`);
    return (
      problem ?? problemOf(stage, await gitea.run('environment.yml', ({ event }) => event === 'delete'), 'success', [])
    );
  },
  'an ephemeral branch is deleted when a later step fails': async (stage) => {
    await stage.gitea.api('POST', `/repos/${shop}/actions/workflows/fails.yml/dispatches`, { ref: 'main' });
    return problemOf(stage, await stage.gitea.run('fails.yml'), 'failure', []);
  },
  'an ephemeral branch is deleted when the run is cancelled': async (stage) => {
    const { gitea, service } = stage;
    gitea.push(shop, 'slow');
    await until(() => service.branch('tests/cancelled') !== undefined, 'no branch was created');
    // A second run would cancel the first one, but create the branch again: without the workflow there is none.
    gitea.push(shop, 'slow', (clone) => {
      const text = workflowsFor(service).cancelled?.replace(/"steps":.*\]/, '"steps":[{"run":"echo"}]');
      writeFileSync(join(clone, '.gitea/workflows/cancelled.yml'), text ?? '');
    });
    const run = await gitea.run('cancelled.yml', ({ conclusion }) => conclusion === 'cancelled');
    await until(() => service.branch('tests/cancelled') === undefined, 'the branch is still there').catch(() => {});
    return problemOf(stage, run, 'cancelled', []);
  },
};

function settings(folder: string, source: string, port: number): string {
  return `RUN_USER = ${nobody.uid === undefined ? (process.env.USER ?? '') : 'nobody'}
[server]
HTTP_ADDR = 127.0.0.1
HTTP_PORT = ${port}
ROOT_URL = http://127.0.0.1:${port}/
STATIC_ROOT_PATH = ${source}
DISABLE_SSH = true
OFFLINE_MODE = true
[database]
DB_TYPE = sqlite3
PATH = ${folder}/gitea.db
[repository]
ROOT = ${folder}/repositories
[security]
INSTALL_LOCK = true
SECRET_KEY = only-for-this-run
[actions]
ENABLED = true
DEFAULT_ACTIONS_URL = self
[log]
MODE = file
LEVEL = warn
`;
}

async function until(isSo: () => boolean | Promise<boolean>, otherwise: string): Promise<void> {
  for (const end = Date.now() + 90_000; Date.now() < end; await delay(250))
    if (await Promise.resolve(isSo()).catch(() => false)) return;
  throw new Error(otherwise);
}
