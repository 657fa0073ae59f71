import { startGitHub } from '../github/index.ts';
import { startService } from '../service/index.ts';
import { Demo } from './demo.ts';
import { seconds } from './report.ts';
import * as scenes from './scenes.ts';
import { contentsOf, rowCounts, SEED } from './shop.ts';

/**
 * `npm run demo`: the life of a pull request. Runs the built action as GitHub's runner would, against the local service with real
 * Postgres servers, and checks the results. Exits with 1 if a check fails.
 */
const started = performance.now();
const service = await startService({ seed: SEED });
const github = await startGitHub();
try {
  const demo = new Demo(service, github, await contentsOf(service.main.uri));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => (demo.stoppedBy = signal));
  const { report } = demo;
  report.print(
    'The life of a pull request: dist/index.js, run as a runner runs it. Each branch is a real Postgres server.',
  );
  report.print(
    `main is a small shop (rows: ${rowCounts(demo.main)}). Ready after ${seconds(performance.now() - started)}.`,
  );

  const preview = await scenes.openPullRequest(demo);
  await scenes.migrateAndPush(demo, preview);
  await scenes.reviewSchema(demo, preview);
  await scenes.rehearseMigration(demo);
  await scenes.resetBranch(demo, preview);
  await scenes.mergePullRequest(demo, preview);
  await scenes.pruneBranches(demo);
  await demo.finish();

  const { passed, failed } = report;
  const duration = seconds(performance.now() - started);
  if (failed.length === 0) report.print(`\nAll ${passed.length} checks passed in ${duration}.`);
  else {
    report.print(`\n${failed.length} of ${passed.length + failed.length} checks failed in ${duration}:`);
    for (const sentence of failed) report.print(`- ${sentence}`);
    process.exitCode = 1;
  }
} catch (error) {
  console.error('\nThe demo was aborted:', error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await Promise.all([service.stop(), github.close()]);
}
