import { accessSync, constants } from 'node:fs';
import * as core from '@actions/core';
import { log } from '../step/log.ts';
import { messageOf } from '../text/format.ts';

/** What the post step needs to know about a branch that a step creates. The runner keeps it as state. */
export interface Saved {
  kind: 'ephemeral' | 'rehearsal';
  name: string;
  /** In the metadata of the branch if this step has created it. */
  createId: string;
  /** Whose it is, by its metadata. */
  owner: Record<string, string>;
  /** `sent`: there is no response yet, and the branch may still appear. `none`: the step has created none, or deleted it again. */
  create: 'sent' | 'created' | 'none';
  /** Known once the create has responded. */
  id?: string | undefined;
  /** When this was saved, in milliseconds since the epoch. */
  at?: number;
}

const stateName = 'ephemeral';

/**
 * Saves what the post step needs to delete the branch: before the create is sent, and again whenever more is known. Throws before the create if the
 * runner saves no state; a rehearsal, which deletes its branch itself, goes on.
 */
export function saveForPostStep(saved: Saved): void {
  const path = process.env.GITHUB_STATE;
  try {
    if (!path) throw new Error('the variable is not set');
    accessSync(path, constants.W_OK);
    core.saveState(stateName, JSON.stringify({ ...saved, at: Date.now() }));
  } catch (error) {
    // After the create, what was saved before it is enough to find the branch by its create ID.
    if (saved.create !== 'sent') return;
    const problem = `GITHUB_STATE is not usable: ${messageOf(error)}`;
    if (saved.kind === 'ephemeral') {
      throw new Error(
        `\`ephemeral\` needs a runner that keeps state for the post step, but ${problem}. Use \`expires_in\` instead.`,
      );
    }
    log.info(
      `Could not save what the post step needs, because ${problem}. If this step fails to delete its branch, the branch remains until it expires.`,
    );
  }
}

/** What `saveForPostStep` has saved last, if anything. */
export function readSaved(): Saved | undefined {
  const text = core.getState(stateName);
  return text === '' ? undefined : (JSON.parse(text) as Saved);
}
