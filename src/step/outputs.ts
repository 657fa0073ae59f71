import { appendFileSync, mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { EOL, tmpdir } from 'node:os';
import { join } from 'node:path';
import * as core from '@actions/core';
import { cutToFit } from '../text/cut.ts';
import { messageOf } from '../text/format.ts';
import { limits } from './limits.ts';
import { fail, log, redact } from './log.ts';

const writers = {
  outputs: { file: 'GITHUB_OUTPUT', write: core.setOutput },
  'environment variables': { file: 'GITHUB_ENV', write: core.exportVariable },
};

/** Writes those that have a value, as outputs or as environment variables for later steps. Throws if it can't. */
export function writeValues(what: keyof typeof writers, values: Record<string, string | undefined>): void {
  const { file, write } = writers[what];
  try {
    // Without the runner's command file, the toolkit would print the values to the log instead.
    if (!process.env[file]) throw new Error(`the runner has not set ${file}`);
    for (const [name, value] of Object.entries(values)) if (value !== undefined) write(name, value);
  } catch (error) {
    throw new Error(`Could not write the ${what} (${file}): ${messageOf(error)}.`);
  }
}

/** A text for an output. One that is too large goes into a file that only this user can read, whose `path` is for another output. */
export function inFileIfLarge(text: string, file: string) {
  if (Buffer.byteLength(text) <= limits.outputBytes) return { value: text };
  try {
    const [folder] = file.split('.');
    const path = join(mkdtempSync(join(process.env.RUNNER_TEMP || tmpdir(), `${folder}-`)), file);
    writeFileSync(path, text, { mode: 0o600 });
    return { value: '', path };
  } catch (error) {
    fail(`Could not write ${file} (RUNNER_TEMP): ${messageOf(error)}.`);
    return { value: '' };
  }
}

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
    log.warning(`Could not write the job summary: ${messageOf(error)}`);
  }
}
