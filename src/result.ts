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
  | 'pruned'
  | 'waited'
  | 'skipped';

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

/**
 * A copy of plain values with `redact` applied to every string. Summary and comment are made from such a copy, because Markdown
 * escapes some characters: a secret that has them could not be found afterwards.
 */
export function redacted<T>(value: T, redact: (text: string) => string): T {
  if (typeof value === 'string') return redact(value) as T;
  if (Array.isArray(value)) return value.map((entry: unknown) => redacted(entry, redact)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, redacted(entry, redact)])) as T;
}
