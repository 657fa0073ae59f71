import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Service, startService } from '../../service/index.ts';

const CLI = join(dirname(createRequire(import.meta.url).resolve('neonctl/package.json')), 'bin', 'cli.js');
let service: Service;
let home: string;

beforeAll(async () => {
  service = await startService({ compute: 'none', operationMs: 0 });
  home = mkdtempSync(join(tmpdir(), 'neonctl-'));
});

afterAll(async () => {
  const { violations } = service;
  await service.stop();
  rmSync(home, { recursive: true, force: true });
  expect(violations).toEqual([]);
});

/** Runs the official command-line client against the service. Returns its output, parsed if it is JSON. */
// biome-ignore lint/suspicious/noExplicitAny: the client prints JSON of every shape
function neonctl(...args: string[]): Promise<any> {
  const connection = ['--api-host', service.baseUrl, '--api-key', service.apiKey, '--config-dir', home];
  const output = ['--no-analytics', '--output', 'json'];
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
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [CLI, ...args, ...connection, ...output],
      { cwd: home, env },
      (error, stdout, stderr) => {
        if (error) return reject(new Error(`neonctl ${args.join(' ')}: ${stderr}`));
        try {
          resolve(JSON.parse(stdout));
        } catch {
          resolve(stdout.trim());
        }
      },
    );
  });
}

it('works with the official command-line client', async () => {
  const project = ['--project-id', service.projectId];
  expect((await neonctl('me')).email).toContain('@');
  expect((await neonctl('projects', 'get', service.projectId)).id).toBe(service.projectId);
  expect(await neonctl('branches', 'list', ...project)).toMatchObject([{ name: 'main', default: true }]);
  const created = await neonctl('branches', 'create', '--name', 'preview/pr-1', ...project);
  expect(created.branch).toMatchObject({ name: 'preview/pr-1', parent_id: service.main.id });
  expect(await neonctl('branches', 'get', 'preview/pr-1', ...project)).toMatchObject({ id: created.branch.id });
  const uri = service.uri('preview/pr-1');
  expect(await neonctl('connection-string', 'preview/pr-1', ...project)).toBe(uri);
  expect(await neonctl('connection-string', 'preview/pr-1', '--pooled', ...project)).toBe(
    service.uri('preview/pr-1', { pooled: true }),
  );
  expect(await neonctl('roles', 'list', '--branch', 'preview/pr-1', ...project)).toMatchObject([
    { name: 'neondb_owner' },
  ]);
  expect(await neonctl('databases', 'list', '--branch', 'preview/pr-1', ...project)).toMatchObject([
    { name: 'neondb' },
  ]);
  expect((await neonctl('operations', 'list', ...project)).length).toBeGreaterThan(2);
  await neonctl('branches', 'reset', 'preview/pr-1', '--parent', ...project);
  await service.idle();
  expect(service.branch('preview/pr-1')?.last_reset_at).toBeDefined();
  expect(await neonctl('branches', 'delete', 'preview/pr-1', ...project)).toMatchObject({ id: created.branch.id });
  await service.idle();
  expect(service.branches()).toHaveLength(1);
  await expect(neonctl('branches', 'get', 'preview/pr-1', ...project)).rejects.toThrow(/not found/);
});
