import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Saved } from '../../src/branch/ephemeral.ts';
import type { GitHubAccess } from '../../src/github/connect.ts';
import { lifecycle } from '../../src/lifecycle/action.ts';
import type { CommandName } from '../../src/lifecycle/auto.ts';
import type { LifecycleFacts, Step } from '../../src/lifecycle/facts.ts';
import type { Inputs } from '../../src/lifecycle/inputs.ts';
import type { Operation } from '../../src/service/types.ts';
import { createRecorder } from '../../src/step/action.ts';
import { parseEvent } from '../../src/step/event.ts';
import { invalidInputs, readInputs } from '../../src/step/inputs.ts';
import * as events from '../../tools/runner/events.ts';
import { Account, projectId } from './account.ts';
import { sourceOf } from './inputs.ts';
import { type MockApi, mockApi, type Sent } from './mock-api.ts';

/** A step of the root action in this process, with its inputs as in a workflow. */
export interface Made extends Pick<MockApi, 'api' | 'clock' | 'sent' | 'masked' | 'stop'> {
  step: Step;
  /** What the outputs would be, even if the step fails. */
  readonly result: LifecycleFacts & { operations: Pick<Operation, 'id' | 'action' | 'status'>[] };
  /** Lines of the log, and the warnings among them. */
  lines: string[];
  warnings: string[];
  /** What was saved for the post step, in order. */
  readonly saved: (Omit<Saved, 'create'> & { create: Saved['create'] | 'none' })[];
  /** The requests so far: `GET /branches/*`, without the polls of operations. */
  calls(): string[];
  /** The bodies of the requests to a route. */
  bodies(route: string): unknown[];
}

/** How a command ended. */
export interface Ended extends Made {
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
  connectGitHub?: NonNullable<GitHubAccess['connectGitHub']>;
  /** Called before the step runs. */
  prepare?: (made: Made) => void;
}

/** A step that has not run yet, for pull request 7 unless there is another event. */
export function makeStep(options: Options): Made {
  const { command, inputs = {}, account = new Account(), timeoutMs = 120_000 } = options;
  const mock = mockApi(account.respond, { timeoutMs });
  const { api, clock, sent, masked, stop } = mock;
  account.now = clock.now;
  const event = parseEvent(
    options.event ?? events.pullRequest({ number: 7, ...(command === 'delete' ? { action: 'closed' } : {}) }),
  );
  const mistaken = Object.keys(inputs).filter((input) => !(input in lifecycle.inputs));
  if (mistaken.length > 0) throw new Error(`No such input: ${mistaken.join(', ')}`);
  const mask = (value: string) => void masked.push(value);
  const access = { api_key: 'napi_secretkey', project_id: projectId, github_token: 'ghs_token' };
  const given = readInputs(lifecycle.inputs, { source: sourceOf({ ...access, command, ...inputs }), mask });
  const errors = [
    ...Object.values(given.errors),
    ...lifecycle.check({ inputs: given.inputs as Partial<Inputs>, event, now: clock.now() }),
  ];
  if (errors.length > 0) throw invalidInputs(errors);
  const lines: string[] = [];
  const warnings: string[] = [];
  const recorder = createRecorder(lifecycle.empty());
  const warn = (line: string) => {
    lines.push(line);
    warnings.push(line);
  };
  const add = (line: string) => void lines.push(line);
  const folder = mkdtempSync(join(tmpdir(), 'state-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const state = join(folder, 'state');
  writeFileSync(state, '');
  process.env.GITHUB_STATE = state;
  return {
    ...{ api, clock, sent, masked, stop, lines, warnings },
    get saved() {
      const found = readFileSync(state, 'utf8').match(/^(\{.*|none)$/gm) ?? [];
      return found.map((line) => JSON.parse(line === 'none' ? (found[0] ?? '').replace('"sent"', '"none"') : line));
    },
    get result() {
      return { ...recorder.facts(), operations: lines.flatMap(waitedFor) };
    },
    step: {
      inputs: given.inputs as Inputs,
      event,
      api,
      log: { info: add, debug: () => {}, notice: add, warning: warn, group: (_, all) => void lines.push(...all) },
      mask,
      ...recorder,
      ...(options.connectGitHub ? { connectGitHub: options.connectGitHub } : {}),
    } as Step,
    calls: () => sent.map(Account.route).filter((call) => !/^GET \/operations/.test(call)),
    bodies: (route) => sent.filter((one: Sent) => Account.route(one) === route).map(({ body }) => body),
  };
}

/** The operation that has succeeded, by a line of the log. */
function waitedFor(line: string): Pick<Operation, 'id' | 'action' | 'status'>[] {
  const [, action = '', id = '', status = ''] = /^Operation (\S+) \((\S+)\) (\w+) after/.exec(line) ?? [];
  return id === '' ? [] : [{ action, id, status }];
}

/** Runs the step to its end. */
export async function run(options: Options): Promise<Ended> {
  const made = makeStep(options);
  options.prepare?.(made);
  const ended = (error?: unknown): Ended =>
    Object.defineProperties({ error } as Ended, {
      ...Object.getOwnPropertyDescriptors(made),
      message: {
        value: error === undefined ? undefined : error instanceof Error ? error.message : String(error),
        enumerable: true,
      },
    });
  try {
    await lifecycle.run(made.step);
    return ended();
  } catch (error) {
    return ended(error);
  }
}
