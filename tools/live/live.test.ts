import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { compileCache, ROOT, read } from '../files.ts';
import { NODE } from '../runner/runner.ts';
import { type Service, startService } from '../service/index.ts';
import { call } from '../service/test/client.ts';

interface Options {
  args?: string[];
  run?: string;
  on?: Service;
  stopAt?: RegExp;
}

/** `npm run live` as its users run it, word for word, against the local service. */
describe('npm run live', () => {
  let service: Service;
  /** how old what is created now will seem, in milliseconds */
  let ageMs = 0;
  beforeAll(async () => {
    service = await startService({ compute: 'none', operationMs: 20, now: () => Date.now() - ageMs });
  });
  afterEach(() => service.faults.clear());
  afterAll(() => service?.stop());

  /** Starts it, and sends it SIGTERM as soon as `stopAt` is printed. */
  async function live({ args = [], on = service, run = '', stopAt }: Options = {}) {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: { live: string } };
    const child = spawn(NODE, [...scripts.live.split(' ').slice(1), ...args], {
      cwd: ROOT,
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        NODE_COMPILE_CACHE: compileCache,
        LIVE_API_KEY: on.apiKey,
        LIVE_API_HOST: on.baseUrl,
        LIVE_RUN: run,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let stdout = '';
    let stderr = '';
    let isStopped = false;
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk;
      // Once: another signal could meet the process as it exits.
      if (!isStopped && stopAt?.test(stdout)) isStopped = child.kill('SIGTERM');
    });
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk));
    const [code] = await once(child, 'close');
    return { code, stdout, stderr };
  }

  async function projects(on = service): Promise<string[]> {
    const { body } = await call(on, 'GET', '/projects?limit=400');
    return (body as { projects: { name: string }[] }).projects.map(({ name }) => name);
  }

  it('says what it would create, and sends nothing without --yes', async () => {
    const before = service.requests.length;
    const { code, stdout, stderr } = await live();
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: '\nNothing was created. To start, run `npm run live -- --yes`.\n',
    });
    expect(stdout).toContain(`against ${service.baseUrl}, with the key in LIVE_API_KEY`);
    expect(stdout).toMatch(/create the project "database-branch-live-[0-9a-f]{12}"/);
    expect(stdout).toContain('It may cost');
    expect(service.requests.length).toBe(before);
  });

  it('passes, and leaves no project', async () => {
    const real = await startService({ operationMs: 20 });
    try {
      const { code, stdout, stderr } = await live({ args: ['--yes'], on: real });
      const failed = stdout.split('\n').filter((line) => line.includes('✗') || line.startsWith('- A'));
      expect({ code, stderr, failed }).toEqual({ code: 0, stderr: '', failed: [] });
      expect(stdout).toMatch(/\n\d\d checks passed, 0 failed, in [\d.]+ s\.\n$/);
      expect([...real.secrets].filter((secret) => stdout.includes(secret))).toEqual([]);
      expect(await projects(real)).toEqual(['local']);
      expect(real.violations).toEqual([]);
    } finally {
      await real.stop();
    }
  });

  it('deletes the project after a signal', async () => {
    const { code, stdout } = await live({ args: ['--yes'], stopAt: /Pull request #7 is opened/ });
    expect(code).toBe(1);
    expect(stdout).toContain('Stopped by SIGTERM. Cleaning up.');
    expect(stdout).toMatch(/Deleted project database-branch-live-[0-9a-f]{12}\./);
    expect(await projects()).toEqual(['local']);
  });

  it('deletes what a killed run has left, and no other project', async () => {
    const create = (name: string) => call(service, 'POST', '/projects', { body: { project: { name } } });
    ageMs = 3 * 3_600_000;
    await create('database-branch-live-0123456789ab');
    await create('database-branch-live-mine');
    await create('my-database-branch-live-0123456789ab');
    ageMs = 0;
    // may belong to a run that is still going on
    await create('database-branch-live-ba9876543210');
    await service.idle();
    service.faults.add({ method: 'POST', path: /\/branches$/, status: 403 });
    expect((await live({ args: ['--yes'] })).stdout).toContain('Leftover projects of earlier runs deleted: 1.');
    expect((await projects()).sort()).toEqual([
      'database-branch-live-ba9876543210',
      'database-branch-live-mine',
      'local',
      'my-database-branch-live-0123456789ab',
    ]);
    const { code, stdout } = await live({ args: ['--clean'], run: 'ba9876543210' });
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Leftover projects deleted: 1\n' });
    expect(await projects()).not.toContain('database-branch-live-ba9876543210');
  });
});
