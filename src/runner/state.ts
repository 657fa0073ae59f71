import * as core from '@actions/core';

/** Keeps a value for the post step. */
export function saveState(name: string, value: string): void {
  core.saveState(name, value);
}

export function readState(name: string): string {
  return core.getState(name);
}
