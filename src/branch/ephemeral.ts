import * as core from '@actions/core';
import { RefusedError } from '../service/errors.ts';

/** What the post step needs to know about a branch that a step creates. The runner keeps it as state. */
export interface Saved {
  /** `probe`: the second copy of a rehearsal, for `probe_locks`. */
  kind: 'ephemeral' | 'rehearsal' | 'probe';
  /** Where it is: a later step may change what these inputs are made of. */
  where: { project_id: string; api_host: string };
  name: string;
  /** In the metadata of the branch if this step has created it. */
  createId: string;
  /** Whose it is, by its metadata. */
  owner: Record<string, string>;
  /** `sent`: there is no response yet, and the branch may still appear. */
  create: 'sent' | 'created';
  /** Known once the create has responded. */
  id?: string | undefined;
  /** When this was saved, in milliseconds since the epoch. */
  at?: number;
}

/** The states in which it is saved, by the kind of branch. */
const states = { ephemeral: 'ephemeral', rehearsal: 'ephemeral', probe: 'probe' };

/** Saves what the post step needs to delete the branch: before the create is sent, and again whenever more is known. */
export function saveForPostStep(saved: Saved): void {
  if (!process.env.GITHUB_STATE) {
    throw new RefusedError(
      'The runner keeps no state for the post step (GITHUB_STATE is not set), so nothing would delete the branch when the job ends. Use another runner.',
    );
  }
  core.saveState(states[saved.kind], JSON.stringify({ ...saved, at: Date.now() }));
}

/** For a branch that the step has not created after all, or has deleted again. */
export function forgetForPostStep(kind: Saved['kind']): void {
  core.saveState(states[kind], 'none');
}

/** What was saved last of each branch that may exist. Throws if that was changed. */
export function readSaved(): Saved[] {
  const texts = [states.ephemeral, states.probe].map((name) => core.getState(name));
  const all = texts.filter((text) => text && text !== 'none').map((text) => JSON.parse(text) as Saved);
  if (all.every((one) => one?.createId && one.name && one.where)) return all;
  throw new RefusedError('The state of this step was changed, so nothing was deleted. Delete its branch manually.');
}
