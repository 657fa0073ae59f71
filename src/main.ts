import * as core from '@actions/core';
import { commands } from './commands/index.ts';
import type { Context } from './context.ts';
import { writeComment } from './github/publish-comment.ts';
import { systemClock } from './http/clock.ts';
import { proxyOf } from './http/environment.ts';
import type { Inputs } from './inputs/fields.ts';
import { InputError, loadInputs } from './inputs/load.ts';
import { saveForPostStep } from './post-step.ts';
import { advise } from './report/advice.ts';
import { redacted } from './report/redacted.ts';
import { rehearsalFailure } from './report/rehearsal-log.ts';
import { gateFailure } from './report/review-log.ts';
import { summarize } from './report/summary.ts';
import { emptyResult, type Result, withDone, withStarted, withSucceeded } from './result.ts';
import { readEvent } from './runner/event.ts';
import { fail, hide, log, mask, redact } from './runner/log.ts';
import { exportEnvironment, writeOutputs } from './runner/outputs.ts';
import { writeSummary } from './runner/summary.ts';
import { consoleUrl } from './service/project.ts';
import { withService } from './session.ts';

/** Inputs → command → outputs. The one place where a command's error becomes a failed step. `@github/local-action` calls it by this name. */
export async function run(): Promise<void> {
  let result = emptyResult();
  let command: Context['command'] | 'auto' = 'auto';
  let inputs: Inputs | undefined;
  let failure: string | undefined;
  let wantsSummary = true;
  let docsUrl: string | undefined;
  const started = systemClock.now();
  try {
    const event = readEvent(process.env);
    ({ docsUrl } = event);
    const settings = loadInputs({ source: core, rules: commands, event, env: process.env, now: started, mask, hide });
    command = settings.command;
    wantsSummary = 'skip' in settings ? settings.summary : settings.inputs.summary;
    if ('skip' in settings) {
      result = { ...result, action: 'skipped', skipped: true, done: `Skipped: ${settings.skip}` };
      const by = settings.reason === 'missing-key' ? ' (`on_missing_key: skip`)' : '';
      log.notice(`${result.done}${by}`, 'Database Branch: skipped');
    } else {
      inputs = settings.inputs;
      log.info(
        `Running \`${command}\`${inputs.project_id ? ` in project ${inputs.project_id}` : ''} at ${inputs.api_host}`,
      );
      const recorder: Recorder = {
        progress: (done) => (result = withDone(result, done)),
        result: () => result,
        started: (operations) => (result = withStarted(result, operations)),
        succeeded: (operation) => (result = withSucceeded(result, operation)),
      };
      result = await runCommand({ command: settings.command, inputs, event, recorder });
      log.notice(result.done, `Database Branch: ${command}`);
    }
  } catch (error) {
    if (error instanceof InputError) ({ summary: wantsSummary, command } = error);
    failure = explain(error, { inputs, result });
    fail(failure, error instanceof GateError ? error.exitCode : 1);
  }
  const problems = writeOutputs({ command, result, consoleUrl: pageOf({ command, result, inputs }) });
  if (failure === undefined && inputs?.export_env) problems.push(...exportEnvironment(result));
  if (problems.length > 0) {
    fail(problems.join('\n'));
    failure = [failure, ...problems].filter((part) => part !== undefined).join('\n');
  }
  if (!wantsSummary) return;
  const facts = { command, result, failure, ms: systemClock.now() - started, docsUrl };
  writeSummary(summarize(redacted(facts, redact)));
}

/** Commands that leave a branch to look at. */
const withPage = ['create', 'get', 'reset', 'wait', 'diff'];

function pageOf(facts: { command: string; result: Result; inputs: Inputs | undefined }): string | undefined {
  const { command, result, inputs } = facts;
  if (!result.branch || inputs?.project_id === undefined || !withPage.includes(command)) return undefined;
  return consoleUrl({ apiHost: inputs.api_host, projectId: inputs.project_id, branchId: result.branch.id });
}

/** Keeps the result of a step, also for an error that comes later. */
type Recorder = Pick<Context, 'started' | 'succeeded' | 'result'> & { progress(done: Partial<Result>): Result };

function runCommand(options: {
  command: Context['command'];
  inputs: Inputs;
  event: Context['event'];
  recorder: Recorder;
}): Promise<Result> {
  const { command, inputs, event, recorder } = options;
  const { progress } = recorder;
  return withService({ inputs }, async (api) => {
    const context: Context = {
      inputs,
      command,
      event,
      api,
      log,
      mask,
      ...recorder,
      saveForPostStep(branch) {
        if (inputs.ephemeral || commands[command].ephemeral) saveForPostStep({ command, inputs, branch });
      },
    };
    const result = progress(await commands[command].run(context));
    const reported = commands[command].comments ? progress(await writeComment({ context, result, redact })) : result;
    checkGates(reported, inputs);
    return reported;
  });
}

/** The step fails although its command has done what it was asked to do. */
class GateError extends Error {
  override readonly name = 'GateError';
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Throws if an input says that the step fails for what it has found. */
function checkGates({ rehearsal, diff }: Result, inputs: Inputs): void {
  const sentences = [
    ...(rehearsal ? rehearsalFailure(rehearsal, { maxLockMs: inputs.max_lock }) : []),
    diff && gateFailure(diff),
  ].filter((one) => one !== undefined);
  if (sentences.length > 0) throw new GateError(sentences.join(' '), rehearsal?.exitCode || 1);
}

/** What happened and what to do next. */
function explain(error: unknown, situation: { inputs: Inputs | undefined; result: Result }): string {
  const message = error instanceof Error ? error.message : String(error);
  const proxy = situation.inputs && proxyOf(situation.inputs.api_host, process.env);
  const next = advise(error, { ...situation, proxy });
  const sentence = /[.!?]$/.test(message) || message.includes('\n') ? message : `${message}.`;
  if (error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError) {
    log.debug(error.stack ?? '');
    return `Bug in this action: ${sentence} Please report it, and attach the log of a run that has debug logging enabled.`;
  }
  return next ? `${sentence} ${next}` : sentence;
}
