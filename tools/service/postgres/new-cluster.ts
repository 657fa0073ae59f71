import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../files.ts';
import type { Binaries } from './binaries.ts';
import type { Identity } from './identity.ts';

const options = [
  ...['-U', 'cloud_admin', '--auth=trust', '--no-sync', '--no-data-checksums'],
  ...['--wal-segsize=1', '--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
  '--no-instructions',
];

/** Runs a command of this machine and waits for it to exit. */
type Run = (command: string, args: string[]) => Promise<{ code: number; stderr: string }>;

/**
 * Makes a new cluster in a folder that does not exist yet. `initdb` takes a second of processor time and always writes the same, so it
 * runs once for each version of Postgres and each user, and its result is kept in `build`.
 */
export async function newCluster(cluster: {
  folder: string;
  /** as installed, not as copied for the user */
  installed: Binaries;
  user: Identity;
  /** as the user that runs the servers */
  initdb: (args: string[]) => ReturnType<Run>;
  /** as the user of this process, so that owners can be kept */
  copy: Run;
}): Promise<void> {
  const { folder, installed, user } = cluster;
  const { size, mtimeMs } = statSync(installed.initdb);
  const version = createHash('sha256').update(JSON.stringify([options, installed.initdb, size, mtimeMs, user]));
  const kept = join(ROOT, 'build/initdb', version.digest('hex').slice(0, 16));
  if (existsSync(kept) && (await cluster.copy('cp', ['-a', kept, folder])).code === 0) return;
  // a copy that failed may have left a part
  rmSync(folder, { recursive: true, force: true });
  const { code, stderr } = await cluster.initdb(['-D', folder, ...options]);
  if (code !== 0) throw new Error(`initdb failed: ${stderr}`);
  const part = `${kept}.${randomUUID()}`;
  try {
    mkdirSync(join(ROOT, 'build/initdb'), { recursive: true });
    if ((await cluster.copy('cp', ['-a', folder, part])).code === 0) renameSync(part, kept);
  } catch {
    // Another process has kept it first, or the folder is read-only. It only takes longer.
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
}
