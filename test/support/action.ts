import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** As much of an `action.yml` as the runner needs to start the action. */
export interface Action {
  folder: string;
  /** name → default, the empty string where there is none */
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

export function readAction(folder: string): Action {
  const file = parse(readFileSync(join(folder, 'action.yml'), 'utf8')) as ActionFile;
  return {
    folder,
    inputs: new Map(Object.entries(file.inputs ?? {}).map(([name, input]) => [name, String(input?.default ?? '')])),
    outputs: Object.keys(file.outputs ?? {}),
    main: join(folder, file.runs.main),
    post: file.runs.post === undefined ? undefined : join(folder, file.runs.post),
  };
}

/**
 * `INPUT_*` as the runner sets them: one for every input that the action declares, with its default where the step gives none.
 * An input that the action does not have is a warning to the runner; here it is a mistake in a test.
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

/** Blanks become `_` and nothing else does: an input `a-b` is `INPUT_A-B`. */
function inputVariable(name: string): string {
  return `INPUT_${name.replaceAll(' ', '_').toUpperCase()}`;
}

/** Defaults may hold expressions; the token is the only one that anybody uses, so that anything else is refused. */
function evaluate(text: string, token: string): string {
  return text.replaceAll(/\$\{\{(.*?)\}\}/g, (_, expression: string) => {
    if (expression.trim() === 'github.token') return token;
    throw new Error(`this runner cannot evaluate the default '${text}'`);
  });
}
