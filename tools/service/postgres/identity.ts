import { chmodSync, cpSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { accessibleToAll, type Binaries } from './binaries.ts';

/** The user that runs the servers: the caller, or `nobody` if the caller is root, because Postgres refuses to run as root. */
export interface Identity {
  uid?: number;
  gid?: number;
}

export function identity(): Identity {
  if (process.getuid?.() !== 0) return {};
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith('nobody:'));
  const [, , uid, gid] = line?.split(':') ?? [];
  if (uid === undefined || gid === undefined)
    throw new Error('Postgres does not run as root, and there is no user "nobody"');
  return { uid: Number(uid), gid: Number(gid) };
}

/** A folder for temporary files that the user can enter. */
export function temporaryRoot({ uid }: Identity): string {
  if (uid === undefined) return tmpdir();
  const roots = [tmpdir(), '/tmp', '/var/tmp'];
  const root = roots.find((path) => accessibleToAll(path));
  if (root === undefined) throw new Error(`the user "nobody" has no access to any of the folders ${roots.join(', ')}`);
  return root;
}

/** The binaries, copied to the folder if the user has no access to them, for example in root's home directory. */
export function accessibleBinaries(programs: Binaries, folder: string, { uid }: Identity): Binaries {
  if (uid === undefined || (accessibleToAll(programs.postgres) && accessibleToAll(programs.initdb))) return programs;
  const native = dirname(dirname(programs.postgres));
  const copy = join(folder, 'native');
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  chmodSync(copy, 0o755);
  return {
    initdb: join(copy, 'bin', basename(programs.initdb)),
    postgres: join(copy, 'bin', basename(programs.postgres)),
  };
}
