import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Service, startService } from '../../../tools/service/index.ts';

/** The official command-line client: its file in today's package, and in an old one. */
const clients = { 'neonctl-2.22': 'cli.js', neon: 'dist/cli.js' };

/** Runs a command of the client against a service; returns its output, parsed if it is JSON. */
// biome-ignore lint/suspicious/noExplicitAny: the client prints JSON of every shape
type Run = (...args: string[]) => Promise<any>;

/** A client with a service and a home of its own, until the end of the test. */
async function withClient(name: keyof typeof clients): Promise<{ service: Service; run: Run; project: string[] }> {
  const cli = join(import.meta.dirname, 'node_modules', name, clients[name]);
  if (!existsSync(cli)) throw new Error('First install the clients: npm ci --prefix test/clients/neonctl');
  const home = mkdtempSync(join(tmpdir(), 'neonctl-'));
  const service = await startService({ compute: 'none', operationMs: 0 });
  onTestFinished(async () => {
    await service.stop();
    rmSync(home, { recursive: true, force: true });
  });
  const options = ['--api-host', service.baseUrl, '--api-key', service.apiKey, '--config-dir', home];
  // The proxy does not exist, so requests to any other host fail.
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    CI: 'true',
    NO_COLOR: '1',
    HTTPS_PROXY: 'http://127.0.0.1:9',
    // compiled once instead of for each command
    NODE_COMPILE_CACHE: join(home, 'compile-cache'),
  };
  const run: Run = (...args) =>
    new Promise((resolve, reject) => {
      const all = [cli, ...args, ...options, '--no-analytics', '--output', 'json'];
      execFile(process.execPath, all, { cwd: home, env }, (error, stdout, stderr) => {
        if (error) return reject(new Error(`${name} ${args.join(' ')}: ${stderr}`));
        try {
          resolve(JSON.parse(stdout));
        } catch {
          resolve(stdout.trim());
        }
      });
    });
  return { service, run, project: ['--project-id', service.projectId] };
}

const names = Object.keys(clients) as (keyof typeof clients)[];

describe.concurrent('the official command-line client', () => {
  it.each(names)('%s works with the service', async (name) => {
    const { service, run, project } = await withClient(name);
    const expiry = new Date(Date.now() + 3_600_000).toISOString();
    const made = await run('branches', 'create', '--name', 'a', '--expires-at', expiry, ...project);
    expect(made.branch).toMatchObject({ name: 'a', parent_id: service.main.id, expires_at: expect.any(String) });
    for (const pooled of [false, true]) {
      const uri = await run('connection-string', 'a', ...(pooled ? ['--pooled'] : []), ...project);
      expect(uri).toBe(service.uri('a', { pooled }));
    }
    await run('branches', 'reset', 'a', '--parent', ...project);
    await service.idle();
    expect(service.branch('a')?.last_reset_at).toBeDefined();
    const self = `^self@${new Date(Date.now() - 1).toISOString()}`;
    await run('branches', 'restore', 'a', self, '--preserve-under-name', 'a-old', ...project);
    await service.idle();
    expect(service.branch('a')?.parent_id).toBe(service.branch('a-old')?.id);
    expect(await run('roles', 'list', '--branch', 'a', ...project)).toMatchObject([{ name: 'neondb_owner' }]);
    await run('branches', 'delete', 'a', ...project);
    await service.idle();
    expect(service.branch('a')).toBeUndefined();
    await expect(run('branches', 'get', 'a', ...project)).rejects.toThrow(/not found/);
    expect(service.violations).toEqual([]);
  });

  it('can use snapshots, Auth, the Data API and keys of the organization', async () => {
    const { service, run, project } = await withClient('neon');
    const on = ['--branch', 'main', ...project];
    const snapshot = await run('snapshots', 'create', '--name', 'before', ...on);
    await service.idle();
    await run('snapshots', 'restore', snapshot.id, '--name', 'recovered', ...project);
    await service.idle();
    const restored = service.branch('recovered')?.id;
    await run('snapshots', 'finalize', 'recovered', ...project);
    await service.idle();
    expect([service.branch('main')?.id, service.branch('main (old)')?.id]).toEqual([restored, service.main.id]);
    await run('snapshots', 'delete', snapshot.id, ...project);
    expect(await run('snapshots', 'list', ...project)).toEqual([]);

    const database = ['--database', 'neondb', ...on];
    await run('neon-auth', 'enable', ...on);
    await run('data-api', 'create', ...database);
    await run('data-api', 'update', '--db-max-rows', '5', ...database);
    expect(await run('data-api', 'get', ...database)).toMatchObject({ settings: { db_max_rows: 5 } });
    await run('data-api', 'delete', ...database);
    await run('neon-auth', 'disable', ...on);

    const [{ id }] = await run('orgs', 'list');
    const key = await run('api-keys', 'create', '--name', 'ci', '--org-id', id);
    await run('api-keys', 'revoke', String(key.id), '--org-id', id);
    expect(await run('api-keys', 'list', '--org-id', id)).toEqual([]);
    expect(service.violations).toEqual([]);
  });

  it('lists what the local service does not have, and recovers a project', async () => {
    const { service, run, project } = await withClient('neon');
    const on = ['--branch', 'main', ...project];
    for (const what of ['buckets', 'functions', 'credentials'])
      expect(await run(what, 'list', ...on), what).toEqual([]);
    const [{ id: organization }] = await run('orgs', 'list');
    const vpc = ['--org-id', organization, '--region-id', 'aws-us-east-2'];
    expect(await run('vpc', 'endpoint', 'list', ...vpc)).toEqual([]);
    await run('neon-auth', 'enable', ...on);
    expect(await run('neon-auth', 'domain', 'list', ...on)).toEqual([]);
    expect(await run('status', ...on)).toMatchObject({ project: { id: service.projectId } });
    expect(await run('config', 'status', ...on)).toMatchObject({ project: { id: service.projectId } });
    await run('env', 'pull', ...on);
    expect(await run('credentials', 'list', ...on)).toHaveLength(1);

    const other = (await run('projects', 'create', '--name', 'other')).project.id;
    await service.idle();
    await run('projects', 'delete', other);
    await run('projects', 'recover', other);
    expect(await run('projects', 'get', other)).toMatchObject({ name: 'other' });
    expect(service.violations).toEqual([]);
  });
});
