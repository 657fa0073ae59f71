import type { Fault, Service, ServiceOptions } from '../service/index.ts';
import type { Column } from './outcomes.ts';

/** The branch that every play is about. */
export const target = 'preview/pr-7';
/** Names that hold the target's, or are held by it; nothing may ever happen to them. */
export const neighbours = ['preview/pr-71', 'old/preview/pr-7', 'preview/pr'];

/** Outcomes that differ from the table's, by fault; and a change that is then sent again, though it did not fail. */
export interface Exceptions {
  column: Column;
  once?: Record<string, string>;
  always?: Record<string, string>;
  again?: string;
}

/** One command in one situation. A new command is one more of these. */
export interface Play {
  name: string;
  inputs: Record<string, string>;
  service?: ServiceOptions;
  /** What is there before; returns inputs that depend on it. */
  prepare?: (service: Service) => Promise<Record<string, string> | undefined>;
  /** What is played is the post step, after a main step in which nothing goes wrong. */
  post?: true;
  /** Other servers that the command talks to, and the variables that lead there. */
  others?: () => Promise<{ env: Record<string, string>; close: () => Promise<void> }>;
  /** A fault that belongs to the situation. */
  also?: Fault;
  /** Every request that is made where nothing else goes wrong, and its column in the table of outcomes. */
  requests: Record<string, Column | Exceptions>;
  /** Whether the branch is there before the step and after it, and the request by which that changes. */
  before: boolean;
  after: boolean;
  change?: string;
  /** The request by which the step learns of the change, where it is not the answer to the change itself. */
  learns?: string;
  /** `created` or `deleted`, whichever becomes true. */
  says?: 'created' | 'deleted';
  /** Whether the step hands out connection details. */
  connects: boolean;
}
