import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { pullRequest } from '../../../tools/runner/events.ts';
import { type OtherStep, ScriptFailed } from '../../../tools/runner/workflow/play.ts';
import { type Service, startService } from '../../../tools/service/index.ts';
import { playExample, results } from '../../support/workflow/example.ts';

/** Previews on the hosts. Their own actions and command-line tools are not run: a stand-in records what they would be given. */
let service: Service;
beforeAll(async () => {
  service = await startService({ compute: 'none' });
});
afterAll(() => service?.stop());
afterEach(async () => {
  if (service.branch('preview/pr-7')) await service.removeBranch('preview/pr-7');
});

const hosts = ['drizzle-vercel.yml', 'nextjs-cloudflare.yml'];

const host = (uri = '') => new URL(uri).host;
const expected = (pooled: boolean) => host(service.uri('preview/pr-7', { pooled }));

async function play(name: string, options: Parameters<typeof pullRequest>[0], script?: (step: OtherStep) => void) {
  const steps: OtherStep[] = [];
  const played = await playExample(name, {
    service,
    event: pullRequest(options),
    ...(options?.fork !== undefined && { secrets: {} }),
    script: (step) => {
      steps.push(step);
      script?.(step);
      if (step.name === 'Build and deploy') return { url: 'https://preview.example' };
    },
  });
  return { played, steps, names: steps.map((step) => step.name) };
}

describe.each(hosts)('%s', (name) => {
  it('migrates with the direct connection, then builds and deploys with the pooled one', async () => {
    const { played, steps } = await play(name, { action: 'opened' });
    expect(results(played)).toEqual(['deploy: success', 'delete: skipped']);
    const [migrate, deploy] = steps.filter((step) => ['Migrate', 'Build and deploy'].includes(step.name));
    expect(migrate?.name).toBe('Migrate');
    expect(host(migrate?.env.DATABASE_URL)).toBe(expected(false));
    expect(host(deploy?.env.DATABASE_URL)).toBe(expected(true));
    const prisma = new URL(deploy?.env.DATABASE_URL ?? '').searchParams.get('pgbouncer');
    expect(prisma).toBe(name === 'nextjs-cloudflare.yml' ? 'true' : null);

    // before any install script
    const order = played.jobs[0]?.steps.map((step) => (step.inputs ? 'ours' : step.name)) ?? [];
    expect(order.indexOf('ours')).toBeLessThan(order.indexOf('npm ci'));
  });

  it('reuses the branch on a push, and deletes it on close, even if the host fails', async () => {
    await play(name, { action: 'opened' });
    const id = service.branch('preview/pr-7')?.id;
    await play(name, { action: 'synchronize' });
    expect(service.branch('preview/pr-7')?.id).toBe(id);
    const { played, names } = await play(name, { action: 'closed', merged: true }, (step) => {
      if (/^(Delete|Remove) the /.test(step.name)) throw new ScriptFailed();
    });
    expect(service.branch('preview/pr-7')).toBeUndefined();
    // Vercel deletes old deployments itself
    const cleans = name !== 'drizzle-vercel.yml';
    expect(names.some((step) => /^(Delete|Remove) the /.test(step))).toBe(cleans);
    expect(results(played)).toEqual(['deploy: skipped', `delete: ${cleans ? 'failure' : 'success'}`]);
  });

  it.each([{ fork: 'somebody/octo-repo' }, { author: 'dependabot[bot]' }])('does nothing for %o', async (of) => {
    for (const action of ['opened', 'closed'] as const) {
      const { played } = await play(name, { action, ...of });
      expect(results(played)).toEqual(['deploy: skipped', 'delete: skipped']);
    }
  });
});

describe('drizzle-vercel.yml', () => {
  it('hands out only a branch that is anonymized', async () => {
    await service.addBranch({ name: 'preview/pr-7' });
    const { played, names } = await play('drizzle-vercel.yml', { action: 'synchronize' });
    expect(results(played)).toEqual(['deploy: failure', 'delete: skipped']);
    expect(names).not.toContain('Migrate');
  });
});

describe('vercel-git.yml', () => {
  const name = 'vercel-git.yml';
  const after = ['Set the variable', 'Deploy again', 'Remove the variable'];

  it('gives the git branch its variable once, and removes it on close', async () => {
    const opened = await play(name, { action: 'opened' });
    expect(opened.names.filter((one) => after.includes(one))).toEqual(['Set the variable', 'Deploy again']);
    const [migrate, set] = ['Migrate', 'Set the variable'].map((of) => opened.steps.find((one) => one.name === of));
    expect([host(migrate?.env.DATABASE_URL), host(set?.env.DATABASE_URL)]).toEqual([expected(false), expected(true)]);
    expect(set?.env.GIT_BRANCH).toBe('feature/login');
    const pushed = await play(name, { action: 'synchronize' });
    expect(pushed.names.filter((one) => after.includes(one))).toEqual([]);
    const closed = await play(name, { action: 'closed' });
    expect(closed.names.filter((one) => after.includes(one))).toEqual(['Remove the variable']);
    expect(service.branch('preview/pr-7')).toBeUndefined();
  });
});
