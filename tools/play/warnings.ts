import { isNode, isScalar, LineCounter, parseDocument } from 'yaml';
import type { Workflow } from '../../test/repository/workflows.ts';
import { actionOf } from '../runner/repository.ts';
import { PULL_REQUEST_TYPES, triggers, type WorkflowFile } from '../runner/workflow/file.ts';
import { commandOf } from './workflow.ts';

/**
 * Warnings about a valid workflow, as `path:line:column: message`: what works differently on GitHub than intended
 * or simulated. `repositories` are the names of the repository with the actions.
 */
export function warningsOf(
  text: string,
  path: string,
  { repositories, workspace }: { repositories?: string[]; workspace?: string | undefined } = {},
): string[] {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const warnings: string[] = [];
  /** `number` is that of a line of a script, which a block has below its `|`. */
  const warn = (at: (string | number)[], message: string, number?: number) => {
    const node = document.getIn(at, true);
    const { line, col } = lines.linePos((isNode(node) && node.range?.[0]) || 0);
    const isBlock = number !== undefined && isScalar(node) && node.type?.startsWith('BLOCK');
    warnings.push(`${path}:${isBlock ? `${line + 1 + number}:1` : `${line}:${col}`}: ${message}`);
  };
  const file = document.toJS() as Workflow & WorkflowFile;
  let deletesOnClose = false;
  const place =
    workspace === undefined ? 'in an empty folder; `--workspace FOLDER` runs it in your checkout' : `in ${workspace}`;
  for (const [id, job] of Object.entries(file.jobs)) {
    const steps = [...(job.steps ?? []).entries()];
    const ids = new Set(steps.flatMap(([, step]) => (actionOf(step.uses, repositories) && step.id) ?? []));
    for (const [index, step] of steps) {
      const inStep = ['jobs', id, 'steps', index];
      for (const [number, line] of (step.run ?? '').split('\n').entries()) {
        const why = lossIn(line, ids);
        if (why !== undefined) warn([...inStep, 'run'], why, number);
      }
      const action = actionOf(step.uses, repositories);
      if (!action) continue;
      const command = commandOf(step, action);
      /** Where the step says what it does. */
      const commandAt = action === 'lifecycle' ? [...inStep, 'with', 'command'] : [...inStep, 'uses'];
      const { ephemeral, api_key: key = '' } = step.with ?? {};
      if (isReadable(String(key)))
        warn(
          [...inStep, 'with', 'api_key'],
          '`api_key` should come from `secrets`: anyone who can read the workflow or the variables can read it.',
        );
      if (command === 'rehearse') warn(commandAt, `The \`run\` of a rehearsal runs on this machine, ${place}.`);
      if (command === 'auto' && String(ephemeral).toLowerCase() !== 'true') deletesOnClose = true;
    }
  }
  for (const [event, types = PULL_REQUEST_TYPES] of triggers(file)) {
    if (!deletesOnClose || !/^pull_request(_target)?$/.test(event) || types.includes('closed')) continue;
    const why = 'its types lack `closed`, so this workflow does not delete the branch when the pull request closes.';
    warn(document.hasIn(['on', event]) ? ['on', event] : ['on'], `Event ${event}: ${why}`);
  }
  return warnings;
}

/** Whether a value is a literal or from a variable. Environment variables, inputs and outputs may have a secret as their value. */
function isReadable(value: string): boolean {
  return value !== '' && (!value.includes('${{') || /(?<![.\w-])vars\s*[.[]/i.test(value));
}

const uris = /\$\{\{\s*steps\.([\w-]+)\.outputs\.(?:db_url|db_url_pooled|jdbc_url|jdbc_url_pooled)\s*\}\}/g;

/** Why a line of a script loses a part of a connection URI from one of these steps: the URI has `?` and `&` in it. */
function lossIn(line: string, steps: Set<string>): string | undefined {
  for (const { index, 0: whole, 1: step = '' } of line.matchAll(uris)) {
    if (!steps.has(step)) continue;
    if (line.startsWith('?', index + whole.length))
      return 'The URI already has parameters: append `&` instead of `?`, or set the input that adds the parameter.';
    if (!isQuoted(line.slice(0, index)))
      return 'The URI has `&` in it, which ends the command: put it in double quotes, or pass it in `env`.';
  }
  return undefined;
}

/** Whether a script is inside of quotes after this text. */
function isQuoted(before: string): boolean {
  let quote = '';
  for (const one of before.replace(/\\./g, '')) if (quote ? one === quote : /["']/.test(one)) quote = quote ? '' : one;
  return quote !== '';
}
