import type { Fault, Service, ServiceOptions } from '../service/index.ts';
import type { Column } from './outcomes.ts';

/** The branch that every play is about. */
export const target = 'preview/pr-7';
/** Names that contain the target's or are part of it; these branches must never change. */
export const neighbours = ['preview/pr-71', 'old/preview/pr-7', 'preview/pr'];

/** Outcomes that differ from the table, by fault. `again`: a change that is then resent although it did not fail. */
export interface Exceptions {
  column: Column;
  once?: Record<string, string>;
  always?: Record<string, string>;
  again?: string;
  /** Whether unfinished operations are polled with the same request, so that it may be sent more often than the fault demands. */
  polls?: boolean;
}

/** A command in a situation. Every command needs at least one. */
export interface Play {
  name: string;
  inputs: Record<string, string>;
  service?: ServiceOptions;
  /** Sets up the service; returns inputs that depend on that. */
  prepare?: (service: Service) => Promise<Record<string, string> | undefined>;
  /** Plays the post step, after a main step without faults. */
  post?: true;
  /** Starts other servers that the command needs; returns the environment variables that point to them. */
  others?: () => Promise<{ env: Record<string, string>; close: () => Promise<void> }>;
  /** A fault that is part of the situation. */
  also?: Fault;
  /** Every request that is sent without another fault, and its column in the table of outcomes. */
  requests: Record<string, Column | Exceptions>;
  /** Whether the branch exists before and after the step, and the request that changes this. */
  before: boolean;
  after: boolean;
  change?: string;
  /** The request that tells the step of the change, if that is not the change itself. */
  learns?: string;
  /** The output that becomes true. */
  says?: 'created' | 'deleted';
  /** Whether the step outputs connection details. */
  connects: boolean;
}
