import { isDeepStrictEqual } from 'node:util';
import { parse } from 'yaml';
import type { GitHubEvent } from '../events.ts';

/** The part of a workflow file that is supported. */
export interface WorkflowFile {
  name?: string;
  on: unknown;
  env?: Record<string, unknown>;
  concurrency?: unknown;
  permissions?: unknown;
  jobs: Record<string, JobFile>;
}
export interface JobFile {
  needs?: string | string[];
  if?: unknown;
  env?: Record<string, unknown>;
  outputs?: Record<string, unknown>;
  concurrency?: unknown;
  permissions?: unknown;
  strategy?: { matrix?: unknown };
  /** calls a reusable workflow, in place of steps */
  uses?: string;
  with?: Record<string, unknown>;
  secrets?: Record<string, unknown> | 'inherit';
  steps?: StepFile[];
}
export interface StepFile {
  id?: string;
  name?: string;
  if?: unknown;
  uses?: string;
  run?: string;
  with?: Record<string, unknown>;
  env?: Record<string, unknown>;
  'continue-on-error'?: boolean | string;
}

export function readWorkflow(text: string): WorkflowFile {
  return parse(text) as WorkflowFile;
}

/** The events that start a workflow, with their activity types if any. */
export function triggers({ on }: WorkflowFile): Map<string, string[] | undefined> {
  if (typeof on === 'string') return new Map([[on, undefined]]);
  if (Array.isArray(on)) return new Map(on.map((name: string) => [name, undefined]));
  const entries = Object.entries(on as Record<string, { types?: string | string[] } | null>);
  return new Map(
    entries.map(([name, filter]) => [name, filter?.types === undefined ? undefined : [filter.types].flat()]),
  );
}

/** GitHub's default types of `pull_request`. */
export const PULL_REQUEST_TYPES = ['opened', 'synchronize', 'reopened'];

export function isTriggered(file: WorkflowFile, event: GitHubEvent): boolean {
  const all = triggers(file);
  if (!all.has(event.name)) return false;
  const { action } = event.payload as { action?: string };
  const types = all.get(event.name) ?? (event.name.startsWith('pull_request') ? PULL_REQUEST_TYPES : undefined);
  return types === undefined || (action !== undefined && types.includes(action));
}

interface WorkflowCall {
  inputs?: Record<string, { default?: unknown }>;
  outputs?: Record<string, { value: unknown }>;
}

/** The interface of a reusable workflow. */
function callOf({ on }: WorkflowFile): WorkflowCall {
  if (typeof on === 'object' && on !== null && 'workflow_call' in on) return (on.workflow_call ?? {}) as WorkflowCall;
  throw new Error('not a reusable workflow: it has no workflow_call');
}

/** The `inputs` of a called workflow: what its caller gives it, and defaults. */
export function inputsOfCall(file: WorkflowFile, given: Record<string, string>): Record<string, string> {
  const declared = Object.entries(callOf(file).inputs ?? {});
  return Object.fromEntries(declared.map(([name, input]) => [name, given[name] ?? String(input.default ?? '')]));
}

/** The outputs of a called workflow, as expressions over its jobs. */
export function outputsOfCall(file: WorkflowFile): Record<string, unknown> {
  return Object.fromEntries(Object.entries(callOf(file).outputs ?? {}).map(([name, { value }]) => [name, value]));
}

type Combination = Record<string, unknown>;

/** Every combination of a matrix; without a matrix, one empty combination. */
export function combinations(matrix?: unknown): Combination[] {
  if (matrix === undefined) return [{}];
  const { include = [], exclude = [], ...dimensions } = matrix as Record<string, unknown[]>;
  // A matrix may have nothing but `include`.
  const start: Combination[] = Object.keys(dimensions).length > 0 ? [{}] : [];
  const original = Object.entries(dimensions)
    .reduce((all, [name, values]) => all.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))), start)
    .filter(
      (one) => !exclude.some((part) => Object.entries(part as object).every(([name, value]) => has(one, name, value))),
    );
  const all = original.map((one) => ({ ...one }));
  for (const extra of include as Combination[]) {
    // It extends the combinations of which it changes nothing; if there are none, it is one itself.
    const fitting = original.flatMap((one, index) =>
      Object.entries(extra).every(([name, value]) => !(name in one) || has(one, name, value)) ? [index] : [],
    );
    for (const index of fitting) Object.assign(all[index] ?? {}, extra);
    if (fitting.length === 0) all.push({ ...extra });
  }
  return all;
}

function has(one: Combination, name: string, value: unknown): boolean {
  return name in one && isDeepStrictEqual(one[name], value);
}

/** The jobs in an order in which each comes after the jobs that it needs. */
export function inOrder(jobs: Record<string, JobFile>): [string, JobFile][] {
  const ordered = new Map<string, JobFile>();
  const visit = (id: string) => {
    const job = jobs[id];
    if (!job) throw new Error(`A job needs ${id}, which does not exist`);
    for (const needed of needsOf(job)) visit(needed);
    ordered.set(id, job);
  };
  for (const id of Object.keys(jobs)) visit(id);
  return [...ordered];
}

export function needsOf(job: JobFile): string[] {
  return job.needs === undefined ? [] : [job.needs].flat();
}
