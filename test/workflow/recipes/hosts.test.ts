import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { pullRequest } from '../../../tools/runner/events.ts';
import { type OtherStep, ScriptFailed } from '../../../tools/runner/workflow/play.ts';
import { type Service, startService } from '../../../tools/service/index.ts';
import { playExample, results } from '../../support/workflow/example.ts';
import { recipes } from './recipes.ts';

/** Previews on the hosts. Their own actions and command-line tools are not run: a stand-in records what they would be given. */
let service: Service;
beforeAll(async () => {
  service = await startService({ compute: 'none' });
});
afterAll(() => service?.stop());
afterEach(async () => {
  if (service.branch('preview/pr-7')) await service.removeBranch('preview/pr-7');
});

const hosts = recipes.filter((name) => name.startsWith('nextjs-'));

/** The connection URI that a step is given, and whether Prisma's parameters for a pooler are in it. */
const connection = (uri = '') => ({
  host: new URL(uri).host,
  pooled: new URL(uri).searchParams.get('pgbouncer') === 'true',
});
const expected = (pooled: boolean) => ({
  host: new URL(service.uri('preview/pr-7', { pooled })).host,
  pooled,
});

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
    expect(connection(migrate?.env.DATABASE_URL)).toEqual(expected(false));
    const uris = [
      ...(deploy?.env.DATABASE_URL === undefined ? [] : [deploy.env.DATABASE_URL]),
      ...['secrets', 'build_secrets'].flatMap((input) => deploy?.with[input]?.replace('DATABASE_URL=', '') ?? []),
    ];
    expect(uris.length).toBeGreaterThan(0);
    for (const uri of uris) expect(connection(uri)).toEqual(expected(true));

    // before any install script
    const order = played.jobs[0]?.steps.map((step) => (step.inputs ? 'ours' : step.name)) ?? [];
    expect(order.indexOf('ours')).toBeLessThan(order.indexOf('npm ci'));
  });

  it('reuses the branch on a push, and deletes it on close, even if the host fails', async () => {
    const { id } = await service.addBranch({ name: 'preview/pr-7' });
    await play(name, { action: 'synchronize' });
    expect(service.branch('preview/pr-7')?.id).toBe(id);
    const { played, names } = await play(name, { action: 'closed', merged: true }, (step) => {
      if (/^(Delete|Remove) the /.test(step.name)) throw new ScriptFailed();
    });
    expect(service.branch('preview/pr-7')).toBeUndefined();
    // Vercel deletes old deployments itself
    const cleans = name !== 'nextjs-vercel.yml';
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
