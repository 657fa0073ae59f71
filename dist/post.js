"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
/** The post step: `dist/post.js`, a file of its own so that it can never be taken for the main step. */
require('./entry.cjs').post();
