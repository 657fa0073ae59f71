/**
 * A process of its own that outlives the service by a moment: when the service ends, however it ends, its end of the
 * pipe closes, and the keeper stops the servers and removes their folder. It is told of every process (`+p<pid>`, `+h<pid>`
 * for servers and helpers, `-…` when one has ended), and looks for servers in the folder besides.
 *
 * Usage: node keeper.ts <folder>
 */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const [, , folder] = process.argv;
if (!folder) throw new Error('the keeper needs a folder');

// Ctrl-C in a terminal and a polite kill are for the service; the keeper goes after it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

const servers = new Set<number>();
const helpers = new Set<number>();

function signalTo(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}

/** A process that has ended but that nobody has waited for still takes signals. */
function alive(pid: number): boolean {
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
      // No server runs there.
    }
  }
}

async function clear(root: string): Promise<void> {
  for (const pid of helpers) signalTo(pid, 'SIGKILL');
  findServers(root);
  // SIGQUIT is Postgres' immediate shutdown: the server ends its own processes.
  for (const pid of servers) signalTo(pid, 'SIGQUIT');
  const deadline = Date.now() + 6_000;
  while ([...servers].some(alive) && Date.now() < deadline) await sleep(5);
  for (const pid of servers) if (alive(pid)) signalTo(pid, 'SIGKILL');
  // A process that the service had started, but not yet told of when it was killed, would bring the folder back: it is clear
  // only once nothing has come back for a while.
  for (let attempt = 0, clean = 0; attempt < 60 && clean < 5; attempt++) {
    const strays = processesIn(root);
    for (const pid of strays) signalTo(pid, 'SIGKILL');
    clean = strays.length === 0 && !existsSync(root) ? clean + 1 : 0;
    try {
      rmSync(root, { recursive: true, force: true });
    } catch {
      // Something still writes there.
    }
    await sleep(50);
  }
}

/** Processes, other than this one, that were started with the folder in their command line; Linux only. */
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
  const pids = line[1] === 'p' ? servers : helpers;
  const pid = Number(line.slice(2));
  if (line[0] === '+') pids.add(pid);
  else pids.delete(pid);
});
lines.on('close', () => {
  clear(folder).then(
    () => process.exit(0),
    () => process.exit(1),
  );
});
// The service waits for this before it starts a server; it may be gone already.
process.stdout.on('error', () => {});
process.stdout.write('ready\n');
