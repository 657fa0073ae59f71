/** The main step of `prune`: `dist/prune.js`. */
require('./entry.cjs').main('prune');
