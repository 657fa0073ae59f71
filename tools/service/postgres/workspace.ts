import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, copyFileSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../files.ts';
import { selfSigned } from '../certificate.ts';
import { type Binaries, binaries } from './binaries.ts';
import { configuration, hostAccess } from './configuration.ts';
import { accessibleBinaries, type Identity, identity, temporaryRoot } from './identity.ts';
import { keptCluster, pristineCluster } from './new-cluster.ts';

/**
 * Waits until the service ends, however it does, then stops the servers below the folder `$1` and deletes it. SIGQUIT is an immediate
 * shutdown; a server's last act is to delete its `postmaster.pid`. One that starts meanwhile ends by itself, without its files.
 */
const REAPER = `
trap '' INT TERM HUP
cat > /dev/null
signal() {
  for file in "$1"/*/data/postmaster.pid; do
    [ -f "$file" ] && kill "$2" "$(sed -n 1p "$file")" && left=1
  done 2> /dev/null
}
attempt=0
left=1
while [ -n "$left" ] && [ $attempt -lt 100 ]; do
  left=
  case $attempt in 0) signal "$1" -QUIT ;; 99) signal "$1" -KILL ;; *) signal "$1" -0 ;; esac
  attempt=$((attempt + 1))
  [ -z "$left" ] || sleep 0.05
done
until rm -rf "$1" 2> /dev/null || [ $attempt -ge 200 ]; do
  attempt=$((attempt + 1))
  sleep 0.05
done
`;

/** The folder with all data of a service, its processes, and the reaper that removes both. */
export class Workspace {
  readonly folder: string;
  readonly certificate: string;
  readonly certificateFile: string;
  readonly #identity: Identity;
  readonly #binaries: Binaries;
  readonly #reaper: ChildProcess;
  #folderCount = 0;
  #pristine: Promise<string> | undefined;

  private constructor(folder: string, user: Identity, programs: Binaries) {
    this.folder = folder;
    this.#identity = user;
    this.#binaries = programs;
    this.#reaper = spawn('sh', ['-c', REAPER, 'reaper', folder], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.#reaper.unref();
    const { key, cert } = selfSigned();
    this.certificate = cert;
    this.certificateFile = join(folder, 'server.crt');
    this.write(join(folder, 'server.key'), key, 0o600);
    this.write(this.certificateFile, cert);
  }

  static async create(): Promise<Workspace> {
    const user = identity();
    const folder = mkdtempSync(join(temporaryRoot(user), 'branches-'));
    if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
    return new Workspace(folder, user, accessibleBinaries(await binaries(), folder, user));
  }

  /** A new, empty folder. Its name is short because the path of a Unix socket must be. */
  newFolder(): string {
    const folder = join(this.folder, `b${++this.#folderCount}`);
    this.makeFolder(folder);
    return folder;
  }

  makeFolder(path: string): void {
    mkdirSync(path, { mode: 0o700 });
    this.#own(path);
  }

  write(path: string, content: string, mode = 0o644): void {
    writeFileSync(path, content, { mode });
    this.#own(path);
  }

  /** Copies a file, with its permissions. */
  copy(from: string, to: string): void {
    copyFileSync(from, to);
    this.#own(to);
  }

  /** Starts a Postgres server. */
  server(args: string[]): ChildProcess {
    return this.#start(this.#binaries.postgres, args, this.#identity);
  }

  /** Runs a command as the user that runs the servers, and waits for it to exit. */
  run(command: string, args: string[]): Promise<{ code: number; stderr: string }> {
    return this.#command(command, args, this.#identity);
  }

  async #command(command: string, args: string[], user: Identity): Promise<{ code: number; stderr: string }> {
    const child = this.#start(command, args, user);
    let stderr = '';
    child.stderr?.on('data', (chunk) => {
      stderr += chunk;
    });
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => resolve({ code: code ?? 1, stderr }));
    });
  }

  /** Stops all servers and deletes the folder. The reaper does it, as it would if the service were killed. */
  async close(): Promise<void> {
    const exited = once(this.#reaper, 'exit');
    this.#reaper.ref();
    this.#reaper.stdin?.end();
    await exited;
  }

  /** Makes the data directory of a new cluster. */
  async newCluster(path: string): Promise<void> {
    this.#pristine ??= this.#initialize();
    const { code, stderr } = await this.#command('cp', ['-a', await this.#pristine, path], {});
    if (code !== 0) throw new Error(`could not copy the new cluster: ${stderr}`);
    this.write(join(path, 'postgresql.conf'), configuration(this.folder), 0o600);
    this.write(join(path, 'pg_hba.conf'), hostAccess(), 0o600);
  }

  async #initialize(): Promise<string> {
    const { initdb } = await binaries();
    return pristineCluster({
      kept: keptCluster(join(ROOT, 'build/initdb'), initdb, this.#identity),
      own: join(this.folder, 'initdb'),
      initdb: (args) => this.run(this.#binaries.initdb, args),
      // as the user of this process, so that owners can be kept
      copy: (args) => this.#command('cp', args, {}),
    });
  }

  #start(command: string, args: string[], user: Identity): ChildProcess {
    return spawn(command, args, {
      ...user,
      stdio: ['ignore', 'ignore', 'pipe'],
      cwd: this.folder,
      env: { PATH: process.env.PATH, LC_ALL: 'C' },
      // Ctrl-C in a terminal would stop the servers before the service has ended.
      detached: true,
    });
  }

  #own(path: string): void {
    const { uid, gid } = this.#identity;
    if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
  }
}
