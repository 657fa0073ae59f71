import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { startService } from '../service/index.ts';
import * as events from '../support/events.ts';
import { runAction } from '../support/runner.ts';
import { benchReview } from './review.ts';

/**
 * Measures the duration of a step and its number of requests, and the schema review. The local service responds at once, so the duration is that of
 * the action itself. Run it on an idle machine; results from different machines are not comparable.
 */
const runs = Number(process.argv[2] ?? 15);
const dist = join(import.meta.dirname, '../../dist');

const service = await startService({ compute: 'none', operationMs: 1, check: false });
try {
  const base = { api_key: service.apiKey, project_id: service.projectId, api_host: service.baseUrl };
  const measure = async (name: string, inputs: (run: number) => Record<string, string>) => {
    const durations: number[] = [];
    let requests = 0;
    for (let run = 0; run < runs; run++) {
      const before = service.requests.length;
      const step = await runAction({
        inputs: { ...base, ...inputs(run) },
        event: events.pullRequest({ number: 7 }),
      });
      if (step.code !== 0) throw new Error(`${name}: exit code ${step.code}\n${step.maskedLog()}`);
      durations.push(step.durationMs);
      requests = service.requests.length - before;
    }
    durations.sort((a, b) => a - b);
    const percentile = (share: number) =>
      String(Math.round(durations[Math.min(runs - 1, Math.floor(runs * share))] ?? 0)).padStart(6);
    console.log(`${name.padEnd(32)} ${percentile(0.5)} ms ${percentile(0.9)} ms ${String(requests).padStart(5)}`);
  };

  console.log(`${'step'.padEnd(32)}    median      90 %  requests`);
  await measure('skipped (no API key)', () => ({ api_key: '', on_missing_key: 'skip' }));
  await measure('create, wait: false', (run) => ({ branch_name: `quick-${run}`, wait: 'false' }));
  await measure('create', (run) => ({ branch_name: `new-${run}` }));
  await measure('create, branch exists', () => ({ branch_name: 'new-0' }));
  await measure('get', () => ({ command: 'get', branch_name: 'new-0' }));
  await measure('delete', (run) => ({ command: 'delete', branch_name: `new-${run}` }));
  await measure('delete, branch does not exist', () => ({ command: 'delete', branch_name: 'new-0' }));
} finally {
  await service.stop();
}

benchReview();

const sizes = readdirSync(dist).map((name) => ({ name, kB: Math.round(statSync(join(dist, name)).size / 1000) }));
console.log(`\ndist: ${sizes.map(({ name, kB }) => `${name} ${kB} kB`).join(', ')}`);
