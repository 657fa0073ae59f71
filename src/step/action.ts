import type { Client } from '../http/client.ts';
import type { Operation } from '../service/types.ts';
import type { RunEvent } from './event.ts';
import type { CommonInputs, Given, InputTable } from './inputs.ts';
import type { Log } from './log.ts';

/** What every step records. An action adds its own facts. Plain values: summary and comment are made of a copy without secrets. */
export interface Facts {
  /** One sentence on what was done, for people, without its period. */
  done: string;
  skipped: boolean;
  /** IDs of the operations that this step started; undefined for an action that starts none. */
  operationIds?: string[];
  commentUrl?: string;
}

export function noFacts(): Facts {
  return { done: '', skipped: false };
}

/** Where a step records what it has done, as soon as it has: a step that fails later still reports it. */
export interface Recorder<F extends object> {
  record(facts: Partial<F>): void;
  /** Records operations that this step has started. */
  started(operations: Operation[]): void;
}

/** What an action's `run` is given: plain values, and what it may use. */
export interface Step<I, F extends object> extends Recorder<F> {
  inputs: I;
  event: RunEvent;
  api: Client;
  log: Log;
  mask(secret: string): void;
}

export interface Action<I extends CommonInputs, F extends Facts> {
  /** As annotations and the summary name it: `prune`. */
  title: string | ((facts: F) => string);
  inputs: InputTable;
  /** What is wrong with inputs that are valid by themselves; each names the input, its value and what is expected. */
  check(given: { inputs: Given<I>; event: RunEvent; now: number }): string[];
  /** The facts of a step that has done nothing yet: outputs that always have a value have it from here. */
  empty(): F;
  /** Read, decide, send, wait, record. An error fails the step. */
  run(step: Step<I, F>): Promise<void>;
  /** The outputs by name; one that is undefined has no value. */
  outputs(facts: F): Record<string, string | undefined>;
  /** The parts of the summary below its first line, as Markdown: result first. */
  report(facts: F): string[];
}

/** A recorder that starts with these facts, and what it has recorded so far. */
export function createRecorder<F extends Facts>(start: F): Recorder<F> & { facts(): F } {
  let facts = start;
  return {
    record(more) {
      facts = { ...facts, ...more };
    },
    started(operations) {
      facts = { ...facts, operationIds: [...(facts.operationIds ?? []), ...operations.map(({ id }) => id)] };
    },
    facts: () => facts,
  };
}

/** A copy of plain values with `redact` applied to every string: after Markdown has escaped it, a secret could not be found. */
export function redacted<T>(value: T, redact: (text: string) => string): T {
  if (typeof value === 'string') return redact(value) as T;
  if (Array.isArray(value)) return value.map((entry: unknown) => redacted(entry, redact)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, redacted(entry, redact)])) as T;
}
