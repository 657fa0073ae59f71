/** The main step: `dist/index.js`. */
const { start } = await import('./start.ts');
await start('main');

export {};
