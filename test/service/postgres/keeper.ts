/**
 * A process of its own that outlives the service by a moment: when the service ends, however it ends, its end of the
 * pipe closes, and the keeper stops the servers and removes their folder. It is told of every process (`+p<pid>`, `+h<pid>`
 * for servers and helpers, `-…` when one has ended), and looks for servers in the folder besides.
 *
 * Usage: node keeper.ts <folder>
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
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
  // A process that was just about to write may bring a folder back once.
  for (let attempt = 0; attempt < 20; attempt++) {
    try {
      rmSync(root, { recursive: true, force: true });
      return;
    } catch {
      await sleep(50);
    }
  }
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
