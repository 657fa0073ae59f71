/** The main step of the action `manage`: `dist/manage.js`. */
require('./entry.cjs').main('manage');
