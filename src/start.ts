import { main } from './main.ts';
import * as runner from './outputs.ts';
import { post } from './post.ts';

/** Plays the main or the post step. Whatever comes this far fails the step, and never the post step. */
export async function start({ isPost }: { isPost: boolean }): Promise<void> {
  try {
    await (isPost ? post() : main());
  } catch (error) {
    const message = `Unexpected fault in this action: ${error instanceof Error ? error.message : String(error)}`;
    if (isPost) runner.log.warning(message);
    else runner.fail(message);
  }
}
