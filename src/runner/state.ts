import { accessSync, constants } from 'node:fs';
import * as core from '@actions/core';

/** Keeps a value for the post step. Throws if the runner keeps no state. */
export function saveState(name: string, value: string): void {
  const path = process.env.GITHUB_STATE;
  try {
    if (!path) throw new Error('the variable is not set');
    accessSync(path, constants.W_OK);
    core.saveState(name, value);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(
      `\`ephemeral\` needs a runner that keeps state for the post step, but GITHUB_STATE is not usable: ${why}. Use \`expires_in\` instead.`,
    );
  }
}

export function readState(name: string): string {
  return core.getState(name);
}
