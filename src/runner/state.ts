import { createHmac } from 'node:crypto';
import { accessSync, constants } from 'node:fs';
import * as core from '@actions/core';

/** Saves a value for the post step, signed with `key`. Throws if the runner saves no state. */
export function saveState(name: string, value: object, key: string): void {
  const path = process.env.GITHUB_STATE;
  try {
    if (!path) throw new Error('the variable is not set');
    accessSync(path, constants.W_OK);
    core.saveState(name, JSON.stringify({ ...value, signature: sign(value, key) }));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(
      `\`ephemeral\` needs a runner that keeps state for the post step, but GITHUB_STATE is not usable: ${why}. Use \`expires_in\` instead.`,
    );
  }
}

/**
 * The saved value, if any. A later step can set a variable that looks like state to the post step, so the value must not be used until
 * `isSignedWith` has confirmed it.
 */
export function readState<T extends object>(
  name: string,
): { value: T; isSignedWith: (key: string) => boolean } | undefined {
  const text = core.getState(name);
  if (text === '') return undefined;
  const { signature, ...value } = JSON.parse(text) as T & { signature?: unknown };
  return { value: value as T, isSignedWith: (key) => signature === sign(value, key) };
}

function sign(value: object, key: string): string {
  return createHmac('sha256', key).update(JSON.stringify(value)).digest('hex');
}
