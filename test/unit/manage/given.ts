import type { Inputs } from '../../../src/inputs/fields.ts';
import { parseEvent, type RunEvent } from '../../../src/step/event.ts';

const unset = ['resource', 'verb', 'resource_id', 'body', 'method', 'path', 'branch_name', 'branch_id'];

/** The inputs of `manage` in a project; those that are not given are not set. */
export function given(inputs: Partial<Inputs>): Partial<Inputs> {
  return {
    ...Object.fromEntries(unset.map((name) => [name, undefined])),
    project_id: 'p',
    if_exists: 'reuse',
    ...inputs,
  };
}

const event = (env: NodeJS.ProcessEnv): RunEvent => parseEvent({ env, payload: {} });
export const onPush = event({ GITHUB_EVENT_NAME: 'push', GITHUB_REF: 'refs/heads/feature/x' });
export const onSchedule = event({ GITHUB_EVENT_NAME: 'schedule' });
