import { maskSecrets } from '../secrets/fields.ts';
import { oneLine } from '../text/inert.ts';
import { isDependabot, isForFork, type RunEvent } from './event.ts';
import { echo, InvalidValue } from './invalid.ts';
import { apiHost, choice, credential, projectId, timeout } from './values.ts';

/** Where raw inputs are read from, such as `@actions/core`. */
export interface InputSource {
  /** Trimmed; empty if it is not set. */
  getInput(name: string): string;
  getBooleanInput(name: string): boolean;
}

/** Reads one input. Throws an `InvalidValue`. */
export type Reader<T> = (source: InputSource, name: string) => T;

/** The inputs of an action: a row each, named as in its `action.yml`. */
export type InputTable = Readonly<Record<string, Reader<unknown>>>;

/** The values of a table's inputs. One that is not set, or empty, is `undefined` if it has no default. */
export type InputsOf<T extends InputTable> = { [Name in keyof T]: ReturnType<T[Name]> };

/** Inputs that may be invalid: an invalid one is missing, and one that is not set is `undefined`. */
export type Given<I> = Partial<I>;

export const optional =
  <T>(parse: (raw: string) => T): Reader<T | undefined> =>
  (source, name) => {
    const raw = source.getInput(name);
    return raw === '' ? undefined : parse(raw);
  };

/** `advice` says where the value comes from, as sentences without the last period. */
export const required =
  <T>(parse: (raw: string) => T, advice: string): Reader<T> =>
  (source, name) => {
    const raw = source.getInput(name);
    if (raw === '') throw new InvalidValue(advice, '');
    return parse(raw);
  };

/** The default is also that of `action.yml`; it is repeated here for an input that is set to an empty value. */
export const withDefault =
  <T>(fallback: string, parse: (raw: string) => T): Reader<T> =>
  (source, name) =>
    parse(source.getInput(name) || fallback);

export const flag =
  (fallback: boolean): Reader<boolean> =>
  (source, name) => {
    if (source.getInput(name) === '') return fallback;
    try {
      return source.getBooleanInput(name);
    } catch {
      throw new InvalidValue('true or false');
    }
  };

/** The inputs of all five actions. Times are milliseconds. */
export const common = {
  api_key: required(credential, 'Check the name of the secret'),
  api_host: withDefault('https://console.neon.tech/api/v2', apiHost),
  timeout: withDefault('10m', timeout),
  on_missing_key: withDefault('fail', choice('fail', 'skip')),
  summary: flag(true),
} satisfies InputTable;

export type CommonInputs = InputsOf<typeof common>;

/** `project_id` of every action that works in one project. */
export const project = required(
  projectId,
  "Set it to the project's ID from its settings, such as shiny-wind-028834; if it is set to a variable, check the variable's name",
);

export const token = optional(credential);

/** The error for all invalid inputs. Each text names the input, its value and what is expected, on one line. */
export function invalidInputs(errors: string[]): Error {
  const what = errors.length === 1 ? 'Invalid input' : `${errors.length} invalid inputs`;
  return new Error(`${what}:\n${errors.map((one) => `- ${one}`).join('\n')}`);
}

/**
 * Reads each input by itself, and calls `mask` with every secret before anything else happens to it. An invalid input is missing from
 * `inputs`, and has an error.
 */
export function readInputs<T extends InputTable>(
  table: T,
  { source, mask }: { source: InputSource; mask: (secret: string) => void },
): { inputs: Given<InputsOf<T>>; errors: Record<string, string> } {
  for (const name of ['api_key', 'github_token']) {
    if (name in table) mask(source.getInput(name));
  }
  const inputs: Record<string, unknown> = {};
  const errors: Record<string, string> = {};
  for (const [name, read] of Object.entries(table)) {
    try {
      inputs[name] = read(source, name);
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error;
      errors[name] = problemWith(name, source.getInput(name), error);
    }
  }
  maskSecrets(inputs.body, mask);
  return { inputs: inputs as Given<InputsOf<T>>, errors };
}

function problemWith(name: string, raw: string, { expected, shown }: InvalidValue): string {
  if (raw === '') return `${name} is required, but it is empty. ${expected}`;
  return `${name}: ${shown ?? echo(raw)} is invalid; expected ${expected}`;
}

/** Whether an input is not set. False for an invalid one, which is an error of its own. */
export function isEmpty<I extends object>(inputs: Given<I>, name: keyof I): boolean {
  return name in inputs && inputs[name] === undefined;
}

/** Whether an input names the branch, or was to name it and is invalid. */
export function namesBranch(
  inputs: Given<{ branch_id: string | undefined; branch_name: string | undefined }>,
): boolean {
  return !isEmpty(inputs, 'branch_id') || !isEmpty(inputs, 'branch_name');
}

export function checkCompute({
  min_cu,
  max_cu,
}: {
  min_cu?: number | undefined;
  max_cu?: number | undefined;
}): string[] {
  if (min_cu === undefined || max_cu === undefined || min_cu <= max_cu) return [];
  return [`min_cu (${min_cu}) must not be greater than max_cu (${max_cu})`];
}

/**
 * The beginnings of names that an input of this or of a similar action may have: silently ignored, `parent_id` would copy production, and
 * `exclude_patterns` would delete what it should protect.
 */
const stems =
  'api project branch parent base compare role user database db expir ttl mask protect require timestamp lsn exclu dry unused closed older repo fail max_ ignore'.split(
    ' ',
  );

/** What is wrong with `INPUT_*` variables that the action does not declare. The runner passes them too, with a warning of its own. */
export function unknownInputs(table: InputTable, env: NodeJS.ProcessEnv): string[] {
  const unknown = Object.keys(env)
    .filter((variable) => variable.startsWith('INPUT_') && (env[variable] ?? '').trim() !== '')
    .map((variable) => variable.slice('INPUT_'.length).toLowerCase())
    .filter((name) => !(name in table) && stems.some((stem) => name.startsWith(stem)));
  if (unknown.length === 0) return [];
  const names = unknown.map((name) => oneLine(name, 100)).join(', ');
  const what = unknown.length === 1 ? 'is not an input' : 'are not inputs';
  return [`${names} ${what} of this action; its inputs are ${Object.keys(table).join(', ')}`];
}

/** Why `api_key` may be empty, as a sentence without its period; undefined if it is not. */
export function whyNoKey(source: InputSource, event: RunEvent): string | undefined {
  if (source.getInput('api_key') !== '') return undefined;
  if (isForFork(event)) return "GitHub doesn't pass secrets to pull requests from forks";
  if (isDependabot(event)) return 'Dependabot runs only get Dependabot secrets (Settings > Secrets and variables)';
  return 'Check the name of the secret, and that this repository, environment or reusable workflow has access to it';
}
