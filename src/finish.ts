import { commands } from './commands/index.ts';
import { commentOn } from './comment.ts';
import type { Context } from './context.ts';
import { proxyOf } from './http/environment.ts';
import type { Inputs } from './inputs/fields.ts';
import { unusedInputs } from './inputs/unused.ts';
import { advise } from './report/advice.ts';
import { gateFailure } from './report/diff.ts';
import { rehearsalFailure } from './report/rehearsal.ts';
import { summarize } from './report/summary.ts';
import { type Result, redacted } from './result.ts';
import { exportEnvironment, writeOutputs, writeSummary } from './runner/outputs.ts';
import { consoleUrl } from './service/project.ts';
import { fail, log, redact } from './step/log.ts';
import { asSentence, messageOf } from './text/format.ts';

/** What a step has done, and how it ended. */
export interface Ended {
  command: Context['command'] | 'auto';
  result: Result;
  /** Undefined if they are invalid, or if the step was skipped. */
  inputs: Inputs | undefined;
  /** Set if the step has failed; whatever was thrown. */
  failed: { error: unknown } | undefined;
  wantsSummary: boolean;
  docsUrl: string | undefined;
  /** Duration so far. */
  ms(): number;
}

/** Once the command has done its work: writes the comment, and throws if an input says that the step fails for what it has found. */
export async function commentAndCheck(context: Context, { comments }: { comments: boolean }): Promise<void> {
  if (comments) await commentOn(context);
  const { rehearsal, diff } = context.result();
  const sentences = [...(rehearsal ? rehearsalFailure(rehearsal) : []), diff && gateFailure(diff)].filter(
    (one) => one !== undefined,
  );
  if (sentences.length > 0) throw new GateError(sentences.join(' '), rehearsal?.exitCode || 1);
}

/** The end of every main step: outputs, environment, summary. The one place where a command's error becomes a failed step. */
export function finish(ended: Ended): void {
  const { command, result, inputs, failed, docsUrl } = ended;
  let failure: string | undefined;
  const unused = inputs && command !== 'auto' ? unusedInputs({ inputs, command }) : undefined;
  if (unused !== undefined) log.warning(unused, `Database Branch: ${command}`);
  if (failed) {
    failure = explain(failed.error, { command, inputs, result });
    fail(failure, failed.error instanceof GateError ? failed.error.exitCode : 1);
  }
  const problems = writeOutputs({ command, result, consoleUrl: pageOf(ended) });
  if (!failed && inputs?.export_env) problems.push(...exportEnvironment(result));
  if (problems.length > 0) {
    fail(problems.join('\n'));
    failure = [failure, ...problems].filter((part) => part !== undefined).join('\n');
  }
  if (!ended.wantsSummary) return;
  writeSummary(summarize(redacted({ command, result, failure, ms: ended.ms(), docsUrl }, redact)));
}

function pageOf({ command, result, inputs }: Ended): string | undefined {
  if (!result.branch || inputs?.project_id === undefined) return undefined;
  if (command === 'auto' || !commands[command].hasPage) return undefined;
  return consoleUrl({ apiHost: inputs.api_host, projectId: inputs.project_id, branchId: result.branch.id });
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

/** What happened and what to do next. */
function explain(error: unknown, situation: Pick<Ended, 'command' | 'inputs' | 'result'>): string {
  const message = messageOf(error);
  const proxy = situation.inputs && proxyOf(situation.inputs.api_host, process.env);
  const next = advise(error, { ...situation, proxy });
  const sentence = message.includes('\n') ? message : asSentence(message);
  if (error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError) {
    log.debug(error.stack ?? '');
    return `Bug in this action: ${sentence} Please report it, and attach the log of a run that has debug logging enabled.`;
  }
  return next ? `${sentence} ${next}` : sentence;
}
