/** The main step of `diff`: `dist/diff.js`. */
require('./entry.cjs').main('diff');
