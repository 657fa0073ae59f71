import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { freemem } from 'node:os';
import { join } from 'node:path';

/** What many Postgres clusters at once may need, several times over. */
const enough = 5 * 1024 ** 3;

/**
 * A folder in memory for temporary files, or undefined. Tests create thousands of small files and hundreds of Postgres clusters, which
 * takes a third to a tenth of the processor time there. It must have enough room, and must not be mounted with `noexec`.
 */
export function folderInMemory(folder = '/dev/shm', least = enough): string | undefined {
  let home: string | undefined;
  try {
    const { bavail, bsize } = statfsSync(folder);
    if (Math.min(bavail * bsize, freemem()) < least) return undefined;
    home = mkdtempSync(join(folder, 'try-'));
    const script = join(home, 'script');
    writeFileSync(script, '#!/bin/sh\n');
    chmodSync(script, 0o755);
    return spawnSync(script).status === 0 ? folder : undefined;
  } catch {
    // There is no such folder, or it is not ours to write to.
    return undefined;
  } finally {
    if (home !== undefined) rmSync(home, { recursive: true });
  }
}
