import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startService } from '../service/index.ts';
import { type GitHubEvent, pullRequest, push, schedule } from '../support/events.ts';
import { startGitHub } from '../support/github.ts';
import { Masker } from '../support/masks.ts';
import { type PlayedJob, playWorkflow, ScriptFailed } from '../support/workflow/play.ts';
import { type Script, scripts } from '../support/workflow/scripts.ts';
import { read } from '../unit/repository/files.ts';

/** This repository's own workflows, played with their scripts as far as that is possible without GitHub. */
let temp = '';
beforeEach(() => {
  temp = mkdtempSync(join(tmpdir(), 'workflows-'));
});
afterEach(() => rmSync(temp, { recursive: true, force: true }));

/** Serves HTTP for the duration of `work`. */
async function serving<T>(answer: RequestListener, work: (url: string) => Promise<T>): Promise<T> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** A workflow of this repository. Those that it calls are played by themselves, and succeed here. */
function workflow(name: string): string {
  const called = /^ {4}uses: \.\/\.github\/workflows\/.*$/gm;
  return read(`.github/workflows/${name}.yml`).replaceAll(called, "    steps: [{ run: 'true' }]");
}

describe('action.yml', () => {
  /** As check.yml calls it, on some of its runners. The service of each job is ended like an orphan on a runner. */
  async function play(event: GitHubEvent, runners: string) {
    const github = await startGitHub();
    github.state.addPull({ number: 7 });
    const done: Script[] = [];
    try {
      const text = workflow('action')
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

  it('passes for a push, and the check of its logs finds what it must', async () => {
    const { jobs, done } = await play(push({ ref: 'refs/heads/main' }), '[ubuntu-24.04, windows-2025]');
    expect(failures(jobs, done)).toEqual([]);
    const life = jobs.filter(({ id }) => id === 'life');
    expect(life).toHaveLength(2);
    const text = '`ephemeral: true`: Deleted branch "self/ephemeral"';
    expect(logOf(life, []).split(text)).toHaveLength(3);

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
          const step = { job: 'logs', name, uses: undefined, with: {}, env: { GITHUB_TOKEN: 'x' } };
          const script = `node test/runners/log.ts check ${name} '${text}'`;
          await scripts({ env, done: collected })({ ...step, run: script }).catch(() => undefined);
          return collected.map(({ code, output }) => `${code} ${output.trim()}`);
        },
      );
    expect(workflow('action')).toContain(`node test/runners/log.ts check life '${text}'`);
    expect(await check('life')).toEqual(['0 action / life (x): fine']);
    expect(await check('leaking')).toEqual(['1 leaking: a secret of 25 characters is in the log']);
    expect(await check('silent')).toEqual([`1 silent: the log does not say "${text}"`]);
    expect(await check('unrecorded')).toEqual(['1 unrecorded: nothing was recorded; nothing in the log is masked']);
    expect((await check('other')).join()).toContain('no job of this run is called "other…"');
  });

  it('passes for a pull request, whose own branch is not pruned', async () => {
    const { jobs, done } = await play(pullRequest({ number: 7 }), '[windows-2025]');
    expect(failures(jobs, done)).toEqual([]);
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

it('check.yml hands over the right dist if the committed one is out of date, and fails as a whole', async () => {
  const did: string[] = [];
  const last = scripts({ done: [] });
  const played = await playWorkflow(workflow('check'), {
    event: push({ ref: 'refs/heads/main' }),
    vars: {},
    secrets: {},
    inputs: {},
    script: (step) => {
      if (step.job === 'dist') did.push(step.run ?? step.uses?.split('@')[0] ?? '');
      if (step.run === 'npm run build -- --check') throw new ScriptFailed('dist is out of date');
      return step.job === 'all' ? last(step) : undefined;
    },
  });
  const checkouts = ['actions/checkout', 'actions/setup-node', 'npm ci'];
  expect(did).toEqual([...checkouts, 'npm run build -- --check', 'npm run build', 'actions/upload-artifact']);
  const results = Object.fromEntries((played?.jobs ?? []).map(({ id, result }) => [id, result]));
  expect(results).toEqual({ check: 'success', windows: 'success', dist: 'failure', action: 'success', all: 'failure' });
});

describe('live.yml', () => {
  const played = async (secrets: Record<string, string>, env: Record<string, string> = {}) => {
    const done: Script[] = [];
    const run = await playWorkflow(workflow('live'), {
      event: schedule(),
      vars: {},
      secrets,
      inputs: {},
      script: scripts({ env, done }),
    });
    return { result: run?.jobs[0]?.result, done };
  };

  it('does nothing without a key', async () => {
    const { result, done } = await played({});
    expect(result).toBe('success');
    expect(done.map(({ summary }) => summary)).toEqual(['Skipped: environment `live` has no secret `LIVE_API_KEY`.\n']);
  });

  it('tests the service, and cleans up once more', async () => {
    const service = await startService({ compute: 'none', operationMs: 20 });
    try {
      service.faults.add({ method: 'POST', path: /\/branches$/, status: 403 });
      const { result, done } = await played({ LIVE_API_KEY: service.apiKey }, { LIVE_API_HOST: service.baseUrl });
      expect(result).toBe('failure');
      expect(done.slice(1).map(({ step, code }) => [step.run, code])).toEqual([
        ['npm run live -- --yes', 1],
        ['npm run live -- --clean', 0],
      ]);
      expect(done[1]?.summary).toContain('### Live test failed');
      expect(
        service.requests.filter(({ method, path }) => method === 'DELETE' && /\/projects\/[^/]+$/.test(path)),
      ).toHaveLength(1);
    } finally {
      await service.stop();
    }
  });
});

/** A `gh` that notes its arguments, and answers with exit code 1 if they contain `failing`. */
function fakeGh(failing = 'nothing'): { path: string; calls: () => string[] } {
  const path = join(temp, 'bin');
  mkdirSync(path, { recursive: true });
  const script = `#!/usr/bin/env bash\necho "$*" >> '${temp}/calls'\n[[ "$*" != *'${failing}'* ]] || exit 1\n`;
  writeFileSync(join(path, 'gh'), script);
  chmodSync(join(path, 'gh'), 0o755);
  return { path, calls: () => readFileSync(join(temp, 'calls'), 'utf8').trim().split('\n') };
}

describe('release.yml', () => {
  /** The scripts of the job that publishes. */
  async function publish(gh: ReturnType<typeof fakeGh>): Promise<Script[]> {
    const done: Script[] = [];
    const run = scripts({ env: {}, path: [gh.path], done });
    await playWorkflow(workflow('release'), {
      event: push({ ref: 'refs/tags/v1.4.2' }),
      vars: {},
      secrets: {},
      inputs: {},
      script: (step) => (step.job === 'publish' ? run(step) : undefined),
    });
    return done;
  }

  it('publishes the files with their notes, and moves the major tag', async () => {
    const gh = fakeGh();
    expect((await publish(gh)).map(({ code }) => code)).toEqual([0, 0]);
    const [create = '', ...tags] = gh.calls();
    expect(create).toMatch(/^release create v1\.4\.2 --verify-tag --title v1\.4\.2 --notes-file release\/notes\.md /);
    expect(create).toMatch(/ release\/sbom\.cdx\.json release\/SHA256SUMS$/);
    expect(tags).toEqual([
      'api repos/octo-org/octo-repo/git/ref/tags/v1 --silent',
      expect.stringMatching(
        /^api --method PATCH repos\/octo-org\/octo-repo\/git\/refs\/tags\/v1 -f sha=[0-9a-f]{40} -F force=true/,
      ),
    ]);
  });

  it('creates the major tag if there is none', async () => {
    const gh = fakeGh('git/ref/tags/v1 ');
    expect((await publish(gh)).map(({ code }) => code)).toEqual([0, 0]);
    expect(gh.calls().at(-1)).toMatch(
      /^api --method POST repos\/octo-org\/octo-repo\/git\/refs -f ref=refs\/tags\/v1 -f sha=[0-9a-f]{40}/,
    );
  });

  it.each(['npm run build -- --check', 'npm run release'])('publishes nothing if `%s` fails', async (failing) => {
    const played = await playWorkflow(workflow('release'), {
      event: push({ ref: 'refs/tags/v1.4.2' }),
      vars: {},
      secrets: {},
      inputs: {},
      script: ({ run }) => {
        if (run === failing) throw new ScriptFailed(failing);
        return undefined;
      },
    });
    expect(played?.jobs.map(({ id, result }) => [id, result])).toEqual([
      ['check', 'success'],
      ['build', 'failure'],
      ['publish', 'skipped'],
    ]);
  });

  it('moves no tag if the release could not be created', async () => {
    const gh = fakeGh('release create');
    expect((await publish(gh)).map(({ code }) => code)).toEqual([1]);
    expect(gh.calls()).toHaveLength(1);
  });
});

describe('drift.yml', () => {
  it.each([
    ['opens an issue', '', 'issue create --title'],
    ['updates the open issue', '17', 'issue edit 17 --body'],
  ])('%s', async (_, open, last) => {
    const gh = fakeGh();
    writeFileSync(
      join(gh.path, 'gh'),
      `${readFileSync(join(gh.path, 'gh'), 'utf8')}case "$*" in *list*) echo '${open}';; esac\n`,
    );
    const done: Script[] = [];
    const run = scripts({ path: [gh.path], done });
    const played = await playWorkflow(workflow('drift'), {
      event: schedule(),
      vars: {},
      secrets: {},
      inputs: {},
      script: (step) =>
        step.job === 'report' ? run(step) : step.run === 'npm run drift' ? { report: 'gone: $(x)' } : undefined,
    });
    expect(played?.jobs.map(({ result }) => result)).toEqual(['success', 'success']);
    expect(gh.calls().at(-1)).toContain(last);
    expect(gh.calls().at(-1)).toContain('gone: $(x)');
  });

  it('opens none if nothing has changed', async () => {
    const played = await playWorkflow(workflow('drift'), {
      event: schedule(),
      vars: {},
      secrets: {},
      inputs: {},
      script: () => ({}),
    });
    expect(played?.jobs.map(({ result }) => result)).toEqual(['success', 'skipped']);
  });
});

describe('dist.yml', () => {
  interface TriggeringRun {
    conclusion: string;
    event: string;
    head_branch: string;
    head_sha: string;
    id: number;
    actor: { login: string };
    head_repository: { full_name: string };
  }
  const dependabots: TriggeringRun = {
    conclusion: 'failure',
    event: 'pull_request',
    head_branch: 'dependabot/npm_and_yarn/pg-8.24.0',
    head_sha: 'a1',
    id: 17,
    actor: { login: 'dependabot[bot]' },
    head_repository: { full_name: 'octo-org/octo-repo' },
  };

  /** The scripts that run once the check of a pull request has ended. */
  async function scriptsAfter(run: Partial<TriggeringRun>): Promise<string[]> {
    const ran: string[] = [];
    const { env } = push();
    const payload = { action: 'completed', workflow_run: { ...dependabots, ...run } };
    await playWorkflow(workflow('dist'), {
      event: { name: 'workflow_run', payload, env: { ...env, GITHUB_EVENT_NAME: 'workflow_run' } },
      vars: {},
      secrets: {},
      inputs: {},
      script: (step) => {
        if (step.run !== undefined) ran.push(`${step.run} (${step.env.BRANCH})`);
        return undefined;
      },
    });
    return ran;
  }

  it("commits dist to Dependabot's branch, and starts the check again", async () => {
    expect(await scriptsAfter({})).toEqual([
      'node scripts/commit-dist.ts build/dist (dependabot/npm_and_yarn/pg-8.24.0)',
      'gh workflow run check.yml --ref "$BRANCH" (dependabot/npm_and_yarn/pg-8.24.0)',
    ]);
  });

  it.each<[string, Partial<TriggeringRun>]>([
    ['a check that passed', { conclusion: 'success' }],
    ['a check of main', { event: 'push', head_branch: 'main' }],
    ['a pull request by someone else', { actor: { login: 'octocat' } }],
    ['a fork', { head_repository: { full_name: 'mallory/octo-repo' } }],
    ['another branch', { head_branch: 'main' }],
    ['an update of actions', { head_branch: 'dependabot/github_actions/actions-1a2b' }],
  ])('does nothing after %s', async (_, run) => {
    expect(await scriptsAfter(run)).toEqual([]);
  });
});

describe('scripts/commit-dist.ts', () => {
  const before = [{ path: 'dist/index.js' }, { path: 'dist/75.index.js' }];

  async function commit(folder: string, errors?: object[]) {
    const requests: { url: string; body: string }[] = [];
    const answer: RequestListener = async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      requests.push({ url: request.url ?? '', body });
      response.end(JSON.stringify(request.url === '/graphql' ? { data: {}, ...(errors && { errors }) } : before));
    };
    return serving(answer, async (url) => {
      const done: Script[] = [];
      const env = {
        GITHUB_API_URL: url,
        GITHUB_REPOSITORY: 'o/r',
        GITHUB_TOKEN: 't',
        BRANCH: 'dependabot/x',
        HEAD: 'a1',
      };
      const step = { job: 'commit', name: '', uses: undefined, with: {}, env: {} };
      await scripts({ env, done })({ ...step, run: `node scripts/commit-dist.ts '${folder}'` }).catch(() => undefined);
      return { requests, code: done[0]?.code, output: done[0]?.output ?? '' };
    });
  }

  it('commits the new files and deletes the old ones, only on top of the commit that was checked', async () => {
    writeFileSync(join(temp, 'index.js'), 'new');
    writeFileSync(join(temp, '80.index.js'), 'chunk');
    const { requests, code, output } = await commit(temp);
    expect({ code, output }).toEqual({ code: 0, output: 'Committed 2 files to dependabot/x\n' });
    expect(requests[0]?.url).toBe('/repos/o/r/contents/dist?ref=a1');
    const { input } = (JSON.parse(requests[1]?.body ?? '{}') as { variables: { input: object } }).variables;
    expect(input).toMatchObject({
      branch: { repositoryNameWithOwner: 'o/r', branchName: 'dependabot/x' },
      expectedHeadOid: 'a1',
      fileChanges: {
        additions: [
          { path: 'dist/80.index.js', contents: Buffer.from('chunk').toString('base64') },
          { path: 'dist/index.js', contents: Buffer.from('new').toString('base64') },
        ],
        deletions: [{ path: 'dist/75.index.js' }],
      },
    });
  });

  it.each<[string, (folder: string) => void]>([
    ['a folder', (folder) => mkdirSync(join(folder, 'more'))],
    ['a link', (folder) => symlinkSync('/etc/passwd', join(folder, 'passwd'))],
    ['an odd name', (folder) => writeFileSync(join(folder, '.gitattributes'), '')],
  ])('refuses %s, and sends nothing', async (_, add) => {
    writeFileSync(join(temp, 'index.js'), '');
    add(temp);
    const { requests, code, output } = await commit(temp);
    expect({ code, requests }).toEqual({ code: 1, requests: [] });
    expect(output).toContain('not a plain file');
  });

  it('fails if the branch has moved', async () => {
    writeFileSync(join(temp, 'index.js'), '');
    const { code, output } = await commit(temp, [{ message: 'Expected branch to point to "a1"' }]);
    expect({ code, output }).toEqual({ code: 1, output: 'Expected branch to point to "a1"\n' });
  });
});
