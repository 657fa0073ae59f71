import * as core from '@actions/core';
import { RefusedError } from '../service/errors.ts';

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

/** Saves what the post step needs to delete the branch: before the create is sent, and again whenever more is known. */
export function saveForPostStep(saved: Saved): void {
  if (!process.env.GITHUB_STATE) {
    throw new RefusedError(
      'The runner keeps no state for the post step (GITHUB_STATE is not set), so nothing would delete the branch when the job ends. Use another runner.',
    );
  }
  core.saveState(stateName, JSON.stringify({ ...saved, at: Date.now() }));
}

/** What `saveForPostStep` has saved last, if anything. */
export function readSaved(): Saved | undefined {
  const text = core.getState(stateName);
  return text === '' ? undefined : (JSON.parse(text) as Saved);
}
