/**
 * Cleans up after the service, even if the service is killed: when the pipe from the service closes, the reaper stops the
 * servers and deletes their folder. The service reports every process that it starts (`+s<pid>` for a server, `+c<pid>` for
 * another command) and its exit (`-…`). The reaper also looks for servers in the folder.
 *
 * Usage: node reaper.ts <folder>
 */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const [, , folder] = process.argv;
if (!folder) throw new Error('usage: node reaper.ts <folder>');

// Ctrl-C in a terminal also sends SIGINT to the reaper, which must outlive the service.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

const servers = new Set<number>();
const commands = new Set<number>();

function signalTo(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}

/** Zombies still accept signals, so the state of the process is checked too. */
function isAlive(pid: number): boolean {
  if (!signalTo(pid, 0)) return false;
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return process.platform !== 'linux';
  }
}

function findServers(root: string): void {
  for (const branch of readdirSync(root, { withFileTypes: true })) {
    if (!branch.isDirectory()) continue;
    try {
      const pid = Number.parseInt(readFileSync(join(root, branch.name, 'data', 'postmaster.pid'), 'utf8'), 10);
      if (pid > 0) servers.add(pid);
    } catch {
      // No server is running there.
    }
  }
}

async function cleanUp(root: string): Promise<void> {
  for (const pid of commands) signalTo(pid, 'SIGKILL');
  findServers(root);
  // SIGQUIT is an immediate shutdown in Postgres: the server stops its own processes.
  for (const pid of servers) signalTo(pid, 'SIGQUIT');
  const deadline = Date.now() + 6_000;
  while ([...servers].some(isAlive) && Date.now() < deadline) await sleep(5);
  for (const pid of servers) if (isAlive(pid)) signalTo(pid, 'SIGKILL');
  // A process that the service had not reported before it was killed could create the folder again, so the cleanup is
  // repeated until there has been nothing to do for a while.
  for (let attempt = 0, clean = 0; attempt < 60 && clean < 5; attempt++) {
    const strays = processesIn(root);
    for (const pid of strays) signalTo(pid, 'SIGKILL');
    clean = strays.length === 0 && !existsSync(root) ? clean + 1 : 0;
    try {
      rmSync(root, { recursive: true, force: true });
    } catch {
      // A process is still writing there.
    }
    await sleep(50);
  }
}

/** Other processes that have the folder in their command line. Linux only. */
function processesIn(root: string): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    if (!(pid > 0) || pid === process.pid) return [];
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      return words.some((word) => word === root || word.startsWith(`${root}/`)) ? [pid] : [];
    } catch {
      return [];
    }
  });
}

const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  const pids = line[1] === 's' ? servers : commands;
  const pid = Number(line.slice(2));
  if (line[0] === '+') pids.add(pid);
  else pids.delete(pid);
});
lines.on('close', () => {
  cleanUp(folder).then(
    () => process.exit(0),
    () => process.exit(1),
  );
});
// The service waits for this line before it starts a server, unless it has been killed.
process.stdout.on('error', () => {});
process.stdout.write('ready\n');
