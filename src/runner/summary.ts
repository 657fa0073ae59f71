import { existsSync, statSync } from 'node:fs';
import { EOL } from 'node:os';
import * as core from '@actions/core';
import { cutToFit } from '../text/cut.ts';
import { limits } from './limits.ts';
import { log, redact } from './log.ts';

/** Appends to the job summary. A failure to do so is only a warning. */
export async function writeSummary(markdown: string): Promise<void> {
  const path = process.env.GITHUB_STEP_SUMMARY;
  if (!path) {
    log.info('No job summary: the runner has not set GITHUB_STEP_SUMMARY');
    return;
  }
  try {
    const written = existsSync(path) ? statSync(path).size : 0;
    const fitting = cutToFit(redact(markdown), {
      // The toolkit appends a line break.
      limit: limits.summaryBytes - written - EOL.length,
      size: Buffer.byteLength,
      note: '_Truncated: GitHub accepts at most 1 MiB per step summary._',
    });
    if (fitting !== '') await core.summary.addRaw(fitting, true).write();
  } catch (error) {
    log.warning(`Could not write the job summary: ${error instanceof Error ? error.message : error}`);
  }
}
