import { isDependabot, type RunEvent } from '../runner/event.ts';
import { maskSecrets, maskUris } from '../secrets/fields.ts';
import { show } from '../text/inert.ts';
import { commandOf } from './auto.ts';
import { checkTogether } from './combinations.ts';
import type { CommandName } from './commands.ts';
import { type InputSource, type Inputs, inputNames, readers, secretInputs } from './fields.ts';
import { Fault } from './parse.ts';

export interface Settings {
  inputs: Inputs;
  /** The command that runs: the one asked for, or the one that the event asks for. */
  command: CommandName;
}

/** All that is wrong with the inputs, in one message. */
export class InputError extends Error {
  override readonly name = 'InputError';
  readonly faults: string[];
  /** Whether the job summary is wanted, as far as that can be told. */
  readonly summary: boolean;
  /** What would have run, as far as that can be told. */
  readonly command: CommandName | 'auto';

  constructor(faults: string[], inputs: Partial<Inputs>, command: CommandName | 'auto' = 'auto') {
    const what =
      faults.length === 1 ? 'One input is not as it should be' : `${faults.length} inputs are not as they should be`;
    super(`${what}:\n${faults.map((fault) => `- ${fault}`).join('\n')}`);
    this.faults = faults;
    this.summary = inputs.summary ?? true;
    this.command = command;
  }
}

/** The step ends well without doing anything: `on_missing_key: skip`, and there is no key. */
export interface Skip {
  skip: string;
  command: CommandName | 'auto';
  summary: boolean;
}

/**
 * Reads every input, each by itself. Secrets are handed to `mask` before they are looked at. Of an input with a fault there is
 * no value, not even `undefined`.
 */
export function readInputs(options: { source: InputSource; mask: (secret: string) => void }): {
  inputs: Partial<Inputs>;
  faults: string[];
} {
  const { source, mask } = options;
  for (const name of inputNames) {
    const raw = source.getInput(name);
    if ((secretInputs as readonly string[]).includes(name)) mask(raw);
    else maskUris(raw, mask);
  }
  const faults: string[] = [];
  const inputs: Record<string, unknown> = {};
  for (const name of inputNames) {
    try {
      inputs[name] = readers[name](source, name);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      faults.push(`${name}: got ${error.got ?? show(source.getInput(name))}, takes ${error.message}`);
    }
  }
  maskSecrets(inputs.body, mask);
  return { inputs: inputs as Partial<Inputs>, faults };
}

/**
 * Reads and checks every input once, before any request. Throws an `InputError` that names every fault at once.
 */
export function loadInputs(options: {
  source: InputSource;
  event: RunEvent;
  now: number;
  mask: (secret: string) => void;
}): Settings | Skip {
  const { source, event, now, mask } = options;
  const { inputs, faults } = readInputs({ source, mask });
  const missingKey = source.getInput('api_key') === '';
  const command = inputs.command === 'auto' ? commandOf(event) : inputs.command;
  const known = command === undefined || command instanceof Fault ? 'auto' : command;
  if (missingKey && inputs.on_missing_key === 'skip') {
    return { skip: `There is no api_key${whyMissing(event)}`, command: known, summary: inputs.summary ?? true };
  }
  if (missingKey) faults.push(missingKeyFault(event));
  if (command instanceof Fault) faults.push(command.message);
  faults.push(...checkTogether({ inputs, command: command instanceof Fault ? undefined : command, event, now }));
  if (faults.length > 0 || known === 'auto') throw new InputError(faults, inputs, known);
  return { inputs: inputs as Inputs, command: known };
}

function whyMissing(event: RunEvent): string {
  if (event.pullRequest?.fork) return ', because GitHub gives no secrets to pull requests from forks';
  if (isDependabot(event)) return ', because GitHub gives Dependabot its own secrets only';
  return '';
}

function missingKeyFault(event: RunEvent): string {
  const skip = 'Set `on_missing_key: skip` to end well without a branch in such runs';
  if (event.pullRequest?.fork) {
    return `api_key: is empty${whyMissing(event)}. ${skip}, or run trusted work on \`pull_request_target\` without checking out the fork's code`;
  }
  if (isDependabot(event)) {
    return `api_key: is empty${whyMissing(event)}. Add the key under Settings > Secrets and variables > Dependabot too. ${skip}`;
  }
  return 'api_key: is empty, takes an API key of the service. Is the secret named as in the workflow, and may this repository and environment read it?';
}
