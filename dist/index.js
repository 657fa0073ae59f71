import { appendFileSync } from 'node:fs';
import { env } from 'node:process';
/**
 * Whether this process is the action's post step: the main step leaves word of itself in the runner's state. It does so before
 * anything else is loaded, for a main step that is killed without that word would make the post step take itself for it.
 */
const isPost = env.STATE_main === 'done';
if (!isPost && env.GITHUB_STATE)
    appendFileSync(env.GITHUB_STATE, 'main=done\n');
const { start } = await import('./start.js');
await start({ isPost });
