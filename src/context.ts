import type { BranchStep } from './branch/step.ts';
import type { Client } from './http/client.ts';
import type { createFetch } from './http/transport.ts';
import type { CommandName } from './inputs/commands.ts';
import type { Inputs } from './inputs/fields.ts';
import type { Recorder } from './result.ts';
import type { Project } from './service/project.ts';
import type { RunEvent } from './step/event.ts';
import type { Log } from './step/log.ts';

/** What a command is given: plain values, and what it may use. */
export interface Context extends Recorder {
  inputs: Inputs;
  /** The command that runs. */
  command: CommandName;
  event: RunEvent;
  api: Client;
  /** Connects to GitHub; default `createFetch`. */
  connectGitHub?: typeof createFetch;
  log: Log;
  mask: (secret: string) => void;
  /** The same as `progress`. */
  record: BranchStep['record'];
}

/** The project that a command works in. The check of the inputs has made sure that there is one. */
export function projectOf(context: Context): Project {
  const { api, inputs } = context;
  if (inputs.project_id === undefined) throw new Error('The input project_id is empty');
  return { api, projectId: inputs.project_id };
}
