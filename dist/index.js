/** The main step: `dist/index.js`. */
const { start } = await import('./start.js');
await start('main');
export {};
