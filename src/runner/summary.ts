import { existsSync, statSync } from 'node:fs';
import { EOL } from 'node:os';
import * as core from '@actions/core';
import { cutToFit } from '../text/cut.ts';
import { log, redact } from './log.ts';

/** The most that GitHub shows of one step's summary, in bytes. */
const longestSummary = 1024 * 1024;

/** Appends to the job summary; a summary that cannot be written is worth a warning and no more. */
export async function writeSummary(markdown: string): Promise<void> {
  const path = process.env.GITHUB_STEP_SUMMARY;
  if (!path) return;
  try {
    const there = existsSync(path) ? statSync(path).size : 0;
    const fitting = cutToFit(redact(markdown), {
      // A line feed comes behind it.
      limit: longestSummary - there - EOL.length,
      size: Buffer.byteLength,
      note: '_GitHub shows 1 MiB of a summary at most; the rest is cut._',
    });
    if (fitting !== '') await core.summary.addRaw(fitting, true).write();
  } catch (error) {
    log.warning(`Could not write the job summary: ${error instanceof Error ? error.message : error}`);
  }
}
