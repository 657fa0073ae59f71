import type { RunEvent } from './event.ts';
import type { Inputs } from './inputs.ts';
import * as runner from './outputs.ts';

/** What the post step has to know of an ephemeral run, kept in the runner's state. */
interface Promised {
  branchName: string;
  runId: string;
  projectId: string;
  /** Whether the create was answered: if not, the branch may still appear. */
  answered: boolean;
}

const stateName = 'ephemeral';

/** Keeps what the post step needs to delete the branch again. Called before the create is sent, and once it is answered. */
export function remember(options: {
  inputs: Inputs;
  event: RunEvent;
  branch: { name: string; answered: boolean };
}): void {
  const { inputs, event, branch } = options;
  if (!inputs.ephemeral || inputs.project_id === undefined) return;
  const promised: Promised = {
    branchName: branch.name,
    runId: event.runId,
    projectId: inputs.project_id,
    answered: branch.answered,
  };
  runner.saveState(stateName, JSON.stringify(promised));
}

/** What `ephemeral` promised. Never fails the job, and says why it did nothing. */
export async function post(): Promise<void> {
  const state = runner.readState(stateName);
  if (state === '') return;
}
