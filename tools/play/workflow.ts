import type { ActionName } from '../runner/action.ts';
import { actionOf } from '../runner/repository.ts';
import { readWorkflow, type StepFile } from '../runner/workflow/file.ts';

/** Where a workflow's values come from; `outputs` are those of steps that are not run. */
export type Source = 'vars' | 'secrets' | 'outputs';

/** A workflow file, as far as the player must know it before it plays it. */
export interface Workflow {
  path: string;
  text: string;
  /** the steps with these actions */
  ours: StepFile[];
  /** the other actions that it uses */
  actions: string[];
  /** the names that it reads, upper-case except for `step.output`, and whether steps with these actions do in their inputs */
  reads: Record<Source, Map<string, { byOurs: boolean }>>;
  /** what the player leaves out, in sentences */
  limits: string[];
  /** The inputs that a run on an event has: only one that is dispatched has any. */
  inputsOn(event: string): Record<string, { default: string; isBoolean: boolean }>;
}

interface Declared {
  inputs?: Record<string, { default?: unknown; type?: string } | null>;
  secrets?: Record<string, unknown>;
}

/** Which of the actions a step uses, if the workflow calls their repository by this name. */
export function actionIn({ uses }: StepFile, repository: string): ActionName | undefined {
  return actionOf(uses, [repository]);
}

/** What a step with an action does: the name of its action, or the root action's `command`. */
export function commandOf({ with: given = {} }: StepFile, action: ActionName): string {
  return action === 'lifecycle' ? String(given.command ?? 'auto') : action;
}

const unplayed = { services: 'are not started', container: 'is not started', environment: 'needs no approval here' };

/** Reads a valid workflow, which calls the repository of the actions by this name. */
export function workflowOf(path: string, text: string, repository: string): Workflow {
  const file = readWorkflow(text);
  const { on } = file;
  const declared = (typeof on === 'object' ? { ...on } : {}) as Record<string, Declared | null>;
  // Its caller passes them.
  const passed = Object.keys(declared.workflow_call?.secrets ?? {}).map((name) => name.toUpperCase());
  const found: Workflow = {
    ...{ path, text, ours: [], actions: [], limits: filtersIn(on) },
    reads: { vars: new Map(), secrets: new Map(), outputs: new Map() },
    inputsOn(event) {
      const inputs = event === 'workflow_dispatch' ? declared.workflow_dispatch?.inputs : undefined;
      return Object.fromEntries(
        Object.entries(inputs ?? {}).map(([name, input]) => {
          const isBoolean = input?.type === 'boolean';
          return [name, { default: String(input?.default ?? (isBoolean ? false : '')), isBoolean }];
        }),
      );
    },
  };
  const others = new Set<string>();
  for (const [id, job] of Object.entries(file.jobs)) {
    for (const [part, what] of Object.entries(unplayed))
      if (part in job) found.limits.push(`Job ${id}: its ${part} ${what}.`);
    for (const step of job.steps ?? []) {
      const action = actionIn(step, repository);
      if (action !== undefined) found.ours.push(step);
      else {
        if (step.uses !== undefined) found.actions.push(step.uses);
        if (step.id !== undefined) others.add(step.id);
      }
    }
  }
  if (/\bhashFiles\s*\(/i.test(text)) found.limits.push('hashFiles() always returns an empty text.');
  const inOurs = JSON.stringify(found.ours.map((step) => step.with));
  for (const [part, byOurs] of [[text, false] as const, [inOurs, true] as const])
    for (const [source, name] of namesIn(part))
      if (source === 'outputs' ? others.has(name.split('.')[0] ?? '') : source !== 'secrets' || !passed.includes(name))
        found.reads[source].set(name, { byOurs });
  return found;
}

/** The variables, secrets and outputs that expressions name. */
function namesIn(text: string): [Source, string][] {
  const values = text.matchAll(/(?<![.\w-])(vars|secrets)(?:\.([\w-]+)|\[\s*'([^']+)'\s*\])/gi);
  const outputs = text.matchAll(/\bsteps\.([\w-]+)\.outputs\.([\w-]+)/g);
  return [
    ...[...values].map(([, source = '', name, quoted]): [Source, string] => [
      source.toLowerCase() as Source,
      (name ?? quoted ?? '').toUpperCase(),
    ]),
    ...[...outputs].map(([, step, name]): [Source, string] => ['outputs', `${step}.${name}`]),
  ];
}

/** The filters of the workflow's events, which are not evaluated. */
function filtersIn(on: unknown): string[] {
  if (typeof on !== 'object' || on === null || Array.isArray(on)) return [];
  return Object.entries(on as Record<string, Record<string, unknown> | null>).flatMap(([event, settings]) => {
    const filters = Object.keys(settings ?? {}).filter((name) => /^(branches|paths|tags)(-ignore)?$/.test(name));
    return filters.length > 0 ? [`Event ${event}: filters are not evaluated (${filters.join(', ')}).`] : [];
  });
}
