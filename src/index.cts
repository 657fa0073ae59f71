/** The main step: `dist/index.js`. */
require('./entry.cjs').main();
