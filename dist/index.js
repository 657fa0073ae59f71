"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
/** The main step: `dist/index.js`. */
require('./entry.cjs').main();
