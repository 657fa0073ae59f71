import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type GitHub, startGitHub } from '../../tools/github/index.ts';
import { parseCommandFile } from '../../tools/runner/command-files.ts';
import * as events from '../../tools/runner/events.ts';
import { readWorkflow, triggers } from '../../tools/runner/workflow/file.ts';
import { type OtherStep, type PlayedJob, type PlayedWorkflow, ScriptFailed } from '../../tools/runner/workflow/play.ts';
import { type Service, startService } from '../../tools/service/index.ts';
import { shapeOf, yamlBlocks } from '../repository/workflows.ts';
import { held } from '../support/held.ts';
import { playExample, results } from '../support/workflow/example.ts';
import { isRecipe } from './recipes/recipes.ts';

/** Runs the examples as GitHub would, with their events, conditions, matrices and outputs. Steps of this action run the bundle. */
const root = dirname(dirname(import.meta.dirname));
const examples = readdirSync(join(root, 'examples')).filter((name) => /\.ya?ml$/.test(name) && !isRecipe(name));
const readme = yamlBlocks(readFileSync(join(root, 'README.md'), 'utf8')).filter(
  ({ text }) => shapeOf(text) === 'workflow',
);
const workflows = new Map([
  ...examples.map((name): [string, string] => [name, readFileSync(join(root, 'examples', name), 'utf8')]),
  ...readme.map(({ line, text }): [string, string] => [`README.md:${line}`, text]),
]);

let service: Service;
let github: GitHub;
beforeAll(async () => {
  service = await startService({ compute: 'none' });
  github = await startGitHub();
});
afterAll(async () => {
  await service?.stop();
  await github?.close();
});

// Each test starts with main as the only branch.
afterEach(async () => {
  for (const branch of previews()) await service.removeBranch(branch);
});

interface Play {
  event: events.GitHubEvent;
  /** the secrets of the run; none for a fork */
  secrets?: Record<string, string>;
  script?: (step: OtherStep) => Promise<void> | void;
  /** the outputs of a script; by default it is run if it sets any */
  outputs?: (step: OtherStep) => Record<string, string> | undefined;
  runId?: string;
  /** a service other than the shared one */
  on?: Service;
}

/** Plays one of the workflows. */
function play(name: string, options: Play): Promise<PlayedWorkflow> {
  const { script = () => {}, outputs = outputsOf, on = service, runId = '1658821493', ...rest } = options;
  return playExample(name, {
    secrets: { NEON_API_KEY: on.apiKey },
    ...rest,
    service: on,
    text: workflows.get(name) ?? '',
    env: { ...github.env },
    runId,
    script: async (step) => {
      await script(step);
      return outputs(step);
    },
  });
}

/** Runs a script if it sets outputs. */
function outputsOf({ run }: OtherStep): Record<string, string> | undefined {
  if (!run?.includes('GITHUB_OUTPUT')) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'script-'));
  try {
    const file = join(folder, 'output');
    execFileSync('bash', ['-e', '-c', run], { env: { PATH: process.env.PATH, GITHUB_OUTPUT: file } });
    return Object.fromEntries(parseCommandFile(readFileSync(file, 'utf8')).pairs);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function job(played: PlayedWorkflow, id: string): PlayedJob {
  const found = played.jobs.find((one) => one.id === id);
  if (!found) throw new Error(`there is no job ${id}`);
  return found;
}

const branchNames = () => service.branches().map((branch) => branch.name);
const previews = () => branchNames().filter((name) => name !== service.main.name);

/** One event of each kind that may start a workflow, as it first occurs for a pull request. */
const firstEvents: Record<string, (type: string) => events.GitHubEvent> = {
  pull_request: (type) => events.pullRequest({ action: (type || 'opened') as 'opened', label: 'reset database' }),
  pull_request_target: (type) => events.pullRequest({ action: (type || 'opened') as 'opened', target: true }),
  push: () => events.push(),
  create: () => events.create(),
  delete: () => events.deleteRef(),
  schedule: () => events.schedule(),
  workflow_dispatch: () => events.workflowDispatch(),
  merge_group: () => events.mergeGroup(),
};

/** Without a database, nothing can be rehearsed: `recipes/rehearse.test.ts` plays these with one. */
const withoutDatabase = [...workflows].filter(([, text]) => !/^\s+(- )?uses: .*\/rehearse@/m.test(text));

describe.each(withoutDatabase)('%s', (name, text) => {
  const file = readWorkflow(text);
  // These are like `opened` and `labeled`; where a branch that exists makes a difference, a test below says so.
  const alike = ['reopened', 'synchronize', 'unlabeled'];
  const all = [...triggers(file)].flatMap(([event, types]) =>
    (types ?? ['']).filter((type) => !alike.includes(type)).map((type) => ({ event, type })),
  );

  it.each(all)('succeeds on $event $type', async ({ event, type }) => {
    const make = firstEvents[event];
    if (!make) throw new Error(`no sample for event ${event}`);
    // Workflows assume that the branch of the pull request exists, with masked rows if they ask for them: then the first play creates it.
    const isMasked = /^\s+masking_rules:/m.test(text);
    if (event.startsWith('pull_request') && !isMasked && !branchNames().includes('preview/pr-7'))
      await service.addBranch({ name: 'preview/pr-7' });
    const played = await play(name, { event: make(type) });
    const errors = played.jobs.flatMap((one) => one.steps.flatMap(({ run }) => run?.annotations.error ?? []));
    expect(errors).toEqual([]);
    expect(results(played).filter((one) => one.endsWith('failure'))).toEqual([]);
  });
});

describe('preview-per-pull-request.yml', () => {
  const name = 'preview-per-pull-request.yml';
  const on = (action: 'opened' | 'synchronize' | 'closed') => ({ event: events.pullRequest({ action }) });

  it('creates a branch, deploys to it, reuses it, and deletes it', async () => {
    const seen: Record<string, string | undefined> = {};
    const script = (step: OtherStep) => void Object.assign(seen, { [step.name]: step.env.DATABASE_URL });
    const opened = await play(name, { ...on('opened'), script });
    expect(results(opened)).toEqual(['database: success', 'deploy: success']);
    expect(job(opened, 'database').outputs.branch_id).toBe(service.branch('preview/pr-7')?.id);
    expect(seen).toMatchObject({
      Migrate: service.uri('preview/pr-7'),
      Deploy: service.uri('preview/pr-7', { pooled: true }),
    });
    expect(service.branch('preview/pr-7')?.expires_at).toBeDefined();

    const pushed = await play(name, on('synchronize'));
    expect(job(pushed, 'database').steps[0]?.outputs).toMatchObject({ created: 'false' });
    expect(previews()).toEqual(['preview/pr-7']);

    const closed = await play(name, on('closed'));
    expect(results(closed)).toEqual(['database: success', 'deploy: skipped']);
    expect(previews()).toEqual([]);

    // A run that deletes is never cancelled.
    const groups = [opened, pushed, closed].map(({ concurrency }) => concurrency);
    const group = 'preview-7';
    expect(groups).toEqual([false, true, false].map((cancelInProgress) => ({ group, cancelInProgress })));
  });

  it('creates no preview without a key', async () => {
    const event = events.pullRequest({ action: 'opened', fork: 'somebody/octo-repo' });
    const played = await play(name, { event, secrets: {} });
    expect(results(played)).toEqual(['database: success', 'deploy: skipped']);
    expect(previews()).toEqual([]);
  });
});

describe('fresh-branch-per-test-shard.yml', () => {
  const name = 'fresh-branch-per-test-shard.yml';

  it('gives each shard its own branch, and deletes them all even if one shard fails', async () => {
    const urls: string[] = [];
    const migrated: string[] = [];
    const direct: string[] = [];
    let most = 0;
    const script = ({ name: step, env }: OtherStep) => {
      if (step === 'npm run migrate') migrated.push(env.DATABASE_URL ?? '');
      if (!step.startsWith('npm test')) return;
      urls.push(env.DATABASE_URL ?? '');
      expect(env.DATABASE_URL).toBe(service.uri(`tests/77-1-${env.SHARD}`, { pooled: true }));
      direct.push(service.uri(`tests/77-1-${env.SHARD}`));
      most = Math.max(most, previews().length);
      if (env.SHARD === '3') throw new ScriptFailed();
    };
    const played = await play(name, { event: events.push(), script, runId: '77' });
    expect(results(played)).toEqual(['success', 'success', 'failure', 'success'].map((one) => `test: ${one}`));
    expect(new Set(urls).size).toBe(4);
    expect(migrated).toEqual(direct);
    expect(most).toBeGreaterThan(0);
    expect(previews()).toEqual([]);
  });

  it.each([
    ['forks', { fork: 'somebody/octo-repo' }],
    ['Dependabot', { author: 'dependabot[bot]' }],
  ])('does not run for %s', async (_, of) => {
    const played = await play(name, { event: events.pullRequest(of), secrets: {} });
    expect(results(played)).toEqual(['test: skipped']);
  });
});

describe('reset-by-label.yml', () => {
  const name = 'reset-by-label.yml';
  const labeled = (label: string) => events.pullRequest({ action: 'labeled', label });

  it('resets on its label, and migrates with the same connection URI', async () => {
    await service.addBranch({ name: 'preview/pr-7' });
    const before = service.requests.length;
    const urls: (string | undefined)[] = [];
    const script = (step: OtherStep) => void (step.name === 'Migrate' && urls.push(step.env.DATABASE_URL));
    const played = await play(name, { event: labeled('reset database'), script });
    expect(results(played)).toEqual(['reset: success']);
    expect(urls).toEqual([service.uri('preview/pr-7')]);
    const restores = service.requests.slice(before).filter(({ path }) => path.endsWith('/restore'));
    expect(restores.map(({ status }) => status)).toEqual([200]);
  });

  it('does nothing for other labels', async () => {
    expect(results(await play(name, { event: labeled('documentation') }))).toEqual(['reset: skipped']);
  });

  it('removes the label even after a failure', async () => {
    const steps: string[] = [];
    const played = await play(name, { event: labeled('reset database'), script: (step) => void steps.push(step.name) });
    expect(results(played)).toEqual(['reset: failure']);
    expect(steps).toEqual(['actions/checkout@v6', 'Remove the label']);
  });
});

describe('start-early-wait-late.yml', () => {
  it('creates the branch while packages are installed, and tests only once it is ready', async () => {
    const slow = await startService({ compute: 'none', operationMs: { start_compute: held } });
    try {
      const ended: Record<string, boolean> = {};
      const script = ({ name: step, env }: OtherStep) => {
        ended[step] = slow.operations().every(({ status }) => status === 'finished');
        if (step === 'npm ci --ignore-scripts') slow.release();
        if (step === 'npm test') expect(env.DATABASE_URL).toBe(slow.uri('tests/78-1'));
      };
      const played = await play('start-early-wait-late.yml', { event: events.push(), script, runId: '78', on: slow });
      expect(results(played)).toEqual(['test: success']);
      expect(ended).toMatchObject({ 'npm ci --ignore-scripts': false, 'npm test': true });
      expect(slow.branches().map((branch) => branch.name)).toEqual(['main']);
    } finally {
      await slow.stop();
    }
  });
});

describe('forks.yml', () => {
  const run = async (play_: Play) => {
    const urls: string[] = [];
    const steps: string[] = [];
    const script = (step: OtherStep) => {
      steps.push(step.name);
      if (step.name === 'Migrate and test') urls.push(step.env.DATABASE_URL ?? '');
    };
    expect(results(await play('forks.yml', { ...play_, script }))).toEqual(['test: success']);
    expect(previews()).toEqual([]);
    return { url: urls[0], local: steps.includes('Start an empty Postgres') };
  };

  it('tests on a branch if there is a key', async () => {
    const { url, local } = await run({ event: events.pullRequest() });
    expect(local).toBe(false);
    expect([...service.secrets]).toContain(url);
  });

  it.each([
    ['a fork', events.pullRequest({ fork: 'somebody/octo-repo' })],
    ['Dependabot', events.pullRequest({ author: 'dependabot[bot]' })],
  ])('tests on a local Postgres for %s', async (_, event) => {
    const before = service.requests.length;
    const { url, local } = await run({ event, secrets: {} });
    expect({ url, local }).toEqual({ url: 'postgresql://postgres:postgres@127.0.0.1:5432/postgres', local: true });
    expect(service.requests.length).toBe(before);
  });
});

describe('nightly-prune.yml', () => {
  const name = 'nightly-prune.yml';
  const ours = (number: number) => ({
    name: `preview/pr-${number}`,
    endpoint: false,
    annotations: { 'github-commit-repo': 'octo-org/octo-repo', 'github-pr-number': String(number) },
  });
  const addPreviews = async () => {
    github.state.addPull({ number: 21, state: 'closed' });
    github.state.addPull({ number: 22 });
    github.state.addBranch('feature/there');
    await service.addBranches([ours(21), ours(22)]);
    for (const ref of ['feature/there', 'feature/gone'])
      await service.addBranch({ name: `preview/${ref}`, endpoint: false, annotations: {} });
  };

  it('deletes stale branches and nothing else', async () => {
    await addPreviews();
    expect(results(await play(name, { event: events.schedule() }))).toEqual(['prune: success']);
    expect(previews().sort()).toEqual(['preview/feature/there', 'preview/pr-22']);
  });

  it('only reports on a manual dry run', async () => {
    await addPreviews();
    const told = await play(name, { event: events.workflowDispatch({ inputs: { dry_run: 'true' } }) });
    expect(job(told, 'prune').steps[0]?.run?.annotations.notice.join()).toContain('Would delete 2 of 5 branches');
    expect(previews()).toHaveLength(4);
  });
});

describe('gate-before-merge.yml', () => {
  const name = 'gate-before-merge.yml';
  beforeAll(() => {
    const tables = ['kept', 'orders', 'import_buffer'].map((table) => `CREATE TABLE public.${table} (a text);\n`);
    service.setSchema('main', tables.join(''));
  });
  afterAll(() => service.setSchema('main', ''));

  /** Plays it with this schema as the migrated one, undefined if the branch is gone by then, and with whoever accepts what is found. */
  const run = async (event: events.GitHubEvent, options: { by?: string; schema?: string | undefined } = {}) => {
    const { by, schema } = { schema: 'CREATE TABLE public.kept (a text);\n', ...options };
    const said: string[] = [];
    const branch = `schema-gate/octo-repo/pr-${(event.payload as { number?: number }).number}`;
    const played = await play(name, {
      event,
      script: async (step) => {
        if (step.name === 'Migrate') {
          expect(step.env.DATABASE_URL).toBe(service.uri(branch));
          if (schema === undefined) await service.removeBranch(branch);
          else service.setSchema(branch, schema);
        }
        if (step.name === 'Say who has accepted') said.push(approvedBy(step, by));
        if (step.run === 'exit 1') throw new ScriptFailed();
      },
    });
    expect(previews()).toEqual([]);
    return { played, results: results(played), said };
  };
  /** What the script comments, with a `gh` that knows these approvals. */
  const approvedBy = ({ run: script = '', env }: OtherStep, by = '') => {
    const folder = mkdtempSync(join(tmpdir(), 'gh-'));
    try {
      const gh = `#!/bin/sh\ncase "$1" in api) printf %s '${by}' ;; pr) printf '%s|' "$@" > ${folder}/comment ;; esac\n`;
      writeFileSync(join(folder, 'gh'), gh, { mode: 0o755 });
      const PATH = `${folder}:${process.env.PATH}`;
      const all = { ...env, PATH, GITHUB_STEP_SUMMARY: join(folder, 'summary') };
      const { status } = spawnSync('bash', ['-e', '-c', script], { env: all });
      if (status !== 0) throw new ScriptFailed();
      return existsSync(join(folder, 'comment')) ? readFileSync(join(folder, 'comment'), 'utf8') : '';
    } finally {
      rmSync(folder, { recursive: true });
    }
  };
  const opened = (number: number, more: events.PullRequestOptions = {}) => {
    github.state.addPull({ number });
    return events.pullRequest({ number, ...more });
  };
  const commentsOn = (number: number) => github.state.comments.filter(({ issue }) => issue === number);

  it('passes a pull request without findings, and asks nobody', async () => {
    const { results: all } = await run(opened(51), {
      schema: 'CREATE TABLE public.kept (a text);\nCREATE TABLE public.orders (a text);\n',
    });
    expect(all).toEqual(['review: success', 'accept: skipped', 'gate: success']);
  });

  it('comments, and passes once a reviewer has accepted the findings, by name and commit', async () => {
    const { results: all, said } = await run(opened(52), { by: '@dba' });
    expect(all).toEqual(['review: success', 'accept: success', 'gate: success']);
    expect(commentsOn(52).map(({ body }) => body)).toEqual([expect.stringContaining('drop-table public.orders')]);
    expect(said).toEqual([
      expect.stringMatching(/^pr\|comment\|52\|--body\|.* accepted by @dba for commit [0-9a-f]{7}\.\|$/),
    ]);
    await run(opened(52, { action: 'synchronize' }), { by: '@dba' });
    expect(commentsOn(52)).toHaveLength(1);
  });

  it('fails if nobody has accepted them: the environment has no reviewers, or the run is over', async () => {
    expect((await run(opened(53))).results).toEqual(['review: success', 'accept: failure', 'gate: failure']);
  });

  it('fails if there is no review', async () => {
    const { results: all } = await run(opened(54), { by: '@dba', schema: undefined });
    expect(all).toEqual(['review: failure', 'accept: skipped', 'gate: failure']);
  });

  it('works in a merge queue, and has a reviewer accept what forks and Dependabot change', async () => {
    expect((await run(events.mergeGroup())).results).toEqual(['review: skipped', 'accept: skipped', 'gate: success']);
    const fork = await run(opened(55, { fork: 'somebody/octo-repo' }), { by: '@dba' });
    expect(fork).toMatchObject({ results: ['review: skipped', 'accept: success', 'gate: success'], said: [''] });
  });
});

describe('nightly-drift-check.yml', () => {
  let real: Service;
  beforeAll(async () => {
    real = await startService({ seed: 'CREATE TABLE customers (id integer)', databases: ['other'] });
  });
  afterAll(() => real?.stop());

  /** What the check finds after this change, if the one before was more than a day ago. */
  const driftAfter = async (sql: string): Promise<PlayedWorkflow> => {
    const time = new Date().toISOString();
    await delay(20);
    await real.query('main', sql);
    const outputs = ({ run = '' }: OtherStep) => (run.includes('date ') ? { time } : undefined);
    return play('nightly-drift-check.yml', { event: events.schedule(), on: real, outputs });
  };

  it('fails if a table was dropped', async () => {
    const played = await driftAfter('DROP TABLE customers');
    expect(results(played)).toEqual(['drift: failure']);
    expect(job(played, 'drift').steps[1]?.run?.annotations.error.join()).toMatch(
      /drop-table public\.customers in database "neondb"/,
    );
  });

  it('reports any other change', async () => {
    const played = await driftAfter('CREATE TABLE more (a text)');
    expect(results(played)).toEqual(['drift: success']);
    expect(job(played, 'drift').steps[2]).toMatchObject({ name: 'Report another change', outcome: 'success' });
  });
});
