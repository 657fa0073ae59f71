import * as core from '@actions/core';
import { commands } from './commands/index.ts';
import type { Context } from './context.ts';
import { remember } from './ephemeral.ts';
import { writeComment } from './github/publish-comment.ts';
import { systemClock } from './http/clock.ts';
import type { Inputs } from './inputs/fields.ts';
import { InputError, loadInputs } from './inputs/load.ts';
import { advise } from './report/advice.ts';
import { redacted } from './report/redacted.ts';
import { summarize } from './report/summary.ts';
import { emptyResult, type Result } from './result.ts';
import { readEvent } from './runner/event.ts';
import { fail, log, mask, redact } from './runner/log.ts';
import { exportEnvironment, writeOutputs } from './runner/outputs.ts';
import { writeSummary } from './runner/summary.ts';
import { withService } from './session.ts';

/** Inputs → command → outputs. The one place where an error becomes a failed step. */
export async function main(): Promise<void> {
  let result = emptyResult();
  let command: Context['command'] | 'auto' = 'auto';
  let inputs: Inputs | undefined;
  let failure: string | undefined;
  let wantsSummary = true;
  const started = systemClock.now();
  try {
    const event = readEvent(process.env);
    const settings = loadInputs({ source: core, event, now: started, mask });
    command = settings.command;
    wantsSummary = 'skip' in settings ? settings.summary : settings.inputs.summary;
    if ('skip' in settings) {
      result = { ...result, skipped: true, done: settings.skip };
      log.notice(`${settings.skip}; skipped (\`on_missing_key: skip\`)`, 'Database Branch: skipped');
    } else {
      inputs = settings.inputs;
      log.info(
        `Command ${command}${inputs.project_id ? ` in project ${inputs.project_id}` : ''} at ${inputs.api_host}`,
      );
      result = await run({
        command: settings.command,
        inputs,
        event,
        progress: (done) => (result = { ...result, ...done }),
      });
      log.notice(result.done, `Database Branch: ${command}`);
    }
  } catch (error) {
    if (error instanceof InputError) ({ summary: wantsSummary, command } = error);
    failure = explain(error, { inputs, result });
    fail(failure);
  }
  writeOutputs({ command, result });
  if (failure === undefined && inputs?.export_env) exportEnvironment(result);
  if (!wantsSummary) return;
  const told = { command, result, failure, ms: systemClock.now() - started };
  await writeSummary(summarize(redacted(told, redact)));
}

function run(options: {
  command: Context['command'];
  inputs: Inputs;
  event: Context['event'];
  progress: (done: Partial<Result>) => Result;
}): Promise<Result> {
  const { command, inputs, event, progress } = options;
  return withService({ inputs }, async (api) => {
    const context: Context = {
      inputs,
      command,
      event,
      api,
      log,
      mask,
      progress,
      remember: (branch) => remember({ inputs, event, branch }),
    };
    const result = progress(await commands[command](context));
    return progress(await writeComment({ context, result, redact }));
  });
}

/** What happened and what to do next. Whatever is thrown, it says something. */
function explain(error: unknown, situation: { inputs: Inputs | undefined; result: Result }): string {
  const message = error instanceof Error ? error.message : String(error);
  const next = advise(error, situation);
  const sentence = /[.!?]$/.test(message) || message.includes('\n') ? message : `${message}.`;
  if (error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError) {
    log.debug(error.stack ?? '');
    return `Unexpected fault in this action: ${sentence} Please report it with the log of a run with debug logging.`;
  }
  return next ? `${sentence} ${next}` : sentence;
}
