import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { newCluster } from '../postgres/new-cluster.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'new-cluster-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const all = { initdb: process.execPath, postgres: process.execPath };

/** Makes a new cluster in this service, as `initdb` would, and returns the ID of its system. */
async function make(service: string, name: string, shared = join(folder, 'shared')): Promise<string> {
  const path = join(folder, service, name);
  mkdirSync(join(folder, service), { recursive: true });
  await newCluster({
    folder: path,
    keptIn: { shared, own: join(folder, service, 'initdb') },
    installed: all,
    user: {},
    initdb: async ([, target = '']) => {
      mkdirSync(target);
      writeFileSync(join(target, 'system'), randomUUID());
      // the others start meanwhile
      await new Promise((resolve) => setImmediate(resolve));
      return { code: 0, stderr: '' };
    },
    copy: async (command, args) => {
      execFileSync(command, args);
      return { code: 0, stderr: '' };
    },
  });
  return readFileSync(join(path, 'system'), 'utf8');
}

it('copies every cluster from the same result of initdb, even if several processes start at once', async () => {
  const first = await Promise.all(['a', 'b', 'c'].map((service) => make(service, '1')));
  const second = await Promise.all(['a', 'b', 'c'].map((service) => make(service, '2')));
  expect(new Set([...first, ...second]).size).toBe(1);
  expect(readdirSync(join(folder, 'shared'))).toHaveLength(1);
});

it('does so within a service if the shared folder cannot be written', async () => {
  const shared = join(folder, 'file', 'initdb');
  writeFileSync(join(folder, 'file'), '');
  const made = [await make('a', '1', shared), await make('a', '2', shared)];
  expect(new Set(made).size).toBe(1);
  expect(existsSync(shared)).toBe(false);
});
