import { parse, stringify } from 'yaml';
import type { ActionName } from '../runner/action.ts';
import type { GitHubEvent } from '../runner/events.ts';
import { actionOf, usesOf } from '../runner/repository.ts';
import { isTriggered, triggers, type WorkflowFile } from '../runner/workflow/file.ts';

/** What the local services need a value of the workflow to be. Without a purpose, it comes from the command line. */
export type Purpose = 'project' | 'organization' | 'key' | 'token';

/** Where a workflow's values come from. */
export type Source = 'vars' | 'secrets' | 'inputs' | 'outputs';

export interface Prepared {
  /** The workflow as the player knows it. */
  text: string;
  /** What the workflow reads from each source, by name; for `outputs` of steps that are not run, `step.name`. */
  reads: Record<Source, Map<string, Purpose | undefined>>;
  /** What it reads, as `vars.NAME`, other than in steps that are not run. */
  needs: Set<string>;
  /** The sources of which it computes names, or that it reads as a whole: `vars[env.NAME]`, `toJSON(vars)`. */
  computes: Set<Source>;
  /** The IDs of the steps that are not run. */
  others: Set<string>;
  /** Whether an event such as `pull_request.opened` starts the workflow by itself. */
  startsOn: (event: string) => boolean;
  /** Whether any event does: it is not only called. */
  startsAtAll: boolean;
  /** Whether the event is played as that of a caller: the workflow can be called, and does not start on it by itself. */
  isCalledOn: (event: string) => boolean;
  /** The inputs that a run on an event has: only one that is dispatched or called has any. */
  inputsOn: (event: string) => Record<string, { default: string; isBoolean: boolean }>;
  /** All inputs that the workflow declares, and which runs have them. */
  declares: Record<string, ('dispatched' | 'called')[]>;
  /** What the player leaves out, in sentences. */
  limits: string[];
  /** The actions that the workflow uses. */
  actions: string[];
  /** The steps with these actions, and what each does. */
  ours: { step: Step; command: string }[];
  /** The version of this action that its first step has: a tag, branch or SHA. */
  ref: string;
  /** The jobs that call a reusable workflow, and so are not played. */
  calls: Set<string>;
}

export interface Step {
  id?: string;
  name?: string;
  uses?: string;
  with?: Record<string, unknown>;
  env?: Record<string, unknown>;
}
interface Job {
  env?: Record<string, unknown>;
  uses?: string;
  steps?: Step[];
  services?: unknown;
  container?: unknown;
}
interface Inputs {
  inputs?: Record<string, { default?: unknown; type?: string } | null>;
}

/** The inputs whose values the local services decide. */
const purposes: Record<string, Purpose> = { project_id: 'project', api_key: 'key', github_token: 'token' };

/** Variables that only a prepared workflow has: the values of the local service. */
export const localVariable = (purpose: Purpose) => `LOCAL_SERVICE_${purpose.toUpperCase()}`;

/**
 * Makes a workflow ready to be played on any of these events. Steps with `action` (`owner/name`, or `./`) become steps with this action,
 * and `api_host` is removed, so that no request can leave the machine. What the player does not know is taken out and listed.
 */
export function prepare(text: string, action: string, events: object): Prepared {
  const file = parse(text) as { on?: unknown; env?: Record<string, unknown>; jobs?: Record<string, Job> };
  const limits: string[] = filtersIn(file.on);
  const { workflow_call: call, workflow_dispatch: dispatch } = (
    typeof file.on === 'object' ? { ...file.on } : {}
  ) as Record<string, Inputs | null>;
  const own = { on: file.on } as WorkflowFile;
  const startsOn = (event: string) => {
    const [name = '', action = 'opened'] = event.split('.');
    return isTriggered(own, { name, payload: { action } } as unknown as GitHubEvent);
  };
  const isCalledOn = (event: string) => call !== undefined && !startsOn(event);
  const inputsOn: Prepared['inputsOn'] = (event) => {
    const by = isCalledOn(event) ? call : event === 'workflow_dispatch' ? dispatch : undefined;
    return Object.fromEntries(
      Object.entries(by?.inputs ?? {}).map(([name, input]) => {
        const isBoolean = input?.type === 'boolean';
        return [name, { default: String(input?.default ?? (isBoolean ? false : '')), isBoolean }];
      }),
    );
  };
  const declares: Prepared['declares'] = {};
  for (const [how, by] of [['dispatched', dispatch] as const, ['called', call] as const])
    for (const name of Object.keys(by?.inputs ?? {})) declares[name] = [...(declares[name] ?? []), how];
  // A called workflow has the event of its caller.
  if (call !== undefined) file.on = events;
  const actions = new Set<string>();
  const meant = new Map<string, Purpose>();
  const ours: Prepared['ours'] = [];
  let ref = '';
  const others = new Set<string>();
  const calls = new Set<string>();
  for (const [id, job] of Object.entries(file.jobs ?? {})) {
    const without = (what: string) => limits.push(`Job ${id}: ${what}.`);
    if (job.uses !== undefined) {
      calls.add(id);
      without(`not played, because it calls a reusable workflow (${job.uses}). Play that file by itself`);
      Object.assign(job, { uses: undefined, strategy: undefined, with: undefined, secrets: undefined, steps: [] });
    }
    for (const part of ['services', 'container'] as const) {
      if (job[part] !== undefined) without(`its ${part === 'services' ? 'services are' : 'container is'} not started`);
    }
    for (const step of job.steps ?? []) {
      const name = actionIn(step, action);
      if (name === undefined) {
        if (step.uses !== undefined) actions.add(step.uses);
        if (step.id !== undefined) others.add(step.id);
        continue;
      }
      ours.push({ step, command: commandOf(step, name) });
      ref ||= step.uses?.split('@')[1] ?? '';
      step.name ??= step.uses ?? '';
      step.uses = usesOf(name);
      for (const [input, purpose] of Object.entries(purposes)) {
        const value = step.with?.[input];
        if (step.with === undefined || value === undefined) continue;
        const text = withVariables(String(value), [step.env, job.env, file.env]);
        const [one, ...more] = referencesIn(text);
        if (one && more.length === 0) meant.set(one.join('.'), purpose);
        else step.with[input] = orLocal(one || text === value ? String(value) : '', purpose);
      }
      const [organization] = referencesIn(/"org_id":\s*"(\$\{\{.*?\}\})/.exec(String(step.with?.body))?.[1] ?? '');
      if (organization !== undefined) meant.set(organization.join('.'), 'organization');
      if (step.with) delete step.with.api_host;
    }
  }
  if (/\bhashFiles\s*\(/i.test(text)) limits.push('hashFiles() always returns an empty text.');
  const reads: Prepared['reads'] = { vars: new Map(), secrets: new Map(), inputs: new Map(), outputs: new Map() };
  const prepared = stringify(file);
  for (const [source, name] of [...referencesIn(prepared), ...outputsIn(prepared, others)])
    reads[source].set(name, source === 'secrets' && name === 'GITHUB_TOKEN' ? 'token' : meant.get(`${source}.${name}`));
  for (const job of Object.values(file.jobs ?? {}))
    for (const step of job.steps ?? [])
      if (!ours.some((one) => one.step === step))
        Object.assign(step, { run: undefined, with: undefined, env: undefined });
  const whatRuns = stringify(file);
  const needs = new Set([...referencesIn(whatRuns), ...outputsIn(whatRuns, others)].map((one) => one.join('.')));
  const computes = new Set<Source>((['vars', 'secrets'] as const).filter((source) => isComputed(source, prepared)));
  if (readsOtherOutputs(prepared)) computes.add('outputs');
  return {
    ...{ text: prepared, reads, needs, computes, others, limits, actions: [...actions], ours, ref, calls },
    ...{ startsOn, startsAtAll: [...triggers(own).keys()].some((name) => name !== 'workflow_call') },
    ...{ isCalledOn, inputsOn, declares },
  };
}

/** Which of the actions a step uses, if the workflow calls their repository by this name. */
export function actionIn(step: Step, repository: string): ActionName | undefined {
  return actionOf(step.uses, [repository]);
}

/** What a step with an action does: the name of its action, or the root action's `command`. */
export function commandOf({ with: given = {} }: Step, action: ActionName): string {
  return action === 'lifecycle' ? String(given.command ?? 'auto') : action;
}

/** The variables, secrets and inputs that expressions name. The names of the first two are not case-sensitive. */
function referencesIn(text: string): [Exclude<Source, 'outputs'>, string][] {
  const found = text.matchAll(/(?<![.\w-])(vars|secrets|inputs)(?:\.([\w-]+)|\[\s*'([^']+)'\s*\])/gi);
  return [...found].map(([, context = '', name, quoted]) => {
    const source = context.toLowerCase() as Exclude<Source, 'outputs'>;
    return [source, source === 'inputs' ? (name ?? quoted ?? '') : (name ?? quoted ?? '').toUpperCase()];
  });
}

/** The outputs of these steps that expressions name. */
function outputsIn(text: string, steps: Set<string>): ['outputs', string][] {
  const found = text.matchAll(/\bsteps\.([\w-]+)\.outputs\.([\w-]+)/g);
  return [...found].flatMap(([, step = '', name = '']) => (steps.has(step) ? [['outputs', `${step}.${name}`]] : []));
}

function isComputed(source: 'vars' | 'secrets', text: string): boolean {
  return new RegExp(`(?<![.\\w-])${source}\\b(?!\\s*(\\.[\\w-]|\\[\\s*'|:))`, 'i').test(text);
}

/** Whether outputs of steps may be read other than as `steps.ID.outputs.NAME`: as a whole, or by a name that is computed. */
function readsOtherOutputs(text: string): boolean {
  return /(?<![.\w-])steps\b(?!\s*:)(?!\.[\w-]+\.(?:outputs\.[\w-]|outcome\b|conclusion\b))/i.test(text);
}

/**
 * An expression that has the value of the local service where it would be empty, as if it computes the name of a variable. Any other
 * text is replaced: it is for the real service.
 */
function orLocal(value: string, purpose: Purpose): string {
  const local = `vars.${localVariable(purpose)}`;
  const [, expression] = /^\s*\$\{\{((?:(?!\}\}).)*)\}\}\s*$/s.exec(value) ?? [];
  return `\${{ ${expression === undefined ? local : `(${expression}) || ${local}`} }}`;
}

/** A value, with the environment variables that its expressions name replaced by their own values. */
function withVariables(value: string, environments: (Record<string, unknown> | undefined)[]): string {
  return value.replace(/(?<![.\w-])env\.([\w-]+)/g, (whole, name: string) => {
    const found = environments.find((one) => one && Object.hasOwn(one, name))?.[name];
    return found === undefined ? whole : String(found);
  });
}

/** The filters of the workflow's events, which are not evaluated. */
function filtersIn(on: unknown): string[] {
  if (typeof on !== 'object' || on === null || Array.isArray(on)) return [];
  return Object.entries(on as Record<string, Record<string, unknown> | null>).flatMap(([event, settings]) => {
    const filters = Object.keys(settings ?? {}).filter((name) => /^(branches|paths|tags)(-ignore)?$/.test(name));
    return filters.length > 0 ? [`Event ${event}: filters are not evaluated (${filters.join(', ')}).`] : [];
  });
}
