import * as core from '@actions/core';
import { createSecrets } from '../secrets/store.ts';
import { oneLine } from '../text/inert.ts';

/**
 * The runner's side: the only file that masks, and that writes outputs, environment, state, summary and log. A secret is
 * masked before anything else happens to it, and no text goes out that holds one.
 */
const secrets = createSecrets();

export function mask(secret: string): void {
  for (const form of secrets.add(secret)) core.setSecret(form);
}

/** One line in the log. Text from outside comes out inert. */
export const log = {
  info: (line: string) => core.info(clean(line)),
  debug: (line: string) => core.debug(clean(line)),
  notice: (line: string, title: string) => core.notice(clean(line), { title }),
  warning: (line: string, title = 'Database Branch') => core.warning(clean(line), { title }),
};

export type Log = typeof log;

/** Ends the step as failed, with an annotation. */
export function fail(message: string): void {
  process.exitCode = 1;
  core.error(redact(message).split('\n').map(clean).join('\n'), { title: 'Database Branch' });
}

/** Redacted twice: a cut may leave half a secret, and what `oneLine` takes out may have hidden one. */
function clean(line: string): string {
  return secrets.redact(oneLine(secrets.redact(line), 4_000));
}

/** A text of several lines without a secret in it, for summary and comment. */
export function redact(text: string): string {
  return secrets.redact(text);
}
