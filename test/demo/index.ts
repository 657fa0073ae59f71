import { startService } from '../service/index.ts';
import { startGitHub } from '../support/github.ts';
import { seconds } from './account.ts';
import { closed, compared, deployed, opened, pruned, pushed, reset, worked } from './acts.ts';
import { countsIn, SEED } from './shop.ts';
import { Stage } from './stage.ts';

/**
 * `npm run demo`: a pull request from its first day to its last, played through the built `dist/index.js` as GitHub's runner would
 * start it, against the local service with a real Postgres for each branch. Ends with 1 where anything is not as it should be.
 */
const started = performance.now();
const service = await startService({ seed: SEED });
const github = await startGitHub();
try {
  const stage = await Stage.set(service, github);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => (stage.stoppedBy = signal));
  const { account } = stage;
  account.print(
    'A pull request, played through dist/index.js as on a runner. Each branch is a Postgres server of its own.',
  );
  account.print(
    `main holds a small shop (rows: ${countsIn(stage.main)}). Ready after ${seconds(performance.now() - started)}.`,
  );

  const preview = await opened(stage);
  await worked(stage, preview);
  await pushed(stage, preview);
  await deployed(stage, preview);
  await compared(stage);
  await reset(stage, preview);
  await closed(stage, preview);
  await pruned(stage);
  await stage.end();

  const { held, broken } = account;
  const took = seconds(performance.now() - started);
  if (broken.length === 0) account.print(`\nAll ${held.length} checks hold. It took ${took}.`);
  else {
    account.print(`\n${broken.length} of ${held.length + broken.length} checks do not hold, after ${took}:`);
    for (const sentence of broken) account.print(`- ${sentence}`);
    process.exitCode = 1;
  }
} catch (error) {
  console.error('\nThe play could not go on:', error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await Promise.all([service.stop(), github.close()]);
}
