import { appendFileSync, statSync } from 'node:fs';
import { EOL } from 'node:os';
import { cutToFit } from '../text/cut.ts';
import { limits } from './limits.ts';
import { log, redact } from './log.ts';

/** Appends to the job summary. A failure to do so is only a warning. */
export function writeSummary(markdown: string): void {
  const path = process.env.GITHUB_STEP_SUMMARY;
  if (!path) {
    log.info('No job summary: the runner has not set GITHUB_STEP_SUMMARY');
    return;
  }
  try {
    const written = statSync(path).size;
    const fitting = cutToFit(redact(markdown), {
      limit: limits.summaryBytes - written - EOL.length,
      size: Buffer.byteLength,
      note: '_Truncated: GitHub accepts at most 1 MiB per step summary._',
    });
    if (fitting !== '') appendFileSync(path, `${fitting}${EOL}`);
  } catch (error) {
    log.warning(`Could not write the job summary: ${error instanceof Error ? error.message : error}`);
  }
}
