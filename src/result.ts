import type { Connection } from './api/connection.ts';
import type { Branch, Operation } from './api/types.ts';

/** What a step did, in one word. */
export type Action =
  | 'created'
  | 'reused'
  | 'reset'
  | 'read'
  | 'deleted'
  /** There was nothing to delete. */
  | 'already-gone'
  | 'compared'
  | 'pruned'
  | 'waited'
  | 'managed'
  | 'skipped';

/** A change of a schema that loses data, or that fails on existing rows. */
export interface Destruction {
  /** `drops column`: the beginning of a sentence whose subject is the schema. Text from outside. */
  does: string;
  /** The name of the table, column or other object as SQL writes it. Text from outside. */
  to: string;
  /** What it means, or what it was. Text from outside. */
  note: string;
  /** Whether the diff does not show the name of the table. */
  hidden?: boolean;
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
}

/** What a command did, as typed facts: outputs, summary and comment are made of nothing else. */
export interface Result {
  action?: Action;
  /** One sentence on what was done, for people. */
  done: string;
  skipped: boolean;
  created: boolean;
  deleted: boolean;
  branch?: Branch | undefined;
  /** By what a branch that does not exist was to be deleted. */
  missing?: { id?: string | undefined; name?: string | undefined };
  /** A branch that was looked up on the way, and may be the parent of `branch`. */
  knownParent?: Pick<Branch, 'id' | 'name'>;
  connection?: Connection;
  authUrl?: string;
  dataApiUrl?: string;
  /** IDs of the operations that this run started; undefined for a command that starts none. */
  operationIds?: string[];
  /** Operations that were waited for, as they ended. */
  operations: Operation[];
  diff?: { text: string; baseName: string; database: string; destructive: Destruction[] };
  pruned?: PrunedBranch[];
  /** What `manage` sent, or would have sent: the path with its query, the payload as JSON without secrets. */
  request?: { method: string; path: string; payload?: string; note?: string };
  /** The service's response to `manage`: its body as JSON. */
  response?: { body: string; status: number };
  commentUrl?: string;
}

export function emptyResult(): Result {
  return { done: '', skipped: false, created: false, deleted: false, operations: [] };
}

/** The name of the branch's parent if it is known, else its ID; undefined for a root branch. */
export function parentOf({ branch, knownParent }: Pick<Result, 'branch' | 'knownParent'>): string | undefined {
  const id = branch?.parent_id;
  return id !== undefined && knownParent?.id === id ? knownParent.name : id;
}
