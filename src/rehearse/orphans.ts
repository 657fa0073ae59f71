import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { graceMs, pollMs } from './command.ts';
import { variableOf } from './environment.ts';

/**
 * Ends what a rehearsal's command has left running because the main step was killed: SIGTERM, and SIGKILL after 5 seconds. Its processes
 * are those that have this ID in their environment, whoever has their process IDs by now. Returns how many there were. Only Linux says
 * what a process has in its environment; elsewhere, it finds none.
 */
export async function endOrphans(id: string): Promise<number> {
  const entry = `${variableOf(id).join('=')}\0`;
  const found = new Set<number>();
  const until = performance.now() + graceMs;
  for (let left = running(entry); left.length > 0; left = running(entry)) {
    const isOver = performance.now() >= until;
    for (const pid of left) {
      if (isOver || !found.has(pid)) send(pid, isOver ? 'SIGKILL' : 'SIGTERM');
      found.add(pid);
    }
    // One in an uninterruptible wait would end later.
    if (performance.now() >= until + graceMs) break;
    await delay(pollMs);
  }
  return found.size;
}

/** The processes with this entry in the environment that they were started with. */
function running(entry: string): number[] {
  return contentsOf('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid && `\0${environmentOf(pid)}`.includes(`\0${entry}`));
}

function contentsOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Empty for a process that has ended, or is another user's. */
function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return '';
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended by itself.
  }
}
