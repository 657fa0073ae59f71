import * as core from '@actions/core';
import { createSecrets } from '../secrets/store.ts';
import { cutToFit } from '../text/cut.ts';
import { oneLine, withoutCommands } from '../text/inert.ts';
import { limits } from './limits.ts';

/** Every secret of this run. Nothing is written to the log, the summary or a comment before it was redacted. */
let secrets = createSecrets();

/** Forgets the secrets of an earlier step in the same process. */
export function forgetSecrets(): void {
  secrets = createSecrets();
}

/** Has the runner mask a secret in the rest of the job's log, and remembers it for `redact`. */
export function mask(secret: string): void {
  for (const form of secrets.add(secret)) core.setSecret(form);
}

export function redact(text: string): string {
  return secrets.redact(text);
}

/** Each call writes one line. */
export const log = {
  info: (line: string) => core.info(clean(line)),
  debug: (line: string) => core.debug(clean(line)),
  notice: (line: string, title: string) => core.notice(clean(line), { title }),
  /** Lines that the runner folds under a title. */
  group: (title: string, lines: string[]) => {
    core.startGroup(clean(title));
    for (const line of lines) core.info(clean(line));
    core.endGroup();
  },
  warning: (line: string, title = 'Database Branch') => core.warning(clean(line), { title }),
};

export type Log = typeof log;

/** Fails the step with an annotation, which may have several lines. What the runner would cut is in the log before it. */
export function fail(message: string): void {
  process.exitCode = 1;
  const text = redact(message).split('\n').map(clean).join('\n');
  if (text.length > limits.annotationCharacters) core.info(text);
  const fitting = cutToFit(text, {
    limit: limits.annotationCharacters,
    size: (part) => part.length,
    note: '… The rest is in the log above.',
  });
  core.error(fitting, { title: 'Database Branch' });
}

const longestLine = 4_000;

/** Redacted on one line: an invisible character in the middle of a secret would hide it. */
function clean(line: string): string {
  return withoutCommands(redact(oneLine(line, longestLine)));
}
