import { backoff } from '../http/clock.ts';
import { unlessNotFound } from '../http/errors.ts';
import * as shape from '../http/shape.ts';
import { show } from '../text/inert.ts';
import type { Json } from '../text/json.ts';
import { nameAndId } from './branches.ts';
import { RefusedError } from './errors.ts';
import { type About, branchPath, get } from './project.ts';
import type { Branch } from './types.ts';

export interface AnonymizedStatus {
  /** `created`, `initialized`, `anonymizing`, `anonymized`, or one of the two errors. */
  state: string;
  message?: string;
  /** When it got into this state, as an RFC 3339 time. */
  changedAt?: string;
  /** When its rows were last begun to be masked, as an RFC 3339 time. */
  startedAt?: string;
}

/** The key in the metadata of a branch that was created with masking rules. */
export const maskedKey = 'database-branch-masked';

const failed = new Set(['error', 'initialization_error']);
/** Delays between two polls, in milliseconds. */
const pollBackoff = { first: 200, longest: 5_000 };

/** The state of a branch's masking; undefined for a branch that is not anonymized. */
export async function anonymizedStatus(about: About): Promise<AnonymizedStatus | undefined> {
  const { api, branch } = about;
  // One with rules has one, which may not be known yet.
  const mayBeNone = branch.metadata[maskedKey] === undefined;
  if (!mayBeNone) api.created(branch.id);
  const reading = get(api, {
    goal: `read the masking state of branch ${show(branch.name)}`,
    path: branchPath(about, '/anonymized_status'),
    mayBeNone,
    read: (from) => ({
      state: shape.string(from.state, 'state'),
      message: shape.optionalString(from.status_message, 'status_message'),
      changedAt: shape.optionalString(from.updated_at, 'updated_at'),
      startedAt: shape.optionalString(shape.optionalObject(from.last_run).started_at, 'last_run.started_at'),
    }),
  });
  return unlessNotFound(reading);
}

/** The error for rules that do not apply, in the service's own words. */
export function failureOf(branch: Branch, status: AnonymizedStatus): RefusedError | undefined {
  if (!failed.has(status.state)) return undefined;
  const reason = status.message === undefined ? '' : `: ${show(status.message)}`;
  return new RefusedError(
    `Masking branch ${nameAndId(branch)} failed (state ${show(status.state)})${reason}. Fix \`masking_rules\` in the step that creates the branch; if the branch still exists, also set \`if_exists: recreate\` there.`,
  );
}

/** Waits until a branch's data is masked, or masking it has failed. `status` is its status as it was just read. */
export async function waitUntilAnonymized(
  about: About,
  { status, onChange }: { status: AnonymizedStatus; onChange: (status: AnonymizedStatus) => void },
): Promise<AnonymizedStatus> {
  const { api, branch } = about;
  let now = status;
  let last = '';
  for (const delay of backoff(pollBackoff)) {
    if (now.state === 'anonymized' || failed.has(now.state)) break;
    if (now.state !== last) onChange(now);
    last = now.state;
    await api.sleep(delay, `waiting until branch ${show(branch.name)} is masked`);
    now = (await anonymizedStatus(about)) ?? { state: 'error', message: 'the branch no longer has a masking state' };
  }
  return now;
}

/** What a masking rule is about, from database to column, and what it does: the service's own field names. */
export const place = ['database_name', 'schema_name', 'table_name', 'column_name'] as const;
export const effect = ['masking_function', 'masking_value'] as const;

export function maskingRulesOf(about: About): Promise<Json[]> {
  return get(about.api, {
    goal: `read the masking rules of branch ${show(about.branch.name)}`,
    path: branchPath(about, '/masking_rules'),
    read: (from) => shape.list(from.masking_rules, 'masking_rules', shape.object),
  });
}

/** The column that a masking rule is about, as `database.schema.table.column`. */
export function columnOf(rule: Json): string {
  return place.map((field) => String(rule[field] ?? '?')).join('.');
}

/** Columns that a wanted rule masks and no existing rule masks in the same way. */
export function columnsMaskedDifferently(options: { wanted: Json[]; existing: Json[] }): string[] {
  const { wanted, existing } = options;
  const keyOf = (rule: Json) => JSON.stringify([...place, ...effect].map((field) => rule[field] || null));
  const known = new Set(existing.map(keyOf));
  const others = wanted.filter((rule) => !known.has(keyOf(rule)));
  return [...new Set(others.map(columnOf))];
}
