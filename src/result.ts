import type { Connection } from './api/connection.ts';
import type { Branch, Operation } from './api/types.ts';

/** A change that takes data away, or that fails where there is data. */
export interface Destruction {
  /** «drops column», as the beginning of a sentence whose subject is the schema. */
  does: string;
  /** The name of the table, column or whatever it is, as SQL writes it. Text from outside. */
  to: string;
  /** What it means, or what it was. Text from outside. */
  note: string;
}

/** A branch that the rules of `prune` take, and what became of it. */
export interface PrunedBranch {
  id: string;
  name: string;
  reason: string;
  /**
   * `deleted` by this run, `planned` in a dry run, `gone` before this run came to it, `kept` for a child that stays, `failed`, or
   * `unsure` where the service was asked to delete it and did not answer.
   */
  outcome: 'deleted' | 'planned' | 'gone' | 'kept' | 'failed' | 'unsure';
  /** Milliseconds since it was made. */
  ageMs?: number;
  /** Why it was kept, or could not be deleted. */
  note?: string;
}

/** What a command did, in plain values: all that outputs, summary and comment are made of. */
export interface Result {
  /** One sentence on what was done, for notice and summary. */
  done: string;
  skipped: boolean;
  created: boolean;
  deleted: boolean;
  branch?: Branch;
  /** What is known of a branch that was to be deleted and is not there: what it was asked for by. */
  missing?: { id?: string | undefined; name?: string | undefined };
  /** The parent's name, where it is known. */
  parentName?: string;
  connection?: Connection;
  authUrl?: string;
  dataApiUrl?: string;
  /** IDs of the operations that this run started; undefined for a command that starts none. */
  operationIds?: string[];
  /** Operations that were waited for, as they ended. */
  operations: Operation[];
  diff?: { text: string; baseName: string; database: string; destructive: Destruction[] };
  pruned?: PrunedBranch[];
  /** What `manage` sent, or in a dry run would have: the path with its query, the payload as JSON without secrets. */
  request?: { method: string; path: string; payload?: string; note?: string };
  /** What came back: its body as JSON. */
  response?: { body: string; status: number };
  commentUrl?: string;
}

export function emptyResult(): Result {
  return { done: '', skipped: false, created: false, deleted: false, operations: [] };
}
