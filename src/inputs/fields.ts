import { commandNames } from './commands.ts';
import * as value from './parse.ts';
import { Fault } from './parse.ts';
import { requestPath } from './request-path.ts';

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
export const readers = {
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
export const secretInputs = ['api_key', 'github_token'] as const;
