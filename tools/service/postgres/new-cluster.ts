import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
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
 * Makes a new cluster in a folder that does not exist yet. `initdb` takes a second of processor time, so it runs once for each version of
 * Postgres and each user, and its result is kept. All clusters of a service must be copies of the same result, because a recovery replays
 * the log of one on another, and each run of `initdb` makes a system of its own.
 */
export async function newCluster(cluster: {
  folder: string;
  /** Where results are kept: a folder that several processes share and, if that can't be written, one of this process. */
  keptIn: { shared: string; own: string };
  /** as installed, not as copied for the user */
  installed: Binaries;
  user: Identity;
  /** as the user that runs the servers */
  initdb: (args: string[]) => ReturnType<Run>;
  /** as the user of this process, so that owners can be kept */
  copy: Run;
}): Promise<void> {
  const { folder, keptIn, installed, user } = cluster;
  const { size, mtimeMs } = statSync(installed.initdb);
  const hash = createHash('sha256').update(JSON.stringify([options, installed.initdb, size, mtimeMs, user]));
  const version = hash.digest('hex').slice(0, 16);
  const remove = (path: string) => rmSync(path, { recursive: true, force: true });
  const copyKept = async () => {
    const kept = [keptIn.own, keptIn.shared].map((place) => join(place, version)).find(existsSync);
    if (kept !== undefined && (await cluster.copy('cp', ['-a', kept, folder])).code === 0) return true;
    // a copy that failed may have left a part
    remove(folder);
    return false;
  };
  if (await copyKept()) return;
  const { code, stderr } = await cluster.initdb(['-D', folder, ...options]);
  if (code !== 0) throw new Error(`initdb failed: ${stderr}`);
  for (const place of [keptIn.shared, keptIn.own]) {
    const kept = join(place, version);
    const part = `${kept}.${randomUUID()}`;
    try {
      mkdirSync(place, { recursive: true });
      if ((await cluster.copy('cp', ['-a', folder, part])).code !== 0) continue;
      renameSync(part, kept);
      return;
    } catch {
      // Another process has kept its result first, or the place can't be written.
      if (existsSync(kept)) {
        remove(folder);
        if (await copyKept()) return;
        throw new Error(`could not copy ${kept}`);
      }
    } finally {
      remove(part);
    }
  }
}
