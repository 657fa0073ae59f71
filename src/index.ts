import { main } from './main.ts';
import * as runner from './outputs.ts';
import { post } from './post.ts';

/** Whether this process is the action's post step: the main step leaves word of itself in the runner's state. */
const isPost = runner.readState('main') === 'done';

try {
  if (isPost) {
    await post();
  } else {
    runner.saveState('main', 'done');
    await main();
  }
} catch (error) {
  // Nothing should come this far; whatever does fails the step, and never the post step.
  const message = `Unexpected fault in this action: ${error instanceof Error ? error.message : String(error)}`;
  if (isPost) runner.log.warning(message);
  else runner.fail(message);
}
