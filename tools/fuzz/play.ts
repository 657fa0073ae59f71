import { commands, rulesFor } from '../../src/commands/index.ts';
import type { Context } from '../../src/context.ts';
import type { CommandName } from '../../src/inputs/commands.ts';
import { loadInputs } from '../../src/inputs/load.ts';
import { createRecorder, type Result } from '../../src/result.ts';
import { parseEvent } from '../../src/step/event.ts';
import * as events from '../runner/events.ts';
import { sourceOf } from '../runner/inputs.ts';
import { projectId } from './account.ts';
import type { Line } from './service.ts';

const rules = await rulesFor('manage');

/** The event of every run: pull request 7. */
export const event = parseEvent(events.pullRequest({ number: 7 }));
const closed = parseEvent(events.pullRequest({ number: 7, action: 'closed' }));

/** The settings of a step; throws an `InputError` if the inputs are invalid. */
export function settingsOf(
  command: CommandName,
  inputs: Record<string, string>,
  mask: (secret: string) => void = () => {},
): Context['inputs'] {
  const settings = loadInputs({
    source: sourceOf({ api_key: 'napi_key', project_id: projectId, command, ...inputs }),
    rules,
    event: command === 'delete' ? closed : event,
    now: Date.parse('2026-03-04T05:06:07Z'),
    mask,
  });
  if ('skip' in settings) throw new Error('the step is skipped despite its key');
  return settings.inputs;
}

/** How a command ended, and what it had reported by then. */
export interface Ending {
  error?: unknown;
  reported: Result;
  /** Errors thrown by `look`. */
  lookErrors: unknown[];
}

/** Runs a command to its end. `look` gets everything that it reports and logs. */
export async function play(options: {
  command: CommandName;
  inputs: Context['inputs'];
  line: Line;
  mask?: (secret: string) => void;
  look?: (reported: Partial<Result> | string) => void;
}): Promise<Ending> {
  const { command, inputs, line, mask = () => {}, look = () => {} } = options;
  const lookErrors: unknown[] = [];
  const tell = (one: Partial<Result> | string) => {
    try {
      look(one);
    } catch (error) {
      lookErrors.push(error);
    }
  };
  const recorder = createRecorder();
  try {
    await commands[command].run({
      inputs,
      command,
      event,
      api: line.api,
      connectGitHub: line.connectGitHub,
      log: { info: tell, debug: tell, notice: tell, warning: tell, group: (_, lines) => lines.forEach(tell) },
      mask,
      ...recorder,
      progress(done) {
        tell(done);
        recorder.progress(done);
      },
      started(operations) {
        recorder.started(operations);
        tell(recorder.result());
      },
      succeeded(operation) {
        recorder.succeeded(operation);
        tell(recorder.result());
      },
      saveForPostStep: () => {},
    });
    return { reported: recorder.result(), lookErrors };
  } catch (error) {
    return { error: error ?? 'nothing was thrown', reported: recorder.result(), lookErrors };
  } finally {
    await line.api.close();
  }
}

/** Checks that an error is meaningful to users. */
export function checkError(error: unknown): void {
  if (!(error instanceof Error)) throw new Error(`threw ${JSON.stringify(error)}`);
  // These come from bugs, and users can't act on them.
  if (error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError) throw error;
  const readable =
    /^\S+( \S+){2,}/.test(error.message) && !/\bundefined\b|\bNaN\b|\[object |^no \S+ at /.test(error.message);
  if (!readable) throw new Error(`is not a readable message: ${JSON.stringify(error.message)}`);
}
