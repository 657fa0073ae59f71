import { parse, stringify } from 'yaml';
import { ROOT } from '../../tools/files.ts';
import { readAction } from '../../tools/runner/action.ts';
import { actionOf, OURS } from '../../tools/runner/repository.ts';

/** As much of a workflow as the tests look at. */
export interface Workflow {
  permissions?: unknown;
  concurrency?: unknown;
  jobs: Record<string, Job>;
}
export interface Job {
  permissions?: unknown;
  needs?: string | string[];
  'timeout-minutes'?: number;
  outputs?: Record<string, string>;
  steps?: Step[];
}
export interface Step {
  id?: string;
  uses?: string;
  run?: string;
  with?: Record<string, unknown>;
}

export type Shape = 'workflow' | 'triggers' | 'jobs' | 'job' | 'steps' | 'with';

const outputNames = readAction(ROOT).outputs;

export function isOurs(step: Step): boolean {
  return actionOf(step.uses) !== undefined;
}

/** The ```yaml blocks of a document, each with the line that it starts on. */
export function yamlBlocks(markdown: string): { line: number; text: string }[] {
  const blocks: { line: number; text: string }[] = [];
  for (const match of markdown.matchAll(/^([ \t]*)```ya?ml\b[^\n]*\n(.*?)^\1```/gms)) {
    const [, indent = '', text = ''] = match;
    const line = markdown.slice(0, match.index).split('\n').length + 1;
    blocks.push({ line, text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), '') });
  }
  return blocks;
}

/** What a piece of YAML in a document is a piece of. */
export function shapeOf(text: string): Shape {
  const value: unknown = parse(text);
  if (Array.isArray(value)) return 'steps';
  const keys = Object.keys((value ?? {}) as object);
  if (keys.includes('jobs')) return 'workflow';
  if (keys.includes('steps') || keys.includes('runs-on')) return 'job';
  if (keys.length === 1 && keys[0] === 'with') return 'with';
  if (keys.length > 0 && keys.every((key) => ['on', 'permissions', 'concurrency', 'name', 'env'].includes(key)))
    return 'triggers';
  const values = Object.values((value ?? {}) as object);
  const isJob = (one: unknown) => typeof one === 'object' && one !== null && ('steps' in one || 'uses' in one);
  if (values.length > 0 && values.every(isJob)) return 'jobs';
  throw new Error(`neither a workflow nor a part of one that can be told by its shape: ${keys.join(', ')}`);
}

/** The text as a workflow that GitHub would take: whole ones as they are, fragments within the least that they need. */
export function wholeWorkflow(text: string): string {
  const shape = shapeOf(text);
  if (shape === 'workflow') return text;
  const value: unknown = parse(text);
  const step = { run: 'true' };
  const asJobs = (): Record<string, unknown> => {
    switch (shape) {
      case 'triggers':
        return { job: { 'runs-on': 'ubuntu-latest', steps: [step] } };
      case 'jobs':
        return value as Record<string, unknown>;
      case 'job':
        return { job: value };
      case 'steps':
        return { job: { steps: value } };
      case 'with':
        return { job: { steps: [{ uses: OURS, ...(value as object) }] } };
    }
  };
  const around = shape === 'triggers' ? { on: 'push', ...(value as object) } : { on: 'pull_request' };
  return stringify({ ...around, jobs: withContext(asJobs() as Record<string, Job>, text) });
}

/** Jobs and steps that a fragment refers to and does not show are put before it. */
function withContext(jobs: Record<string, Job>, text: string): Record<string, unknown> {
  const needed = names(text, /needs\.([\w-]+)\.outputs\.([\w-]+)/g);
  const complete: Record<string, unknown> = {};
  for (const [job, outputs] of needed) {
    if (job in jobs) continue;
    const values = Object.fromEntries([...outputs].map((name) => [name, 'x']));
    complete[job] = { 'runs-on': 'ubuntu-latest', outputs: values, steps: [{ run: 'true' }] };
  }
  for (const [name, job] of Object.entries(jobs)) {
    const inJob = JSON.stringify(job);
    const ids = new Set((job.steps ?? []).map((step) => step.id));
    const steps = [...names(inJob, /steps\.([\w-]+)\.outputs\.([\w-]+)/g)]
      .filter(([id]) => !ids.has(id))
      .map(([id, outputs]) => ({
        id,
        ...([...outputs].every((one) => outputNames.includes(one)) ? { uses: OURS } : { run: 'true' }),
      }));
    const needs = Object.keys(complete).filter((other) => inJob.includes(`needs.${other}.`));
    complete[name] = {
      'runs-on': 'ubuntu-latest',
      ...(needs.length > 0 ? { needs } : {}),
      ...job,
      ...(job.steps ? { steps: [...steps, ...job.steps] } : {}),
    };
  }
  return complete;
}

function names(text: string, pattern: RegExp): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const [, owner = '', name = ''] of text.matchAll(pattern))
    found.set(owner, (found.get(owner) ?? new Set()).add(name));
  return found;
}

/** `id`s of steps → outputs of theirs that the job reads. */
export function outputsRead(job: object): Map<string, Set<string>> {
  return names(JSON.stringify(job), /steps\.([\w-]+)\.outputs(?:\.|\[')([\w-]+)/g);
}
