"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
/** The main step of `rehearse`: `dist/rehearse.js`. */
require('./entry.cjs').main('rehearse');
