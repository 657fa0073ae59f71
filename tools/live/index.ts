/**
 * `npm run live`: the life of a pull request against the real service, in a project that it creates and deletes.
 *
 *   LIVE_API_KEY=… npm run live              says what it will create
 *   LIVE_API_KEY=… npm run live -- --yes     creates it
 *   LIVE_API_KEY=… npm run live -- --clean   only deletes leftovers: the project of LIVE_RUN, and old ones
 *
 * LIVE_API_HOST selects a service other than the action's default, LIVE_ORG_ID the organization of a personal key. LIVE_RUN is the end of the
 * project's name, random by default. The project is deleted at the end, even after an error, SIGINT or SIGTERM. If the process is killed, the next
 * run deletes what is left.
 */
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { seconds } from '../demo/report.ts';
import { ROOT } from '../files.ts';
import { startGitHub } from '../github/index.ts';
import { readAction } from '../runner/action.ts';
import { Life } from './life.ts';
import { type Account, deleteLeftovers, deleteProject, nameOf, prefix } from './projects.ts';

const { values } = parseArgs({ options: { yes: { type: 'boolean' }, clean: { type: 'boolean' } } });
/** After this time, the run is stopped and cleaned up. */
const longestMinutes = 20;
const account: Account = {
  apiKey: process.env.LIVE_API_KEY ?? '',
  apiHost: process.env.LIVE_API_HOST || (readAction(ROOT).inputs.get('api_host') ?? ''),
  orgId: process.env.LIVE_ORG_ID || undefined,
};
const name = nameOf(process.env.LIVE_RUN || randomBytes(6).toString('hex'));

const plan = `This tests the built action against ${account.apiHost}, with the key in LIVE_API_KEY. It will:

- delete projects of earlier runs that were killed: "${prefix}<12 hex digits>", at least two hours old
- create the project "${name}" in your account
- create three branches in it, at most two at a time, each with a compute endpoint of 0.25 CU; the default branch has one too
- delete the project after about five minutes, at the latest after ${longestMinutes}, even if something fails or you press Ctrl-C

It may cost up to 0.3 CU-hours (three computes of 0.25 CU for 24 minutes), and almost no storage.
`;

if (!values.clean) process.stdout.write(plan);
if (!values.yes && !values.clean) refuse('Nothing was created. To start, run `npm run live -- --yes`.');
else if (account.apiKey === '') refuse('LIVE_API_KEY is empty; set it to an API key that may create projects.');
else if (values.clean) await clean();
else await live();

function refuse(why: string): void {
  process.stderr.write(`\n${why}\n`);
  process.exitCode = 1;
}

async function clean(): Promise<void> {
  const deleted = (await deleteLeftovers(account)) + (await deleteProject(account, name));
  process.stdout.write(`Leftover projects deleted: ${deleted}\n`);
}

async function live(): Promise<void> {
  const started = performance.now();
  const github = await startGitHub();
  const stop = new AbortController();
  const life = new Life({ account, github, stop: stop.signal });
  const { report } = life;
  const halt = (why: string) => {
    if (stop.signal.aborted) return;
    report.print(`\n${why}. Cleaning up.`);
    stop.abort(new Error(`${why}.`));
  };
  // Further signals change nothing: by then, only the cleanup is left.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => halt(`Stopped by ${signal}`));
  const timer = setTimeout(() => halt(`Stopped after ${longestMinutes} minutes`), longestMinutes * 60_000);
  const problems: string[] = [];
  const attempt = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error));
    }
  };
  await attempt(async () => {
    const left = await deleteLeftovers(account);
    if (left > 0) report.print(`\nLeftover projects of earlier runs deleted: ${left}.`);
    await life.play(name);
  });
  await attempt(async () => {
    if ((await deleteProject(account, name)) > 0) report.print(`\nDeleted project ${name}.`);
  });
  clearTimeout(timer);
  await github.close();
  const { passed, failed } = report;
  problems.push(...failed.map((sentence) => `Check failed: ${sentence}`));
  const counts = `${passed.length} checks passed, ${failed.length} failed`;
  report.print(`\n${counts}, in ${seconds(performance.now() - started)}.`);
  for (const problem of problems) report.print(`- ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
}
