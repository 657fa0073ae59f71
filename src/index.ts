import { basename } from 'node:path';
import { main } from './main.ts';
import * as runner from './outputs.ts';
import { post } from './post.ts';

/**
 * Whether this process is the action's post step, which the runner starts by another name. Word left in the runner's state would
 * not do: a main step that is killed as it starts leaves none, and the post step would then make a branch.
 */
const isPost = basename(process.argv[1] ?? '') === 'post.js';

try {
  if (isPost) {
    await post();
  } else {
    await main();
  }
} catch (error) {
  // Nothing should come this far; whatever does fails the step, and never the post step.
  const message = `Unexpected fault in this action: ${error instanceof Error ? error.message : String(error)}`;
  if (isPost) runner.log.warning(message);
  else runner.fail(message);
}
