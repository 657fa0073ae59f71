/** The main step of `rehearse`: `dist/rehearse.js`. */
require('./entry.cjs').main('rehearse');
