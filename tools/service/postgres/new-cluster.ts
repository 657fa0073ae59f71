import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Identity } from './identity.ts';

const options = [
  ...['-U', 'cloud_admin', '--auth=trust', '--no-sync', '--no-data-checksums'],
  ...['--wal-segsize=1', '--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
  '--no-instructions',
];

/** Runs a command of this machine and waits for it to exit. */
type Run = (args: string[]) => Promise<{ code: number; stderr: string }>;

/** A folder for the result of this `initdb`, as installed, and run by this user. */
export function keptCluster(folder: string, initdb: string, user: Identity): string {
  const { size, mtimeMs } = statSync(initdb);
  const hash = createHash('sha256').update(JSON.stringify([options, initdb, size, mtimeMs, user]));
  return join(folder, hash.digest('hex').slice(0, 16));
}

/**
 * Returns the folder of a new cluster, to be copied. `initdb` takes a second of processor time, so its result is kept for later services,
 * if that place can be written. All clusters of a service must be copies of the same one, because a recovery replays the log of one on another.
 */
export async function pristineCluster(places: { kept: string; own: string; initdb: Run; copy: Run }): Promise<string> {
  const { kept, own, initdb, copy } = places;
  if (existsSync(kept)) return kept;
  const { code, stderr } = await initdb(['-D', own, ...options]);
  if (code !== 0) throw new Error(`initdb failed: ${stderr}`);
  const part = `${kept}.${randomUUID()}`;
  try {
    mkdirSync(dirname(kept), { recursive: true });
    if ((await copy(['-a', own, part])).code === 0) renameSync(part, kept);
  } catch {
    // The place can't be written, or another service was first.
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
  return own;
}
