import type { Rehearsal } from './rehearse/observe.ts';
import { type Finding, type Level, levelOf, levels, ruleNames } from './schema/rules.ts';
import type { MaskedColumn } from './service/anonymize.ts';
import type { Connection } from './service/connection.ts';
import type { Branch, Operation } from './service/types.ts';

/** What a step did, in one word. */
export type Action =
  | 'created'
  | 'reused'
  | 'reset'
  | 'read'
  | 'deleted'
  /** There was nothing to delete. */
  | 'already-gone'
  /** There was a branch to delete, but the event must not delete it. */
  | 'kept'
  | 'compared'
  | 'rehearsed'
  | 'pruned'
  | 'waited'
  | 'skipped';

/** One database on both sides, compared. */
export interface DatabaseDiff {
  database: string;
  /** Whether the base does not have it; then it is not compared. */
  isNew: boolean;
  /** Whether the branch does not have it; then it is not compared. */
  isGone: boolean;
  /** A unified diff from the base to the branch, without passwords; empty if the schemas are the same. */
  text: string;
  /** Whether the schemas are too large and too different for a diff; then `text` is empty. */
  isTooLarge?: boolean;
  /** What the review found, most serious level first. */
  findings: Finding[];
  /** What it also found, and an input said to ignore. */
  ignored: Finding[];
  /** Changes that the review doesn't look into, by kind: `new trigger`. */
  unread?: Record<string, number>;
  /**
   * Whether the history of the parent no longer includes the point at which the branch was created: findings may then come from changes to
   * the parent, so they don't fail the step.
   */
  isForkLost?: boolean;
  /** Why the review could not see everything, as a clause. */
  incomplete?: string;
}

/** The schema of a branch, compared with that of its base. */
export interface SchemaDiff {
  branchName: string;
  baseName: string;
  /** The time or LSN in the base's history; undefined for its current state. */
  basePoint: string | undefined;
  /** Whether all databases were compared, and not the one that was chosen. */
  all: boolean;
  databases: DatabaseDiff[];
  /** The levels whose findings fail the step. */
  failOn: Level[];
}

/** A branch that `prune` selected, and what became of it. */
export interface PrunedBranch {
  id: string;
  name: string;
  reason: string;
  /**
   * `deleted` by this run, `planned` in a dry run, `gone` before this run got to it, `kept` because it has a child that stays or
   * because its pull request was reopened, `failed`, or `unsure` if the service was asked to delete it and did not respond.
   */
  outcome: 'deleted' | 'planned' | 'gone' | 'kept' | 'failed' | 'unsure';
  /** Milliseconds since its creation. */
  ageMs?: number;
  /** Why it was kept, or could not be deleted. */
  note?: string;
  /** The status of the response because of which it could not be deleted. */
  status?: number;
}

/** Whether a branch should have been deleted, but was not, or not for certain. */
export function isFailure({ outcome }: PrunedBranch): boolean {
  return outcome === 'failed' || outcome === 'unsure';
}

/** Whether the step's branch no longer exists. */
export function isGone({ action }: Pick<Result, 'action'>): boolean {
  return action === 'deleted' || action === 'already-gone';
}

/** What a command did, as typed facts: outputs, summary and comment are made of nothing else. */
export interface Result {
  action?: Action;
  /** One sentence on what was done, for people. */
  done: string;
  skipped: boolean;
  created: boolean;
  deleted: boolean;
  /** Whether the post step deletes the branch, if the step itself has not. */
  endsWithJob?: boolean;
  branch?: Branch;
  /** Whether operations that this step has started, or has found, may still be running: `wait` is false. */
  notReady?: boolean;
  /** The columns that masking rules cover, if the branch is anonymized. */
  masked?: MaskedColumn[];
  /** By what a branch that does not exist was to be deleted. */
  missing?: { id?: string; name?: string };
  /** A branch that was looked up on the way, and may be the parent of `branch`. */
  knownParent?: Pick<Branch, 'id' | 'name'>;
  connection?: Connection;
  authUrl?: string;
  dataApiUrl?: string;
  /** IDs of the operations that this run started; undefined for a command that starts none. */
  operationIds?: string[];
  /** Operations that were waited for, as they ended. */
  operations: Operation[];
  diff?: SchemaDiff;
  rehearsal?: Rehearsal;
  pruned?: PrunedBranch[];
  commentUrl?: string;
}

export function emptyResult(): Result {
  return { done: '', skipped: false, created: false, deleted: false, operations: [] };
}

/** Where a step records what it has done, as soon as it has: a step that fails later still reports it. There is no other way into the result. */
export interface Recorder {
  progress(done: Partial<Result>): void;
  /** Records operations that this step has started. */
  started(operations: Operation[]): void;
  /** Records an operation that succeeded while this step waited for it. */
  succeeded(operation: Operation): void;
  /** What is recorded so far. */
  result(): Result;
}

/** A recorder with an empty result. */
export function createRecorder(): Recorder {
  let result = emptyResult();
  /** The operations that succeeded, by ID: there may be thousands. */
  const operations = new Map<string, Operation>();
  return {
    progress(done) {
      if (done.operations) operations.clear();
      for (const one of done.operations ?? []) operations.set(one.id, one);
      result = { ...result, ...done };
    },
    started(operations) {
      result = { ...result, operationIds: [...(result.operationIds ?? []), ...operations.map(({ id }) => id)] };
    },
    succeeded(operation) {
      operations.delete(operation.id);
      operations.set(operation.id, operation);
    },
    result: () => ({ ...result, operations: [...operations.values()] }),
  };
}

/** The name of the branch's parent if it is known, else its ID; undefined for a root branch. */
export function parentOf({ branch, knownParent }: Pick<Result, 'branch' | 'knownParent'>): string | undefined {
  const id = branch?.parent_id;
  return id !== undefined && knownParent?.id === id ? knownParent.name : id;
}

/** Whether a database has changed. One that only one side has counts as changed. */
export function isChanged({ isNew, isGone, text, isTooLarge, findings, ignored }: DatabaseDiff): boolean {
  return isNew || isGone || text !== '' || isTooLarge === true || findings.length + ignored.length > 0;
}

/** The findings in all databases, most serious level first. */
export function findingsOf({ databases }: SchemaDiff): (Finding & { level: Level; database: string })[] {
  return databases
    .flatMap(({ database, findings }) => findings.map((one) => ({ ...one, level: levelOf(one), database })))
    .sort((a, b) => levels.indexOf(a.level) - levels.indexOf(b.level));
}

/** Names that are ours and looked up later: a secret that is the same word must not change them. */
const ours = new Set<string>([...ruleNames, ...levels]);

/**
 * A copy of plain values with `redact` applied to every string. Summary and comment are made from such a copy, because Markdown
 * escapes some characters: a secret that has them could not be found afterwards.
 */
export function redacted<T>(value: T, redact: (text: string) => string): T {
  if (typeof value === 'string') return (ours.has(value) ? value : redact(value)) as T;
  if (Array.isArray(value)) return value.map((entry: unknown) => redacted(entry, redact)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, redacted(entry, redact)])) as T;
}
