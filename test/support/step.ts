import type { Saved } from '../../src/branch/ephemeral.ts';
import { commands, rulesFor } from '../../src/commands/index.ts';
import type { Context } from '../../src/context.ts';
import type { CommandName } from '../../src/inputs/commands.ts';
import { loadInputs } from '../../src/inputs/load.ts';
import { createRecorder, type Result } from '../../src/result.ts';
import { parseEvent } from '../../src/step/event.ts';
import * as events from '../../tools/runner/events.ts';
import { defaults, sourceOf } from '../../tools/runner/inputs.ts';
import { Account, projectId } from './account.ts';
import { type MockApi, mockApi, type Sent } from './mock-api.ts';

const rules = await rulesFor('manage');

/** A step in this process, with its inputs as in a workflow. */
export interface Step extends Pick<MockApi, 'api' | 'clock' | 'sent' | 'masked' | 'stop'> {
  context: Context;
  /** What the outputs would be, even if the step fails. */
  readonly result: Result;
  /** Lines of the log, and the warnings among them. */
  lines: string[];
  warnings: string[];
  /** What was saved for the post step, in order. */
  saved: Omit<Saved, 'kind'>[];
  /** The requests so far: `GET /branches/*`, without the polls of operations. */
  calls(): string[];
  /** The bodies of the requests to a route. */
  bodies(route: string): unknown[];
}

/** How a command ended. */
export interface Ended extends Step {
  /** The message of the error, if it failed. */
  message: string | undefined;
  error: unknown;
}

interface Options {
  command: CommandName;
  inputs?: Record<string, string>;
  account?: Account;
  event?: events.GitHubEvent;
  /** The time for the step, in milliseconds, by the clock that only sleeping moves. */
  timeoutMs?: number;
  connectGitHub?: NonNullable<Context['connectGitHub']>;
  /** Called before the step runs. */
  prepare?: (made: Step) => void;
}

/** A step that has not run yet, for pull request 7 unless there is another event. */
export function step(options: Options): Step {
  const { command, inputs = {}, account = new Account(), timeoutMs = 120_000 } = options;
  const mock = mockApi(account.respond, { timeoutMs });
  const { api, clock, sent, masked, stop } = mock;
  account.now = clock.now;
  const event = parseEvent(options.event ?? events.pullRequest({ number: 7 }));
  const mistaken = Object.keys(inputs).filter((input) => !(input in defaults));
  if (mistaken.length > 0) throw new Error(`No such input: ${mistaken.join(', ')}`);
  const access = { api_key: 'napi_secretkey', project_id: projectId };
  const settings = loadInputs({
    source: sourceOf({ ...defaults, ...access, command, ...inputs }),
    rules,
    event,
    now: clock.now(),
    mask: (value) => masked.push(value),
  });
  if ('skip' in settings) throw new Error(`The step is skipped: ${settings.skip}`);
  const lines: string[] = [];
  const warnings: string[] = [];
  const saved: Omit<Saved, 'kind'>[] = [];
  const recorder = createRecorder();
  const warn = (line: string) => {
    lines.push(line);
    warnings.push(line);
  };
  const add = (line: string) => void lines.push(line);
  const made: Step = {
    ...{ api, clock, sent, masked, stop, lines, warnings, saved },
    get result() {
      return recorder.result();
    },
    context: {
      inputs: settings.inputs,
      command: settings.command,
      event,
      api,
      log: { info: add, debug: () => {}, notice: add, warning: warn, group: (_, all) => void lines.push(...all) },
      mask: (value) => void masked.push(value),
      ...recorder,
      record: recorder.progress,
      ...(options.connectGitHub ? { connectGitHub: options.connectGitHub } : {}),
    },
    calls: () => sent.map(Account.route).filter((call) => !/^GET \/operations/.test(call)),
    bodies: (route) => sent.filter((one: Sent) => Account.route(one) === route).map(({ body }) => body),
  };
  return made;
}

/** Runs a command to its end. */
export async function run(options: Options): Promise<Ended> {
  const made = step(options);
  options.prepare?.(made);
  try {
    await commands[options.command].run(made.context);
    return Object.assign(made, { message: undefined, error: undefined });
  } catch (error) {
    return Object.assign(made, { message: error instanceof Error ? error.message : String(error), error });
  }
}
