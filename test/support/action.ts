import { type Action, createRecorder, type Facts, type Step } from '../../src/step/action.ts';
import { parseEvent } from '../../src/step/event.ts';
import { type CommonInputs, type Given, invalidInputs, readInputs } from '../../src/step/inputs.ts';
import type { ActionName } from '../../tools/runner/action.ts';
import * as events from '../../tools/runner/events.ts';
import { Account, projectId } from './account.ts';
import { defaultsOf, sourceOf } from './inputs.ts';
import { type MockApi, mockApi } from './mock-api.ts';

/** How an action ended that ran in this process, up to its outputs. */
export interface Ended<F> extends Pick<MockApi, 'clock' | 'sent' | 'masked'> {
  facts: F;
  /** The error, and its message, if it failed. */
  error: unknown;
  message: string | undefined;
  /** Lines of the log, and the warnings among them. */
  lines: string[];
  warnings: string[];
  /** The requests: `GET /branches/*`, without the polls of operations. */
  calls: string[];
}

/** Runs an action with its inputs as in a workflow, for pull request 7 unless there is another event. */
export async function runInProcess<I extends CommonInputs, F extends Facts>(
  action: Action<I, F>,
  options: {
    name: ActionName;
    inputs?: Record<string, string>;
    account?: Account;
    event?: events.GitHubEvent;
    /** The time for the step, in milliseconds, by the clock that only sleeping moves. */
    timeoutMs?: number;
  },
): Promise<Ended<F>> {
  const { name, inputs: given = {}, account = new Account(), timeoutMs = 120_000 } = options;
  const mock = mockApi(account.respond, { timeoutMs });
  const { api, clock, sent, masked } = mock;
  account.now = clock.now;
  const event = parseEvent(options.event ?? events.pullRequest({ number: 7 }));
  const standard = defaultsOf(name);
  const mistaken = Object.keys(given).filter((input) => !(input in standard));
  if (mistaken.length > 0) throw new Error(`No such input: ${mistaken.join(', ')}`);
  const access = { api_key: 'napi_secretkey', project_id: projectId };
  const mask = (secret: string) => void masked.push(secret);
  const source = sourceOf({ ...standard, ...access, ...given });
  const read = readInputs(action.inputs, { source, mask });
  const inputs = read.inputs as Given<I>;
  const [lines, warnings]: string[][] = [[], []];
  const recorder = createRecorder(action.empty());
  const add = (line: string) => void lines?.push(line);
  const warn = (line: string) => {
    add(line);
    warnings?.push(line);
  };
  const log = {
    info: add,
    debug: () => {},
    notice: add,
    warning: warn,
    group: (_: string, all: string[]) => all.forEach(add),
  };
  let error: unknown;
  try {
    const errors = [...Object.values(read.errors), ...action.check({ inputs, event, now: clock.now() })];
    if (errors.length > 0) throw invalidInputs(errors);
    const step: Step<I, F> = { inputs: inputs as I, event, api, log, mask, ...recorder };
    await action.run(step);
  } catch (thrown) {
    error = thrown;
  }
  return {
    ...{ facts: recorder.facts(), error, clock, sent, masked, lines: lines ?? [], warnings: warnings ?? [] },
    message: error === undefined ? undefined : error instanceof Error ? error.message : String(error),
    calls: sent.map(Account.route).filter((call) => !/^GET \/operations/.test(call)),
  };
}
