import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type GitHub, startGitHub } from '../../../tools/github/index.ts';
import { parseCommandFile } from '../../../tools/runner/command-files.ts';
import { type GitHubEvent, pullRequest, push, schedule } from '../../../tools/runner/events.ts';
import type { OtherStep } from '../../../tools/runner/workflow/play.ts';
import { type Service, startService } from '../../../tools/service/index.ts';
import { type ExampleOptions, playExample, results } from '../../support/workflow/example.ts';

/** One service for all of these: main has a role `app`, and the databases `shop` and `blog` next to `neondb`. */
let service: Service;
let github: GitHub;
beforeAll(async () => {
  service = await startService({ compute: 'none', roles: ['app'], databases: ['shop', 'blog'] });
  github = await startGitHub();
});
afterAll(async () => {
  await service?.stop();
  await github?.close();
});
afterEach(async () => {
  for (const name of branches().filter((one) => one !== 'main')) await service.removeBranch(name);
});

const branches = () => service.branches().map((branch) => branch.name);

/** Plays an example, and records the scripts and other actions that it would run. */
async function play(name: string, event: GitHubEvent, options: Partial<ExampleOptions> = {}) {
  const steps: OtherStep[] = [];
  const played = await playExample(name, {
    service,
    event,
    env: { ...github.env },
    ...options,
    script: (step) => {
      steps.push(step);
      return options.script?.(step);
    },
  });
  const uriOf = (step: string) => steps.filter((one) => one.name === step).map(({ env }) => env.DATABASE_URL);
  return { played, results: results(played), steps, uriOf };
}

const closed = pullRequest({ action: 'closed' });
const fork = pullRequest({ fork: 'somebody/octo-repo' });

describe('monorepo-two-databases.yml', () => {
  const name = 'monorepo-two-databases.yml';

  it('gives each application its database on the same branch', async () => {
    const opened = await play(name, pullRequest());
    expect(opened.results).toEqual(['database: success', 'test: success', 'test: success']);
    const expected = ['shop', 'blog'].map((database) => service.uri('preview/pr-7', { database }));
    expect(opened.uriOf('Migrate and test').sort()).toEqual(expected.sort());
    expect((await play(name, closed)).results).toEqual(['database: success', 'test: skipped']);
    expect(branches()).toEqual(['main']);
  });

  it('does not run for forks', async () => {
    expect((await play(name, fork, { secrets: {} })).results).toEqual(['database: skipped', 'test: skipped']);
  });
});

describe('migration-and-runtime-role.yml', () => {
  it('migrates as the owner, and tests as the application', async () => {
    const uris: Record<string, string> = {};
    const { uriOf, results: all } = await play('migration-and-runtime-role.yml', push(), {
      script: (step) => {
        if (step.name === 'Migrate') uris.Migrate = service.uri('tests/77-1');
        if (step.name === 'Test') uris.Test = service.uri('tests/77-1', { role: 'app', pooled: true });
      },
    });
    expect(all).toEqual(['test: success']);
    expect(uriOf('Migrate')).toEqual([uris.Migrate]);
    expect(uriOf('Test')).toEqual([uris.Test]);
    expect(branches()).toEqual(['main']);
  });
});

describe('staging-reset.yml', () => {
  const name = 'staging-reset.yml';
  const restores = (since: number) =>
    service.requests.slice(since).filter(({ path, status }) => path.endsWith('/restore') && status === 200).length;

  it('creates staging the first time, and resets it later', async () => {
    const before = service.requests.length;
    const first = await play(name, schedule());
    expect(first.results).toEqual(['reset: success', 'prune: success']);
    expect(restores(before)).toBe(0);
    const uri = service.uri('staging');
    expect(first.uriOf('Migrate')).toEqual([uri]);

    const second = await play(name, schedule());
    expect(second.results).toEqual(['reset: success', 'prune: success']);
    expect(restores(before)).toBe(1);
    expect(second.uriOf('Migrate')).toEqual([uri]);
  });

  it('keeps staging when other branches of the same age are pruned', async () => {
    const annotations = { 'github-commit-repo': 'octo-org/octo-repo', 'github-commit-ref': 'main' };
    const createdAt = Date.now() - 40 * 86_400_000;
    await service.addBranch({ name: 'staging', annotations, createdAt });
    await service.addBranch({ name: 'forgotten', annotations, createdAt });
    expect((await play(name, schedule())).results).toEqual(['reset: success', 'prune: success']);
    expect(branches().sort()).toEqual(['main', 'staging']);
  });
});

describe('preview-on-schema-change.yml', () => {
  const name = 'preview-on-schema-change.yml';
  /** Runs the script that decides, with a `gh` that lists these files. */
  const changing = (...files: string[]) => ({
    script: ({ name: step, run = '', env }: OtherStep) => {
      if (step !== 'Decide') return;
      const folder = mkdtempSync(join(tmpdir(), 'decide-'));
      try {
        writeFileSync(join(folder, 'gh'), `#!/bin/sh\nprintf '%s\\n' ${files.join(' ')}\n`, { mode: 0o755 });
        const output = join(folder, 'output');
        const PATH = `${folder}:${process.env.PATH}`;
        execFileSync('bash', ['--norc', '-e', '-c', run], { env: { ...env, PATH, GITHUB_OUTPUT: output } });
        return Object.fromEntries(parseCommandFile(readFileSync(output, 'utf8')).pairs);
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  });

  it('gives a pull request that changes the schema its own branch', async () => {
    const { uriOf } = await play(name, pullRequest(), changing('src/a.ts', 'migrations/1.sql'));
    expect(uriOf('Migrate')).toEqual([service.uri('preview/pr-7')]);
    expect(uriOf('Deploy')).toEqual([service.uri('preview/pr-7', { pooled: true })]);
  });

  it('lets the others share staging, and never migrates it', async () => {
    await service.addBranch({ name: 'staging' });
    const { uriOf } = await play(name, pullRequest(), changing('src/a.ts', 'docs/migrations/b.md'));
    expect(uriOf('Migrate')).toEqual([]);
    expect(uriOf('Deploy')).toEqual([service.uri('staging', { pooled: true })]);
    expect(branches().sort()).toEqual(['main', 'staging']);
  });

  it('gives one its own branch when it gets the label, and keeps it on later pushes', async () => {
    await service.addBranch({ name: 'staging' });
    const labeled = pullRequest({ action: 'labeled', label: 'own database' });
    expect((await play(name, labeled, changing())).uriOf('Deploy')).toEqual([
      service.uri('preview/pr-7', { pooled: true }),
    ]);
    const pushed = pullRequest({ action: 'synchronize', labels: ['bug', 'own database'] });
    expect((await play(name, pushed, changing())).uriOf('Deploy')).toEqual([
      service.uri('preview/pr-7', { pooled: true }),
    ]);
  });

  it('ignores other labels', async () => {
    const other = pullRequest({ action: 'labeled', label: 'documentation' });
    expect((await play(name, other)).results).toEqual(['preview: skipped']);
  });

  it.each([true, false])('succeeds on close, whether there is a branch or not: %s', async (there) => {
    await service.addBranch({ name: 'staging' });
    if (there) await play(name, pullRequest(), changing('migrations/1.sql'));
    const { results: all, steps } = await play(name, closed);
    expect(all).toEqual(['preview: success']);
    expect(steps).toEqual([]);
    expect(branches().sort()).toEqual(['main', 'staging']);
  });
});

describe('organization-preview-caller.yml', () => {
  const name = 'organization-preview-caller.yml';
  const secrets = () => ({ NEON_API_KEY: service.apiKey });

  it('gets the branch from the reusable workflow, and reads its connection details itself', async () => {
    github.state.addPull({ number: 7 });
    const opened = await play(name, pullRequest(), { secrets: secrets() });
    expect(opened.results).toEqual(['database: success', 'deploy: success']);
    expect(opened.played.jobs[0]?.outputs).toEqual({ branch_id: service.branch('octo-repo/pr-7')?.id });
    expect(opened.uriOf('Migrate')).toEqual([service.uri('octo-repo/pr-7')]);
    expect(opened.uriOf('Deploy')).toEqual([service.uri('octo-repo/pr-7', { pooled: true })]);
    expect(github.state.comments.some(({ body }) => body.includes('octo-repo/pr-7'))).toBe(true);

    const { results: all } = await play(name, closed, { secrets: secrets() });
    expect(all).toEqual(['database: success', 'deploy: skipped']);
    expect(branches()).toEqual(['main']);
  });

  it('succeeds without a preview if there is no key', async () => {
    const { results: all } = await play(name, fork, { secrets: {} });
    expect(all).toEqual(['database: success', 'deploy: skipped']);
    expect(branches()).toEqual(['main']);
  });
});

describe('from-neon-actions.yml', () => {
  const name = 'from-neon-actions.yml';

  it("uses the branch that Neon's workflow created, and deletes it on close", async () => {
    github.state.addPull({ number: 7 });
    // Neon's action records whose branch it is, under the same keys.
    const annotations = { 'github-commit-repo': 'octo-org/octo-repo', 'github-pr-number': '7' };
    const { id } = await service.addBranch({ name: 'preview/pr-7-feature/login', annotations });
    const pushed = await play(name, pullRequest({ action: 'synchronize' }));
    expect(pushed.results).toEqual(['database: success', 'schema: success']);
    expect(pushed.played.jobs[0]?.outputs).toEqual({ branch_id: id });
    expect(pushed.uriOf('Migrate')).toEqual([service.uri('preview/pr-7-feature/login')]);
    expect((await play(name, closed)).results).toEqual(['database: success', 'schema: skipped']);
    expect(branches()).toEqual(['main']);
  });

  it('succeeds without a branch if there is no key', async () => {
    const { results: all } = await play(name, fork, { secrets: {} });
    expect(all).toEqual(['database: success', 'schema: skipped']);
  });
});

describe('organization-prune.yml', () => {
  it("prunes for each repository with the App's token, and says what it keeps", async () => {
    const day = 86_400_000;
    const of = (repository: string, number: number) => ({
      name: `${repository}/pr-${number}`,
      endpoint: false,
      createdAt: Date.now() - 9 * day,
      annotations: { 'github-commit-repo': `octo-org/${repository}`, 'github-pr-number': String(number) },
    });
    await service.addBranches([of('web', 1), of('web', 2), of('api', 1), of('other', 1)]);
    const web = github.addRepository('octo-org/web');
    web.addPull({ number: 1, state: 'closed', closedAt: new Date(Date.now() - 8 * day).toISOString() });
    web.addPull({ number: 2 });
    const { played } = await play('organization-prune.yml', schedule(), {
      script: ({ id }) => ({
        token: 'ghs_tokenOfThisRun',
        ...(id !== 'app' && { names: 'octo-org/web octo-org/api ' }),
      }),
    });
    const [run] = played.jobs.flatMap(({ steps }) => steps.flatMap((step) => step.run ?? []));
    expect(run?.annotations.warning.join()).toContain('octo-org/api');
    expect(branches().sort()).toEqual(['api/pr-1', 'main', 'other/pr-1', 'web/pr-2']);
  });
});
