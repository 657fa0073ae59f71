import { rulesFor } from '../../../src/commands/index.ts';
import { loadInputs } from '../../../src/inputs/load.ts';
import { parseEvent, type RunEvent } from '../../../src/step/event.ts';
import { sourceOf } from '../../../tools/runner/inputs.ts';

const rules = await rulesFor('manage');

export const event = (env: NodeJS.ProcessEnv = {}): RunEvent => parseEvent({ env, payload: {} });
export const onPush = event({ GITHUB_EVENT_NAME: 'push', GITHUB_REF: 'refs/heads/feature/x' });
export const onSchedule = event({ GITHUB_EVENT_NAME: 'schedule' });

/** The inputs of `command: manage`, without the defaults of `action.yml`. */
export function load(given: Record<string, string>, at: RunEvent = onSchedule) {
  const source = sourceOf({ api_key: 'k', command: 'manage', export_env: 'false', ...given });
  const loaded = loadInputs({ source, rules, event: at, now: 0, mask: () => {} });
  if ('skip' in loaded) throw new Error('The step was skipped');
  return loaded.inputs;
}

export const project = { project_id: 'shiny-wind-028834' };
export const branch = { ...project, branch_id: 'br-1' };
