"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
/** The main step of the action `manage`: `dist/manage.js`. */
require('./entry.cjs').main('manage');
