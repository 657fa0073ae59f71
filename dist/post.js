/** The post step: `dist/post.js`, a file of its own so that it can never be taken for the main step. */
const { start } = await import('./start.js');
await start('post');
export {};
