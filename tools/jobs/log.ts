/**
 * What a job's log must not contain, and must contain.
 *
 *   node tools/jobs/log.ts record             prints hashes of the values of all variables named SECRET_…
 *   node tools/jobs/log.ts check NAME [TEXT]  reads the logs of this run's jobs whose name starts with NAME, through GitHub's API, and
 *                                               fails if one has no hashes, a text of one of them, no `***`, or not the TEXT
 *
 * Hashes, because a masked value can't leave its job.
 */
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

const hash = (text: string) => createHash('sha256').update(text).digest('hex');

const [, , command, name = '', text = ''] = process.argv;
if (command === 'record') record();
else await check();

function record(): void {
  const secrets = Object.entries(process.env).filter(([variable, value]) => /^SECRET_/.test(variable) && value);
  if (secrets.length === 0) throw new Error('no variable SECRET_… has a value');
  if (secrets.some(([, value]) => /\s/.test(value ?? ''))) throw new Error('a secret has a blank in it');
  for (const [, value = ''] of secrets) console.log(`must not be in the log: ${value.length} ${hash(value)}`);
}

async function check(): Promise<void> {
  const { GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_RUN_ID, GITHUB_RUN_ATTEMPT } = process.env;
  const run = `/repos/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}/attempts/${GITHUB_RUN_ATTEMPT}`;
  const get = async (path: string, retries = 5): Promise<Response> => {
    const response = await fetch(`${GITHUB_API_URL}${path}`, {
      headers: { authorization: `Bearer ${process.env.GITHUB_TOKEN}`, accept: 'application/vnd.github+json' },
    });
    // A log may not be there yet when its job has just ended.
    if (response.status === 404 && retries > 0) {
      await delay(3_000);
      return get(path, retries - 1);
    }
    if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`);
    return response;
  };
  const { jobs } = (await (await get(`${run}/jobs?per_page=100`)).json()) as { jobs: { id: number; name: string }[] };
  // In a called workflow, the name of the calling job comes first: "action / life (ubuntu-24.04)".
  const chosen = jobs.filter((job) => (job.name.split(' / ').at(-1) ?? '').startsWith(name));
  if (chosen.length === 0) throw new Error(`no job of this run is called "${name}…"`);
  for (const job of chosen) {
    const log = await (await get(`/repos/${GITHUB_REPOSITORY}/actions/jobs/${job.id}/logs`)).text();
    const problems = problemsOf(log);
    console.log(`${job.name}: ${problems.length === 0 ? 'fine' : problems.join('; ')}`);
    if (problems.length > 0) process.exitCode = 1;
  }
}

function problemsOf(log: string): string[] {
  const recorded = [...log.matchAll(/must not be in the log: (\d+) ([0-9a-f]{64})/g)];
  const problems = recorded.length === 0 ? ['nothing was recorded'] : [];
  const hashes = Map.groupBy(recorded, ([, length]) => Number(length));
  // No secret here has a blank in it. Looking only inside words saves most of the hashes.
  const words = new Set(log.split(/\s+/));
  for (const [length, group] of hashes) {
    const sought = new Set(group.map(([, , one]) => one));
    const isIn = (word: string) => {
      for (let at = 0; at + length <= word.length; at++) if (sought.has(hash(word.slice(at, at + length)))) return true;
      return false;
    };
    if ([...words].some(isIn)) problems.push(`a secret of ${length} characters is in the log`);
  }
  if (!log.includes('***')) problems.push('nothing in the log is masked');
  if (!log.includes(text)) problems.push(`the log does not say "${text}"`);
  return problems;
}
