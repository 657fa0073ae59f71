import { maskSecrets, maskUris } from './api/secrets.ts';
import { show } from './api/text.ts';
import { type CommandName, commandNames } from './commands/names.ts';
import { isDependabot, type RunEvent } from './event.ts';
import { checkTogether } from './inputs-together.ts';
import { requestPath } from './request-path.ts';
import * as value from './values.ts';
import { Fault } from './values.ts';

/** The runner's side of an input; `@actions/core` is one. */
export interface InputSource {
  getInput(name: string, options?: { trimWhitespace?: boolean }): string;
  getBooleanInput(name: string): boolean;
}

type Reader<T> = (source: InputSource, name: string) => T;

/** An input that may be left out. */
const given =
  <T>(parse: (raw: string) => T): Reader<T | undefined> =>
  (source, name) => {
    const raw = source.getInput(name);
    return raw === '' ? undefined : parse(raw);
  };

/** An input that is never trimmed, because its value is the user's own name for something. */
const verbatim =
  <T>(parse: (raw: string) => T): Reader<T | undefined> =>
  (source, name) => {
    const raw = source.getInput(name, { trimWhitespace: false });
    return raw.trim() === '' ? undefined : parse(raw);
  };

/** An input with a default, which also stands in for an empty value. The same default stands in `action.yml`. */
const or =
  <T>(fallback: string, parse: (raw: string) => T): Reader<T> =>
  (source, name) =>
    parse(source.getInput(name) || fallback);

const flag =
  (fallback: boolean): Reader<boolean> =>
  (source, name) => {
    if (source.getInput(name) === '') return fallback;
    try {
      return source.getBooleanInput(name);
    } catch {
      throw new Fault('true or false');
    }
  };

/** Every input, and how it is read. */
const readers = {
  api_key: given(value.credential),
  project_id: given(value.projectId),
  api_host: or('https://console.neon.tech/api/v2', value.apiHost),
  command: or('auto', value.choice('auto', ...commandNames)),
  branch_name: verbatim(value.branchName),
  branch_id: given(value.branchId),
  parent_branch: verbatim(value.branchName),
  parent_timestamp: given(value.timestamp),
  parent_lsn: given(value.lsn),
  branch_type: or('default', value.choice('default', 'schema-only')),
  if_exists: or('reuse', value.choice('reuse', 'reset', 'fail')),
  on_limit: or('fail', value.choice('fail', 'prune', 'wait')),
  expires_at: given(value.time),
  expires_in: given(value.span),
  protected: flag(false),
  database: given(value.text),
  role: given(value.text),
  suspend_timeout: given(value.suspendTimeout),
  min_cu: given(value.computeUnits),
  max_cu: given(value.computeUnits),
  preserve_under_name: verbatim(value.branchName),
  masking_rules: given(value.maskingRules),
  ssl: or('require', value.choice('require', 'verify-ca', 'verify-full', 'omit')),
  prisma: flag(false),
  get_auth_url: flag(false),
  get_data_api_url: flag(false),
  export_env: flag(false),
  check_connection: flag(false),
  ephemeral: flag(false),
  hard_delete: flag(false),
  base_branch: verbatim(value.branchName),
  older_than: given(value.span),
  branch_pattern: given(value.glob),
  dry_run: flag(false),
  operation_ids: given(value.ids),
  resource: given(value.text),
  resource_id: given(value.text),
  verb: given(value.choice('create', 'update', 'delete', 'get', 'list', 'query')),
  body: given(value.json),
  method: given((raw) => value.choice('GET', 'POST', 'PUT', 'PATCH', 'DELETE')(raw.toUpperCase())),
  path: given(requestPath),
  on_missing_key: or('fail', value.choice('fail', 'skip')),
  wait: flag(true),
  timeout: or('10m', value.timeout),
  comment: flag(false),
  summary: flag(true),
  github_token: given(value.credential),
} satisfies Record<string, Reader<unknown>>;

/**
 * Every input by its own name in `action.yml`, checked. Spans are milliseconds, times are milliseconds since the epoch;
 * `undefined` where an input was left out or empty.
 */
export type Inputs = { [Name in keyof typeof readers]: ReturnType<(typeof readers)[Name]> };

export const inputNames = Object.keys(readers) as (keyof Inputs)[];

/** Inputs that hold a secret from the start. */
const secretInputs = ['api_key', 'github_token'] as const;

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

/** What `auto` does for an event. */
export function commandOf(event: RunEvent): CommandName | Fault {
  switch (event.name) {
    case 'pull_request':
    case 'pull_request_target':
      return event.action === 'closed' ? 'delete' : 'create';
    case 'delete':
      if (event.refType !== 'tag') return 'delete';
      return new Fault(
        "command: auto has nothing to do when a git tag is deleted; give the job `if: github.event.ref_type == 'branch'`",
      );
    case 'schedule':
      return new Fault(
        'command: auto has nothing to do on a schedule; set `command: prune` to delete what was left behind, or another command',
      );
    default:
      return 'create';
  }
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
