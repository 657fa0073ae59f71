import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ROOT } from '../files.ts';

/** The actions of this repository; `lifecycle` is the one at its root. */
export const actionNames = ['lifecycle', 'diff', 'rehearse', 'prune', 'manage'] as const;
export type ActionName = (typeof actionNames)[number];

/** The folder of an action, below `root`. */
export function folderOf(name: ActionName, root = ROOT): string {
  return name === 'lifecycle' ? root : join(root, name);
}

/** The part of an `action.yml` that the runner needs to start the action. */
export interface Action {
  /** name → default; empty if there is none */
  inputs: Map<string, string>;
  outputs: string[];
  main: string;
  post: string | undefined;
}

interface ActionFile {
  inputs?: Record<string, { default?: unknown } | null>;
  outputs?: Record<string, unknown>;
  runs: { main: string; post?: string };
}

/** What was read, by the text of the file: a few files for thousands of steps. */
const known = new Map<string, ActionFile>();

export function readAction(folder: string): Action {
  const text = readFileSync(join(folder, 'action.yml'), 'utf8');
  const file = known.get(text) ?? (parse(text) as ActionFile);
  known.set(text, file);
  return {
    inputs: new Map(Object.entries(file.inputs ?? {}).map(([name, input]) => [name, String(input?.default ?? '')])),
    outputs: Object.keys(file.outputs ?? {}),
    main: join(folder, file.runs.main),
    post: file.runs.post === undefined ? undefined : join(folder, file.runs.post),
  };
}

/**
 * `INPUT_*` as the runner sets them: one for every input that the action declares, with its default if the step does not set it.
 * The runner only warns of an unknown input; here it is an error, because it is a mistake in a test.
 */
export function inputEnvironment(
  action: Action,
  given: Record<string, string>,
  context: { token: string },
): Record<string, string> {
  for (const name of Object.keys(given)) {
    if (!action.inputs.has(name))
      throw new Error(`unexpected input '${name}': action.yml has ${[...action.inputs.keys()].join(', ')}`);
  }
  const environment: Record<string, string> = {};
  for (const [name, standard] of action.inputs)
    environment[inputVariable(name)] = given[name] ?? evaluate(standard, context.token);
  return environment;
}

/** Only spaces become `_`: an input `a-b` is `INPUT_A-B`. */
function inputVariable(name: string): string {
  return `INPUT_${name.replaceAll(' ', '_').toUpperCase()}`;
}

/** A default may be an expression. The token is the only one that is supported. */
function evaluate(text: string, token: string): string {
  return text.replaceAll(/\$\{\{(.*?)\}\}/g, (_, expression: string) => {
    if (expression.trim() === 'github.token') return token;
    throw new Error(`this runner cannot evaluate the default '${text}'`);
  });
}
