import { run } from './main.ts';
import { fail, forgetSecrets, log } from './step/log.ts';
import { asSentence, messageOf, pleaseReport } from './text/format.ts';

/**
 * Runs the main or the post step. An unhandled error fails the main step, but never the post step. Left to Node.js, it would be
 * printed with the line of the bundle that it comes from, which is most of the bundle.
 */
export async function start(step: 'main' | 'post', action?: Parameters<typeof run>[0]): Promise<void> {
  forgetSecrets();
  const report = step === 'post' ? log.warning : fail;
  let isDone = false;
  process.once('uncaughtException', (error) => {
    isDone = true;
    report(unexpected(error));
    process.exit();
  });
  // Node.js exits with success if nothing is left that could continue a pending promise.
  process.once('exit', (code) => {
    if (!isDone && code === 0) report(`Bug in this action: the step ended before it was done. ${pleaseReport}`);
  });
  try {
    await (step === 'main' ? run(action) : (await import('./post-step.ts')).post());
  } catch (error) {
    report(unexpected(error));
  }
  isDone = true;
  // A connection that does not react to its end, such as one to a proxy that never responds, must not keep the process alive.
  const timer = setTimeout(() => process.exit(), 1_000).unref();
  process.once('beforeExit', () => clearTimeout(timer));
}

function unexpected(error: unknown): string {
  return `Unexpected error: ${asSentence(messageOf(error))} If it happens again: ${pleaseReport}`;
}
