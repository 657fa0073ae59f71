import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { startGitHub } from '../../tools/github/index.ts';
import { type GitHubEvent, push, schedule } from '../../tools/runner/events.ts';
import { Masker } from '../../tools/runner/masks.ts';
import { type PlayedJob, playWorkflow, ScriptFailed } from '../../tools/runner/workflow/play.ts';
import { serving } from '../support/serving.ts';
import { workflow } from '../support/workflow/own.ts';
import { type Script, scripts } from '../support/workflow/scripts.ts';

describe('real-runners.yml', () => {
  /** As check.yml calls it, on some of its runners. The service of each job is ended like an orphan on a runner. */
  async function play(event: GitHubEvent, runners: string) {
    const github = await startGitHub();
    github.state.addPull({ number: 7 });
    const done: Script[] = [];
    try {
      const text = workflow('real-runners')
        .replace('  workflow_call:', '  push:\n  pull_request:')
        .replace('[ubuntu-24.04, macos-15, windows-2025]', runners);
      const run = scripts({ done });
      const played = await playWorkflow(text, {
        event,
        vars: {},
        secrets: {},
        inputs: {},
        env: github.env,
        // needs the logs, which are only complete after this
        script: (step) => (step.job === 'logs' ? undefined : run(step)),
      });
      if (!played) throw new Error('not started');
      return { ...played, done };
    } finally {
      for (const { output } of done)
        for (const [, pid] of output.matchAll(/^service (\d+)$/gm)) process.kill(Number(pid));
      await github.close();
    }
  }

  /** The jobs' logs as GitHub would show them: what the action and the scripts have printed, masked. */
  function logOf(jobs: PlayedJob[], done: Script[]): string {
    const masker = new Masker();
    const steps = jobs.flatMap((job) => job.steps);
    for (const { run } of steps) for (const mask of run?.masks ?? []) masker.add(mask);
    const printed = steps.flatMap(({ run, post }) => [run?.maskedLog() ?? '', post?.maskedLog() ?? '']);
    return masker.hide([...printed, ...done.map(({ output }) => output)].join('\n'));
  }

  const failures = (jobs: PlayedJob[], done: Script[]) => [
    ...jobs.filter(({ result }) => result !== 'success').map(({ id }) => id),
    ...done.filter(({ code }) => code !== 0).map(({ step, output }) => `${step.run}\n${output}`),
  ];

  it('passes, and the check of its logs finds what it must', async () => {
    const { jobs, done } = await play(push({ ref: 'refs/heads/main' }), '[windows-2025]');
    expect(failures(jobs, done)).toEqual([]);
    const life = jobs.filter(({ id }) => id === 'life');
    const text = 'Deleted ephemeral branch "self/ephemeral"';
    expect(logOf(life, [])).toContain(text);

    const secret = 'a-password-of-the-service';
    const recorded = `must not be in the log: ${secret.length} ${createHash('sha256').update(secret).digest('hex')}\n`;
    const logs: Record<string, string> = {
      1: logOf(life, done),
      2: `${recorded}*** ${secret} ${text}`,
      3: `${recorded}***`,
      4: text,
    };
    const names: Record<string, string> = { 1: 'action / life (x)', 2: 'leaking', 3: 'silent', 4: 'unrecorded' };
    const check = (name: string) =>
      serving(
        ({ url = '' }, response) => {
          const id = /\/actions\/jobs\/(\d)\/logs$/.exec(url)?.[1] ?? '';
          const list = { jobs: Object.entries(names).map(([one, job]) => ({ id: Number(one), name: job })) };
          response.end(id ? logs[id] : JSON.stringify(list));
        },
        async (url) => {
          const collected: Script[] = [];
          const env = { GITHUB_API_URL: url, GITHUB_REPOSITORY: 'o/r', GITHUB_RUN_ID: '1', GITHUB_RUN_ATTEMPT: '1' };
          const step = {
            id: undefined,
            job: 'logs',
            name,
            uses: undefined,
            with: {},
            env: { GITHUB_TOKEN: 'x' },
            earlier: [],
            later: [],
            say: () => {},
          };
          const script = `node tools/jobs/log.ts check ${name} '${text}'`;
          await scripts({ env, done: collected })({ ...step, run: script }).catch(() => undefined);
          return collected.map(({ code, output }) => `${code} ${output.trim()}`);
        },
      );
    expect(workflow('real-runners')).toContain(`node tools/jobs/log.ts check life '${text}'`);
    expect(await check('life')).toEqual(['0 action / life (x): fine']);
    expect(await check('leaking')).toEqual(['1 leaking: a secret of 25 characters is in the log']);
    expect(await check('silent')).toEqual([`1 silent: the log does not say "${text}"`]);
    expect(await check('unrecorded')).toEqual(['1 unrecorded: nothing was recorded; nothing in the log is masked']);
    expect((await check('other')).join()).toContain('no job of this run is called "other…"');
  });
});

describe('check.yml', () => {
  const lastStep = (results: Record<string, string>) => {
    const needs = Object.values(results).join(' ');
    const [, script = ''] = /RESULTS: .*\n {8}run: \|\n([\s\S]*)$/.exec(workflow('check')) ?? [];
    return spawnSync('bash', ['-eo', 'pipefail', '-c', script], { env: { RESULTS: needs } }).status;
  };

  it.each(['failure', 'cancelled', 'skipped'])('fails as a whole if the result of one job is %s', (result) => {
    expect(lastStep({ check: 'success', windows: 'success' })).toBe(0);
    expect(lastStep({ check: 'success', windows: result, dist: 'success' })).toBe(1);
  });
});

it.each([
  ['hands over the right dist', [], ['npm run build', 'actions/upload-artifact']],
  ['hands over nothing if dist cannot be built', ['npm run build'], ['npm run build']],
])('check.yml %s if the committed one is out of date, and fails as a whole', async (_, broken, then) => {
  const did: string[] = [];
  const last = scripts({ done: [] });
  const played = await playWorkflow(workflow('check'), {
    event: push({ ref: 'refs/heads/main' }),
    vars: {},
    secrets: {},
    inputs: {},
    script: (step) => {
      if (step.job === 'dist') did.push(step.run ?? step.uses?.split('@')[0] ?? '');
      if (['npm run build -- --check', ...broken].includes(step.run ?? ''))
        throw new ScriptFailed('dist is out of date');
      return step.job === 'all' ? last(step) : undefined;
    },
  });
  const checkouts = ['actions/checkout', 'actions/setup-node', 'npm ci'];
  expect(did).toEqual([...checkouts, 'npm run build -- --check', ...then]);
  const results = Object.fromEntries((played?.jobs ?? []).map(({ id, result }) => [id, result]));
  expect(results).toEqual({ check: 'success', windows: 'success', dist: 'failure', action: 'success', all: 'failure' });
});

describe('live.yml', () => {
  /** The scripts that run, with the live test itself, which fails, replaced. */
  const played = async (secrets: Record<string, string>) => {
    const done: Script[] = [];
    const run = scripts({ done });
    const ran: string[] = [];
    const workflowRun = await playWorkflow(workflow('live'), {
      ...{ event: schedule(), vars: {}, secrets, inputs: {} },
      script: (step) => {
        if (!step.run?.startsWith('npm')) return run(step);
        ran.push(step.run);
        if (step.run.endsWith('--yes')) throw new ScriptFailed();
        return undefined;
      },
    });
    return { result: workflowRun?.jobs[0]?.result, ran, summary: done[0]?.summary };
  };

  it('does nothing without a key', async () => {
    const summary = 'Skipped: environment `live` has no secret `LIVE_API_KEY`.\n';
    expect(await played({})).toEqual({ result: 'success', ran: [], summary });
  });

  it('cleans up once more if the live test fails', async () => {
    const ran = ['npm ci', 'npm run live -- --yes', 'npm run live -- --clean'];
    expect(await played({ LIVE_API_KEY: 'x' })).toEqual({ result: 'failure', ran, summary: '' });
  });
});
