"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
/** The main step of `diff`: `dist/diff.js`. */
require('./entry.cjs').main('diff');
