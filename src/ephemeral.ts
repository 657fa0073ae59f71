import { createHmac } from 'node:crypto';
import { accessSync, constants } from 'node:fs';
import * as core from '@actions/core';
import type { Context, EphemeralBranch } from './context.ts';
import { systemClock } from './http/clock.ts';
import { fingerprintEnvironment } from './http/environment.ts';
import type { Inputs } from './inputs/fields.ts';
import { propagationMs } from './service/propagation-window.ts';
import { limits } from './step/limits.ts';
import { log } from './step/log.ts';
import { messageOf } from './text/format.ts';

/** What the post step needs to know about an ephemeral run or a rehearsal. The runner keeps it as state. */
export interface Saved extends EphemeralBranch {
  command: Context['command'];
  /** Of the variables that decide where the key goes; without their values. */
  environment: string;
  /** When the propagation window of the branch closes, by the runner's clock: milliseconds since the epoch. */
  windowUntil: number;
  /** The main step's inputs: the runner evaluates inputs again for the post step, and a later step may have changed them. */
  inputs: Pick<Inputs, 'project_id' | 'api_host' | 'hard_delete' | 'timeout'>;
}

const stateName = 'ephemeral';

/**
 * The shortest and the longest timeout of the post step, in milliseconds, whatever `timeout` is. If the job was cancelled, GitHub kills
 * the step without a message, so it must warn before then that the branch still exists.
 */
const timeoutMs = { shortest: 40_000, longest: limits.cancelledJobMs - limits.sigintMs - limits.sigtermMs - 20_000 };

/**
 * Saves what the post step needs to delete the branch, signed with the key. Called before the create is sent, and again whenever more is
 * known. Throws before the create if the runner saves no state, unless the command itself ends with the branch deleted.
 */
export function saveForPostStep(options: {
  command: Context['command'];
  inputs: Inputs;
  branch: EphemeralBranch;
  /** Whether the command itself ends with the branch deleted. */
  endsItself: boolean;
}): void {
  const { command, inputs, branch, endsItself } = options;
  const saved: Saved = {
    ...branch,
    command,
    environment: fingerprintEnvironment(process.env),
    windowUntil: systemClock.now() + propagationMs.branch,
    inputs: {
      project_id: inputs.project_id,
      api_host: inputs.api_host,
      // The rows of a rehearsal must not be recoverable.
      hard_delete: inputs.hard_delete || endsItself,
      timeout: Math.min(timeoutMs.longest, Math.max(timeoutMs.shortest, inputs.timeout)),
    },
  };
  const path = process.env.GITHUB_STATE;
  try {
    if (!path) throw new Error('the variable is not set');
    accessSync(path, constants.W_OK);
    core.saveState(stateName, JSON.stringify({ ...saved, signature: sign(saved, inputs.api_key ?? '') }));
  } catch (error) {
    const problem = `GITHUB_STATE is not usable: ${messageOf(error)}`;
    // A rehearsal deletes its branch itself, unless it fails before it can use it; and the branch expires.
    if (branch.create === 'sent' && !endsItself)
      throw new Error(
        `\`ephemeral\` needs a runner that keeps state for the post step, but ${problem}. Use \`expires_in\` instead.`,
      );
    // After the create, what was saved before it is enough to find the branch by its create ID.
    if (branch.create === 'sent')
      log.info(
        `Could not save what the post step needs, because ${problem}. If this step fails to delete its branch, the branch remains until it expires.`,
      );
  }
}

/**
 * What `saveForPostStep` has saved last, if anything. A later step can set a variable that looks like state to the post step, so the value
 * must not be used until `isSignedWith` has confirmed it.
 */
export function readSaved(): { value: Saved; isSignedWith: (key: string) => boolean } | undefined {
  const text = core.getState(stateName);
  if (text === '') return undefined;
  const { signature, ...value } = JSON.parse(text) as Saved & { signature?: unknown };
  return { value, isSignedWith: (key) => signature === sign(value, key) };
}

function sign(saved: Saved, key: string): string {
  return createHmac('sha256', key).update(JSON.stringify(saved)).digest('hex');
}
