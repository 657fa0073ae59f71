import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { startService } from '../service/index.ts';
import * as events from '../support/events.ts';
import { runAction } from '../support/runner.ts';

/**
 * How long the bundle takes, and how many requests it makes, against a local service that answers at once: what is measured
 * is the action itself. Run on an idle machine; figures of different machines do not compare.
 */
const runs = Number(process.argv[2] ?? 15);
const dist = join(import.meta.dirname, '../../dist');

const service = await startService({ compute: 'none', operationMs: 1, check: false });
try {
  const base = { api_key: service.apiKey, project_id: service.projectId, api_host: service.baseUrl };
  const play = async (name: string, inputs: (run: number) => Record<string, string>) => {
    const times: number[] = [];
    let requests = 0;
    for (let run = 0; run < runs; run++) {
      const before = service.requests.length;
      const done = await runAction({
        inputs: { ...base, ...inputs(run) },
        event: events.pullRequest({ number: 7 }),
      });
      if (done.code !== 0) throw new Error(`${name} ended with ${done.code}:\n${done.maskedLog()}`);
      times.push(done.durationMs);
      requests = service.requests.length - before;
    }
    times.sort((a, b) => a - b);
    const at = (share: number) => Math.round(times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0);
    console.log(
      `${name.padEnd(44)} ${String(at(0.5)).padStart(6)} ms ${String(at(0.9)).padStart(6)} ms ${String(requests).padStart(5)}`,
    );
  };

  console.log(`${'whole step, as a process'.padEnd(44)}    median      90 %  requests`);
  await play('start and stop (no key, skipped)', () => ({ api_key: '', on_missing_key: 'skip' }));
  await play('create a branch that nobody has, wait: false', (run) => ({ branch_name: `quick-${run}`, wait: 'false' }));
  await play('create a branch that nobody has, and wait', (run) => ({ branch_name: `new-${run}` }));
  await play('create one that is there', () => ({ branch_name: 'new-0' }));
  await play('get', () => ({ command: 'get', branch_name: 'new-0' }));
  await play('delete', (run) => ({ command: 'delete', branch_name: `new-${run}` }));
  await play('delete what is gone', () => ({ command: 'delete', branch_name: 'new-0' }));
} finally {
  await service.stop();
}

const sizes = readdirSync(dist).map((name) => ({ name, kB: Math.round(statSync(join(dist, name)).size / 1000) }));
console.log(`\ndist: ${sizes.map(({ name, kB }) => `${name} ${kB} kB`).join(', ')}`);
