import { commands } from '../../src/commands/index.ts';
import type { Context } from '../../src/context.ts';
import type { CommandName } from '../../src/inputs/commands.ts';
import { loadInputs } from '../../src/inputs/load.ts';
import type { Result } from '../../src/result.ts';
import { parseEvent } from '../../src/runner/event.ts';
import * as events from '../support/events.ts';
import { projectId } from './account.ts';
import { sourceOf } from './inputs.ts';
import type { Line } from './service.ts';

/** What starts every run: pull request 7. */
export const event = parseEvent(events.pullRequest({ number: 7 }));
const closed = parseEvent(events.pullRequest({ number: 7, action: 'closed' }));

/** The settings of a step, from its inputs; throws an `InputError` where they are none. */
export function settingsOf(
  command: CommandName,
  inputs: Record<string, string>,
  mask: (secret: string) => void = () => {},
): Context['inputs'] {
  const settings = loadInputs({
    source: sourceOf({ api_key: 'napi_key', project_id: projectId, command, ...inputs }),
    event: command === 'delete' ? closed : event,
    now: Date.parse('2026-03-04T05:06:07Z'),
    mask,
  });
  if ('skip' in settings) throw new Error('there is a key, and the step is skipped');
  return settings.inputs;
}

/** How a command ended, and what it had told by then. */
export interface Ending {
  result?: Partial<Result>;
  error?: unknown;
  told: Partial<Result>;
  /** What `look` has thrown. */
  faults: unknown[];
}

/** Plays a command to its end. `look` is shown all that it tells on the way. */
export async function play(options: {
  command: CommandName;
  inputs: Context['inputs'];
  line: Line;
  mask?: (secret: string) => void;
  look?: (told: Partial<Result> | string) => void;
}): Promise<Ending> {
  const { command, inputs, line, mask = () => {}, look = () => {} } = options;
  const faults: unknown[] = [];
  const tell = (one: Partial<Result> | string) => {
    try {
      look(one);
    } catch (fault) {
      faults.push(fault);
    }
  };
  let told: Partial<Result> = {};
  const progress = (done: Partial<Result>) => {
    tell(done);
    told = { ...told, ...done };
  };
  try {
    const result = await commands[command]({
      inputs,
      command,
      event,
      api: line.api,
      connectGitHub: line.connectGitHub,
      log: { info: tell, debug: tell, notice: tell, warning: tell },
      mask,
      progress,
      saveForPostStep: () => {},
    });
    progress(result);
    return { result, told, faults };
  } catch (error) {
    return { error: error ?? 'nothing was thrown', told, faults };
  } finally {
    await line.api.close();
  }
}

/** An error has to say something to whoever reads it. */
export function checkError(error: unknown): void {
  if (!(error instanceof Error)) throw new Error(`threw ${JSON.stringify(error)}`);
  // These are faults of the code, and nobody who reads them knows what to do.
  if (error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError) throw error;
  const readable =
    /^\S+( \S+){2,}/.test(error.message) && !/\bundefined\b|\bNaN\b|\[object |^no \S+ at /.test(error.message);
  if (!readable) throw new Error(`is no sentence: ${JSON.stringify(error.message)}`);
}
