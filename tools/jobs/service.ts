/**
 * Starts the local service for the rest of a job, and sets outputs for the steps: `api_host`, `api_key`, `project_id`, `pid`.
 *
 *   node tools/jobs/service.ts [postgres | none]
 *
 * The runner ends what is left of a job, so nobody has to stop it.
 */
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { startService } from '../service/index.ts';

const compute = process.argv[2] === 'none' ? 'none' : 'postgres';

if (process.send) {
  // Operations take as long as a step needs to notice that it is waiting.
  try {
    const { baseUrl, apiKey, projectId } = await startService({ compute, operationMs: 300 });
    process.send({ api_host: baseUrl, api_key: apiKey, project_id: projectId, pid: process.pid });
  } catch (error) {
    process.send({ problem: String(error) });
  }
  process.disconnect();
} else {
  const child = spawn(process.execPath, process.argv.slice(1), {
    detached: true,
    // it must not keep the step's own streams open
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const outputs = await new Promise<Record<string, unknown>>((resolve, reject) => {
    child.once('message', (message) => resolve(message as Record<string, unknown>));
    child.once('exit', (code) => reject(new Error(`the service ended with exit code ${code}`)));
  });
  if (outputs.problem !== undefined) throw new Error(`the service did not start: ${outputs.problem}`);
  console.log(`::add-mask::${outputs.api_key}`);
  const lines = Object.entries(outputs).map(([name, value]) => `${name}=${value}\n`);
  appendFileSync(process.env.GITHUB_OUTPUT ?? '/dev/stdout', lines.join(''));
  console.log(`service ${outputs.pid}`);
  child.unref();
  process.exit();
}
