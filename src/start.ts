import { post } from './ephemeral.ts';
import { main } from './main.ts';
import { fail, log } from './runner/log.ts';

/** Runs the main or the post step. An unhandled error fails the main step, but never the post step. */
export async function start(step: 'main' | 'post'): Promise<void> {
  try {
    await (step === 'main' ? main() : post());
  } catch (error) {
    const message = `Bug in this action: ${error instanceof Error ? error.message : String(error)}`;
    if (step === 'post') log.warning(message);
    else fail(message);
  }
}
