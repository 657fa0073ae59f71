import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSecureContext, type SecureContext } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { compileCache, ROOT } from '../../files.ts';
import { selfSigned } from '../certificate.ts';
import { type Binaries, binaries } from './binaries.ts';
import { configuration, hostAccess } from './configuration.ts';
import { accessibleBinaries, type Identity, identity, temporaryRoot } from './identity.ts';
import { newCluster } from './new-cluster.ts';

const REAPER = fileURLToPath(new URL('reaper.ts', import.meta.url));

/** The folder with all data of a service, its processes, and the reaper that removes both. */
export class Workspace {
  readonly folder: string;
  readonly certificate: string;
  readonly certificateFile: string;
  /** For a proxy that takes the place of a server. */
  readonly tls: SecureContext;
  readonly #identity: Identity;
  readonly #binaries: Binaries;
  /** The running processes, as reported to the reaper: `s12` for a server, `c34` for another command. */
  readonly #processes = new Set<string>();
  #reaper: ChildProcess;
  #ready = false;
  #closing = false;
  #folderCount = 0;
  /** The next new cluster, once something has asked for it. */
  #template: Promise<string> | undefined;

  private constructor(folder: string, user: Identity, programs: Binaries, hosts: string[]) {
    this.folder = folder;
    this.#identity = user;
    this.#binaries = programs;
    this.#reaper = this.#spawnReaper();
    const { key, cert } = selfSigned(hosts);
    this.certificate = cert;
    this.certificateFile = join(folder, 'server.crt');
    this.tls = createSecureContext({ key, cert });
    this.write(join(folder, 'server.key'), key, 0o600);
    this.write(this.certificateFile, cert);
  }

  /** The servers' certificate is valid for the `hosts`. */
  static async create(hosts: string[]): Promise<Workspace> {
    const user = identity();
    const folder = mkdtempSync(join(temporaryRoot(user), 'branches-'));
    if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
    const workspace = new Workspace(folder, user, accessibleBinaries(await binaries(), folder, user), hosts);
    // Both must settle before `close`, which deletes the files; and no server may start before the reaper is ready.
    const steps = await Promise.allSettled([workspace.#reaperReady(), workspace.template()]);
    const failed = steps.find((step) => step.status === 'rejected');
    if (failed) {
      await workspace.close();
      throw failed.reason;
    }
    return workspace;
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

  /** Starts a Postgres server. */
  server(args: string[]): ChildProcess {
    return this.#start(this.#binaries.postgres, args, 's', {
      ...this.#identity,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  }

  /** Runs a command as the user that runs the servers, and waits for it to exit. */
  async run(command: string, args: string[], options: SpawnOptions = {}): Promise<{ code: number; stderr: string }> {
    return this.#command(command, args, { ...options, ...this.#identity });
  }

  async #command(command: string, args: string[], options: SpawnOptions): Promise<{ code: number; stderr: string }> {
    const child = this.#start(command, args, 'c', { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
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
    this.#closing = true;
    const exited = new Promise((resolve) => this.#reaper.once('exit', resolve));
    if (this.#reaper.exitCode === null && this.#reaper.signalCode === null) {
      this.#reaper.ref();
      this.#reaper.stdin?.end();
      await exited;
    }
    // In case the reaper did not run.
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Starts the reaper, and starts it again if it is killed. */
  #spawnReaper(): ChildProcess {
    const reaper = spawn(process.execPath, [REAPER, this.folder], {
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: compileCache },
    });
    reaper.unref();
    // Writing to a reaper that was killed fails; `exit` handles that.
    reaper.stdin?.on('error', () => {});
    for (const entry of this.#processes) reaper.stdin?.write(`+${entry}\n`);
    reaper.once('exit', () => {
      if (!this.#closing && this.#ready) this.#reaper = this.#spawnReaper();
    });
    return reaper;
  }

  async #reaperReady(): Promise<void> {
    const { stdout } = this.#reaper;
    await new Promise<void>((resolve, reject) => {
      stdout?.once('data', () => resolve());
      this.#reaper.once('exit', () =>
        reject(
          new Error(`the reaper does not start with Node.js ${process.version}; use the one in node_modules/.bin`),
        ),
      );
    });
    this.#ready = true;
  }

  /** The data directory of a new cluster that is never started. Every recovery starts from a copy of it. */
  template(): Promise<string> {
    this.#template ??= this.#initializeTemplate();
    return this.#template;
  }

  /** Moves a new cluster to a path. A copy of a thousand files would take longer, and most services recover nothing. */
  async takeTemplate(path: string): Promise<void> {
    const template = this.template();
    this.#template = undefined;
    renameSync(await template, path);
  }

  async #initializeTemplate(): Promise<string> {
    const folder = join(this.folder, `template${++this.#folderCount}`);
    await newCluster({
      folder,
      keptIn: { shared: join(ROOT, 'build/initdb'), own: join(this.folder, 'initdb') },
      installed: await binaries(),
      user: this.#identity,
      initdb: (args) => this.run(this.#binaries.initdb, args),
      copy: (command, args) => this.#command(command, args, {}),
    });
    this.write(join(folder, 'postgresql.conf'), configuration(this.folder), 0o600);
    this.write(join(folder, 'pg_hba.conf'), hostAccess(), 0o600);
    return folder;
  }

  #start(command: string, args: string[], kind: 's' | 'c', options: SpawnOptions): ChildProcess {
    const child = spawn(command, args, {
      ...options,
      cwd: this.folder,
      env: { PATH: process.env.PATH, LC_ALL: 'C' },
      // Ctrl-C in a terminal would stop the servers before the service has ended.
      detached: process.platform !== 'win32',
    });
    const { pid } = child;
    if (pid !== undefined) {
      const entry = `${kind}${pid}`;
      this.#processes.add(entry);
      this.#reaper.stdin?.write(`+${entry}\n`);
      child.once('exit', () => {
        this.#processes.delete(entry);
        this.#reaper.stdin?.write(`-${entry}\n`);
      });
    }
    return child;
  }

  #own(path: string): void {
    const { uid, gid } = this.#identity;
    if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
  }
}
