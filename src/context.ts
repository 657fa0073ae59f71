import type { Project } from './api/branches.ts';
import type { Client } from './http/client.ts';
import type { createDispatcher } from './http/dispatcher.ts';
import type { CommandName } from './inputs/commands.ts';
import type { Inputs } from './inputs/fields.ts';
import type { Result } from './result.ts';
import type { RunEvent } from './runner/event.ts';
import type { Log } from './runner/log.ts';

/** What became of the create of an ephemeral run's branch. */
export interface Remembered {
  name: string;
  /** `sent`: its answer is not there, and the branch may still appear. `refused`: it has certainly made none. */
  create: 'sent' | 'answered' | 'refused';
  /** Where it is known, so that a warning can name it. */
  id?: string;
}

/** What a command is given: plain values, and what it may touch. */
export interface Context {
  inputs: Inputs;
  /** The command that runs. */
  command: CommandName;
  event: RunEvent;
  api: Client;
  /** Makes the connections to GitHub; `createDispatcher` where it is left out. */
  connectGitHub?: typeof createDispatcher;
  log: Log;
  mask: (secret: string) => void;
  /** Notes what has happened so far, so that a run that fails later still says so in its outputs. */
  progress(done: Partial<Result>): unknown;
  /** Keeps for the post step what it needs to delete the branch of an ephemeral run; called before the create is sent. */
  remember(branch: Remembered): void;
}

export type Command = (context: Context) => Promise<Partial<Result>>;

/** The project a command works in. The check of the inputs has made sure that there is one. */
export function projectOf(context: Context): Project {
  const { api, inputs } = context;
  if (inputs.project_id === undefined) throw new Error('The input project_id is empty');
  return { api, projectId: inputs.project_id };
}
