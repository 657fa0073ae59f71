import { maskSecrets } from '../secrets/fields.ts';
import { isDependabot, isForFork, type RunEvent } from '../step/event.ts';
import { echo, empty, InvalidValue, isReference, keysIn, missing } from '../step/invalid.ts';
import { checkTogether, type Rules } from './check.ts';
import type { CommandName } from './commands.ts';
import { type InputSource, type Inputs, inputNames, readers, secretInputs } from './fields.ts';
import { unknownInputs } from './unknown.ts';

interface Settings {
  inputs: Inputs;
  /** The command to run; for `auto`, the one that the event stands for. */
  command: CommandName;
}

/** All invalid inputs, in one message. */
export class InputError extends Error {
  override readonly name = 'InputError';
  /** Each names the input, its value and what is expected, on one line. */
  readonly errors: string[];
  /** Whether to write a job summary; true if `summary` itself is invalid. */
  readonly summary: boolean;
  /** The command that would have run; `auto` if it is unknown. */
  readonly command: CommandName | 'auto';

  constructor(errors: string[], inputs: Partial<Inputs>, command: CommandName | 'auto' = 'auto') {
    const what = errors.length === 1 ? 'Invalid input' : `${errors.length} invalid inputs`;
    super(`${what}:\n${errors.map((one) => `- ${one}`).join('\n')}`);
    this.errors = errors;
    this.summary = inputs.summary ?? true;
    this.command = command;
  }
}

/** The step succeeds without doing anything: with `on_missing_key: skip`, or `auto` for a pull request that is closed. */
interface Skip {
  /** The reason as a clause, perhaps followed by a sentence without its period. */
  skip: string;
  command: CommandName | 'auto';
  summary: boolean;
}

interface Secrecy {
  mask: (secret: string) => void;
  /** Keeps a text out of what the action writes, without having the runner mask it. */
  hide?: (secret: string) => void;
}

/**
 * Reads each input by itself. Calls `mask` with every secret before anything else happens to it, and `hide` with each key that is in
 * another input. An invalid input is missing from `inputs`, and has an error; one that is not set is `undefined`.
 */
export function readInputs(options: Secrecy & { source: InputSource }): {
  inputs: Partial<Inputs>;
  errors: Partial<Record<keyof Inputs, string>>;
} {
  const { source, mask, hide = () => {} } = options;
  for (const name of secretInputs) {
    const value = source.getInput(name);
    if (!isReference(value)) mask(value);
  }
  for (const name of inputNames) for (const key of keysIn(source.getInput(name))) hide(key);
  const errors: Partial<Record<keyof Inputs, string>> = {};
  const inputs: Record<string, unknown> = {};
  for (const name of inputNames) {
    try {
      inputs[name] = readers[name](source, name);
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error;
      const shown = error.shown ?? echo(source.getInput(name));
      errors[name] = `${name}: ${shown} is invalid; expected ${error.expected}`;
    }
  }
  maskSecrets(inputs.body, mask);
  return { inputs: inputs as Partial<Inputs>, errors };
}

/** The input `command` as it was set, valid or not. */
export function givenCommand(source: InputSource): string {
  return source.getInput('command');
}

/** Reads and checks every input once, before the first request. Throws an `InputError` with all errors. */
export function loadInputs(
  options: Secrecy & {
    source: InputSource;
    /** What is true of each command. */
    rules: Rules;
    event: RunEvent;
    /** Where the runner passes inputs that `action.yml` does not declare. */
    env?: NodeJS.ProcessEnv;
    now: number;
  },
): Settings | Skip {
  const { source, rules, event, env = {}, now } = options;
  const { inputs, errors: ofInputs } = readInputs(options);
  const missingKey = source.getInput('api_key') === '';
  const command = inputs.command === 'auto' ? undefined : inputs.command;
  const known = command ?? 'auto';
  const skip = (why: string): Skip => ({ skip: why, command: known, summary: inputs.summary ?? true });
  if (missingKey && inputs.on_missing_key === 'skip') {
    const why = whyMissing(event);
    const input = '`on_missing_key: skip`';
    return skip(
      why === undefined ? `api_key is empty (${input}). ${checkSecret}` : `api_key is empty, because ${why} (${input})`,
    );
  }
  const errors = [
    ...Object.values(ofInputs),
    ...(missingKey ? [missingKeyError(event)] : []),
    ...unknownInputs(env),
    ...checkTogether({ inputs, command, rules, event, now }),
  ];
  if (errors.length > 0) throw new InputError(errors, inputs, known);
  return { inputs: inputs as Inputs, command: command as CommandName };
}

const checkSecret =
  'Check the name of the secret, and that this repository, environment or reusable workflow has access to it';

function whyMissing(event: RunEvent): string | undefined {
  if (isForFork(event)) return "GitHub doesn't pass secrets to pull requests from forks";
  return isDependabot(event) ? 'Dependabot runs only get Dependabot secrets' : undefined;
}

function missingKeyError(event: RunEvent): string {
  const why = whyMissing(event);
  if (why === undefined) {
    return empty('api_key', checkSecret);
  }
  const skip = 'set `on_missing_key: skip`';
  const advice = isForFork(event)
    ? `To succeed without a branch in such runs, ${skip}`
    : `Either add the key under Settings > Secrets and variables > Dependabot too, or ${skip} to succeed without a branch in such runs`;
  return missing('api_key', `${why}. ${advice}`);
}
