import { commands } from './commands/index.ts';
import type { Context } from './context.ts';
import type { Inputs } from './inputs/fields.ts';
import { unusedInputs } from './inputs/unused.ts';
import { summarize } from './report/summary.ts';
import { type Result, redacted } from './result.ts';
import { exportEnvironment, writeOutputs, writeSummary } from './runner/outputs.ts';
import { consoleUrl } from './service/project.ts';
import { explain } from './step/explain.ts';
import { fail, log, redact } from './step/log.ts';

/** What a step has done, and how it ended. */
export interface Ended {
  command: Context['command'] | 'auto';
  result: Result;
  /** Undefined if they are invalid, or if the step was skipped. */
  inputs: Inputs | undefined;
  /** Set if the step has failed; whatever was thrown. */
  failed: { error: unknown } | undefined;
  wantsSummary: boolean;
  /** Duration so far. */
  ms(): number;
}

/** The end of every main step: outputs, environment, summary. The one place where a command's error becomes a failed step. */
export function finish(ended: Ended): void {
  const { command, result, inputs, failed } = ended;
  let failure: string | undefined;
  const unused = inputs && command !== 'auto' ? unusedInputs({ inputs, command }) : undefined;
  if (unused !== undefined) log.warning(unused, `Database Branch: ${command}`);
  if (failed) {
    failure = explain(failed.error, { apiHost: inputs?.api_host });
    fail(failure);
  }
  const problems = writeOutputs({ command, result, consoleUrl: pageOf(ended) });
  if (!failed && inputs?.export_env) problems.push(...exportEnvironment(result));
  if (problems.length > 0) {
    fail(problems.join('\n'));
    failure = [failure, ...problems].filter((part) => part !== undefined).join('\n');
  }
  if (!ended.wantsSummary) return;
  writeSummary(summarize(redacted({ command, result, failure, ms: ended.ms() }, redact)));
}

function pageOf({ command, result, inputs }: Ended): string | undefined {
  if (!result.branch || inputs?.project_id === undefined) return undefined;
  if (command === 'auto' || !commands[command].hasPage) return undefined;
  return consoleUrl({ apiHost: inputs.api_host, projectId: inputs.project_id, branchId: result.branch.id });
}
