"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
/** The main step of `prune`: `dist/prune.js`. */
require('./entry.cjs').main('prune');
