import { rulesFor } from '../../../src/commands/index.ts';
import { InputError, loadInputs } from '../../../src/inputs/load.ts';
import { parseEvent } from '../../../src/step/event.ts';
import type { GitHubEvent } from '../../../tools/runner/events.ts';
import * as events from '../../../tools/runner/events.ts';
import { defaults, sourceOf } from '../../../tools/runner/inputs.ts';

const rules = await rulesFor('manage');

export const now = Date.parse('2026-03-04T05:06:07Z');
export const access = { api_key: 'napi_secret99', project_id: 'shiny-wind-028834' };

/** The settings of a step of a pull request, unless there is another event, and what they mask and hide. */
export function load(
  given: Record<string, string>,
  event: GitHubEvent = events.pullRequest(),
  env: NodeJS.ProcessEnv = {},
) {
  const masked: string[] = [];
  const hidden: string[] = [];
  const settings = loadInputs({
    source: sourceOf({ ...defaults, ...access, ...given }),
    rules,
    event: parseEvent(event),
    env,
    now,
    mask: (secret) => masked.push(secret),
    hide: (secret) => hidden.push(secret),
  });
  return { settings, masked, hidden };
}

export function inputs(given: Record<string, string>, event?: GitHubEvent) {
  const { settings } = load(given, event);
  if ('skip' in settings) throw new Error('The step was skipped');
  return settings.inputs;
}

/** One message for each invalid input. */
export function messages(given: Record<string, string>, event?: GitHubEvent, env: NodeJS.ProcessEnv = {}): string[] {
  try {
    load(given, event, env);
  } catch (error) {
    if (error instanceof InputError) return error.errors;
    throw error;
  }
  return [];
}

/** The first input that a message names. */
export function inputOf(message: string): string | undefined {
  return /^\w+/.exec(message)?.[0];
}
