import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { selfSigned } from '../certificate.ts';
import { type Binaries, binaries, reachable } from './binaries.ts';
import { configuration, hostAccess } from './configuration.ts';

const KEEPER = fileURLToPath(new URL('reaper.ts', import.meta.url));

/** Who runs the servers: the caller, or `nobody` where the caller is root, which Postgres refuses. */
interface Identity {
  uid?: number;
  gid?: number;
}

function identity(): Identity {
  if (process.getuid?.() !== 0) return {};
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith('nobody:'));
  const [, , uid, gid] = line?.split(':') ?? [];
  if (uid === undefined || gid === undefined)
    throw new Error('Postgres does not run as root, and there is no user nobody');
  return { uid: Number(uid), gid: Number(gid) };
}

/** A folder for all data of one service, the keeper that takes it away, and the processes that work in it. */
export class Workspace {
  readonly folder: string;
  /** A fresh cluster, never started: what main begins as, and what recovery starts from. */
  readonly template: string;
  readonly certificate: string;
  readonly #identity: Identity;
  readonly #binaries: Binaries;
  /** The processes that the keeper knows of, as it is told: `p12`, `h34`. */
  readonly #known = new Set<string>();
  #keeper: ChildProcess;
  #ready = false;
  #closing = false;
  #made = 0;

  private constructor(folder: string, who: Identity, programs: Binaries) {
    this.folder = folder;
    this.template = join(folder, 'template');
    this.#identity = who;
    this.#binaries = programs;
    this.#keeper = this.#hire();
    const { key, cert } = selfSigned();
    this.certificate = cert;
    this.write(join(folder, 'server.key'), key, 0o600);
    this.write(join(folder, 'server.crt'), cert);
  }

  static async create(): Promise<Workspace> {
    const who = identity();
    const roots = [tmpdir(), '/tmp', '/var/tmp'];
    const root = who.uid === undefined ? roots[0] : roots.find((path) => reachable(path));
    if (root === undefined) throw new Error(`no folder for temporary files that the user nobody can use: ${roots}`);
    const folder = mkdtempSync(join(root, 'branches-'));
    if (who.uid !== undefined && who.gid !== undefined) chownSync(folder, who.uid, who.gid);
    const workspace = new Workspace(folder, who, usable(await binaries(), folder, who));
    // No server is started before somebody is there to end it; and nothing is given up while files are still being made.
    const steps = await Promise.allSettled([workspace.#kept(), workspace.#initialise()]);
    const failed = steps.find((step) => step.status === 'rejected');
    if (failed) {
      await workspace.close();
      throw failed.reason;
    }
    return workspace;
  }

  /** A new, empty folder with a short name, since the paths of sockets must be short. */
  newFolder(): string {
    const folder = join(this.folder, `b${++this.#made}`);
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

  /** Starts a server and tells the keeper. */
  server(args: string[]): ChildProcess {
    return this.#start(this.#binaries.postgres, args, 'p', { stdio: ['ignore', 'ignore', 'pipe'] });
  }

  /** Runs a command to its end; answers what it said on standard error, and its exit code. */
  async run(command: string, args: string[], options: SpawnOptions = {}): Promise<{ code: number; stderr: string }> {
    const child = this.#start(command, args, 'h', { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
    let stderr = '';
    child.stderr?.on('data', (chunk) => {
      stderr += chunk;
    });
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => resolve({ code: code ?? 1, stderr }));
    });
  }

  /** Ends all servers and removes the folder: the keeper's work, whether the service ends well or not. */
  async close(): Promise<void> {
    this.#closing = true;
    const gone = new Promise((resolve) => this.#keeper.once('exit', resolve));
    if (this.#keeper.exitCode === null && this.#keeper.signalCode === null) {
      this.#keeper.ref();
      this.#keeper.stdin?.end();
      await gone;
    }
    // Nothing is left to do but where there was no keeper.
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Starts a keeper, and another one should it be killed. */
  #hire(): ChildProcess {
    const keeper = spawn(process.execPath, [KEEPER, this.folder], {
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { PATH: process.env.PATH },
    });
    keeper.unref();
    // A pipe to a keeper that is gone says so here; its exit is what counts.
    keeper.stdin?.on('error', () => {});
    for (const known of this.#known) keeper.stdin?.write(`+${known}\n`);
    keeper.once('exit', () => {
      if (!this.#closing && this.#ready) this.#keeper = this.#hire();
    });
    return keeper;
  }

  /** Resolves when the keeper is at work. */
  async #kept(): Promise<void> {
    const { stdout } = this.#keeper;
    await new Promise<void>((resolve, reject) => {
      stdout?.once('data', () => resolve());
      this.#keeper.once('exit', () =>
        reject(
          new Error(`the keeper does not start with Node.js ${process.version}; take the one in node_modules/.bin`),
        ),
      );
    });
    this.#ready = true;
  }

  async #initialise(): Promise<void> {
    const { code, stderr } = await this.run(this.#binaries.initdb, [
      ...['-D', this.template, '-U', 'cloud_admin', '--auth=trust', '--no-sync', '--no-data-checksums'],
      ...['--wal-segsize=1', '--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
      '--no-instructions',
    ]);
    if (code !== 0) throw new Error(`initdb failed: ${stderr}`);
    this.write(join(this.template, 'postgresql.conf'), configuration(this.folder), 0o600);
    this.write(join(this.template, 'pg_hba.conf'), hostAccess(), 0o600);
  }

  #start(command: string, args: string[], kind: 'p' | 'h', options: SpawnOptions): ChildProcess {
    const child = spawn(command, args, {
      ...options,
      ...this.#identity,
      cwd: this.folder,
      env: { PATH: process.env.PATH, LC_ALL: 'C' },
    });
    const { pid } = child;
    if (pid !== undefined) {
      const known = `${kind}${pid}`;
      this.#known.add(known);
      this.#keeper.stdin?.write(`+${known}\n`);
      child.once('exit', () => {
        this.#known.delete(known);
        this.#keeper.stdin?.write(`-${known}\n`);
      });
    }
    return child;
  }

  #own(path: string): void {
    const { uid, gid } = this.#identity;
    if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
  }
}

/** The binaries themselves, or a copy where the user that runs them cannot get at them: in root's home, say. */
function usable(programs: Binaries, folder: string, who: Identity): Binaries {
  if (who.uid === undefined || (reachable(programs.postgres) && reachable(programs.initdb))) return programs;
  const native = dirname(dirname(programs.postgres));
  const copy = join(folder, 'native');
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  chmodSync(copy, 0o755);
  return {
    initdb: join(copy, 'bin', basename(programs.initdb)),
    postgres: join(copy, 'bin', basename(programs.postgres)),
  };
}
