import { InvalidValue } from '../step/invalid.ts';
import * as value from '../step/values.ts';
import { apiHost, branchId, projectId } from '../step/values.ts';
import { commandNames } from './commands.ts';

/** Where raw inputs are read from, such as `@actions/core`. */
export interface InputSource {
  /** Trimmed. */
  getInput(name: string): string;
  getBooleanInput(name: string): boolean;
}

type Reader<T> = (source: InputSource, name: string) => T;

const optional =
  <T>(parse: (raw: string) => T): Reader<T | undefined> =>
  (source, name) => {
    const raw = source.getInput(name);
    return raw === '' ? undefined : parse(raw);
  };

/** The default is also that of `action.yml`; it is repeated here for an input that is set to an empty value. */
const withDefault =
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
      throw new InvalidValue('true or false');
    }
  };

/** How each input is read. To add one, add it to `action.yml` too. */
export const readers = {
  api_key: optional(value.credential),
  project_id: optional(projectId),
  api_host: withDefault('https://console.neon.tech/api/v2', apiHost),
  command: withDefault('auto', value.choice('auto', ...commandNames)),
  branch_name: optional(value.branchName),
  branch_id: optional(branchId),
  parent_branch: optional(value.branchNameOrId),
  parent_point: optional(value.point),
  branch_type: withDefault('default', value.choice('default', 'schema-only')),
  if_exists: withDefault('reuse', value.choice('reuse', 'reset', 'recreate', 'fail')),
  on_limit: withDefault('fail', value.choice('fail', 'prune')),
  expires_at: optional(value.time),
  expires_in: optional(value.timeToExpiry),
  protected: flag(false),
  database: optional(value.text),
  role: optional(value.text),
  suspend_timeout: optional(value.suspendTimeout),
  min_cu: optional(value.computeUnits),
  max_cu: optional(value.computeUnits),
  preserve_under_name: optional(value.branchNameOrId),
  masking_rules: optional(value.maskingRules),
  ssl: withDefault('require', value.choice('require', 'verify-ca', 'verify-full', 'omit')),
  prisma: flag(false),
  get_auth_url: flag(false),
  get_data_api_url: flag(false),
  export_env: flag(false),
  check_connection: flag(false),
  ephemeral: flag(false),
  closed_for: optional(value.duration),
  older_than: optional(value.duration),
  unused_for: optional(value.duration),
  branch_pattern: optional(value.glob),
  exclude_pattern: optional(value.globs),
  require: withDefault('any', value.choice('any', 'masked', 'schema-only')),
  dry_run: flag(false),
  on_missing_key: withDefault('fail', value.choice('fail', 'skip')),
  wait: flag(true),
  timeout: withDefault('10m', value.timeout),
  comment: flag(false),
  summary: flag(true),
  github_token: optional(value.credential),
} satisfies Record<string, Reader<unknown>>;

/**
 * Every input, by its name in `action.yml`. Durations are milliseconds, times are milliseconds since the epoch. An input that is
 * not set, or empty, is `undefined` if it has no default.
 */
export type Inputs = { [Name in keyof typeof readers]: ReturnType<(typeof readers)[Name]> };

export const inputNames = Object.keys(readers) as (keyof Inputs)[];

/** Inputs whose value is a secret as a whole. */
export const secretInputs = ['api_key', 'github_token'] as const;

/** Inputs that may be invalid: an invalid one is missing, and one that is not set is `undefined`. */
export type Given = Partial<Inputs>;

/** Whether an input is not set. False for an invalid one, which is an error of its own. */
export function isEmpty(inputs: Given, name: keyof Inputs): boolean {
  return name in inputs && inputs[name] === undefined;
}

/** Whether an input names the branch, or was to name it and is invalid. */
export function namesBranch(inputs: Given): boolean {
  return !isEmpty(inputs, 'branch_id') || !isEmpty(inputs, 'branch_name');
}
