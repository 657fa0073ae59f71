import { parse, stringify } from 'yaml';
import { OURS } from '../runner/repository.ts';

/** What the local services need a variable or a secret of the workflow to be. Without a purpose, its value comes from the command line. */
export type Purpose = 'project' | 'organization' | 'key' | 'token';

export interface Prepared {
  /** The workflow as the player knows it. */
  text: string;
  /** The variables and secrets that the workflow reads, by name. */
  vars: Map<string, Purpose | undefined>;
  secrets: Map<string, Purpose | undefined>;
  /** What the player leaves out, in sentences. */
  limits: string[];
  /** The actions that the workflow uses. */
  actions: string[];
  /** Whether any of them is this action. */
  usesOurs: boolean;
}

interface Step {
  name?: string;
  uses?: string;
  with?: Record<string, unknown>;
}
interface Job {
  uses?: string;
  steps?: Step[];
  services?: unknown;
  container?: unknown;
}

/** The inputs whose values the local services decide. */
const purposes: Record<string, Purpose> = { project_id: 'project', api_key: 'key', github_token: 'token' };

/**
 * Makes a workflow ready to be played. Steps with `action` (`owner/name`, or `./`) become steps with this action, and `api_host` is
 * removed, so that no request can leave the machine. What the player does not know is taken out and listed.
 */
export function prepare(text: string, action: string): Prepared {
  const file = parse(text) as { on?: unknown; jobs?: Record<string, Job> };
  const limits: string[] = filtersIn(file.on);
  const actions = new Set<string>();
  const meant = new Map<string, Purpose>();
  let usesOurs = false;
  for (const [name, job] of Object.entries(file.jobs ?? {})) {
    const without = (what: string) => limits.push(`Job ${name}: ${what}.`);
    if (job.uses !== undefined) {
      without(`not played, because it calls a reusable workflow (${job.uses})`);
      Object.assign(job, { uses: undefined, strategy: undefined, with: undefined, secrets: undefined, steps: [] });
    }
    for (const part of ['services', 'container'] as const) {
      if (job[part] !== undefined) without(`its ${part === 'services' ? 'services are' : 'container is'} not started`);
    }
    for (const step of job.steps ?? []) {
      if (step.uses === undefined) continue;
      if (!isUseOf(step.uses, action)) {
        actions.add(step.uses);
        continue;
      }
      usesOurs = true;
      step.name ??= step.uses;
      step.uses = OURS;
      for (const [input, value] of Object.entries(step.with ?? {})) {
        const [, source] = /^\s*\$\{\{\s*((?:vars|secrets)\.\w+)\s*\}\}\s*$/.exec(String(value)) ?? [];
        const purpose = purposes[input];
        if (source !== undefined && purpose !== undefined) meant.set(source, purpose);
      }
      const [, organization] = /"org_id":\s*"\$\{\{\s*(\w+\.\w+)/.exec(String(step.with?.body)) ?? [];
      if (organization !== undefined) meant.set(organization, 'organization');
      if (step.with) delete step.with.api_host;
    }
  }
  if (/\bhashFiles\s*\(/i.test(text)) limits.push('hashFiles() is empty.');
  const read = (context: string) =>
    new Map(
      [...text.matchAll(new RegExp(`\\b${context}\\.(\\w+)`, 'g'))].map(([whole, name = '']) => [
        name,
        whole === 'secrets.GITHUB_TOKEN' ? ('token' as const) : meant.get(whole),
      ]),
    );
  return {
    text: stringify(file),
    vars: read('vars'),
    secrets: read('secrets'),
    limits,
    actions: [...actions],
    usesOurs,
  };
}

/** Whether a step's `uses` is the action that the workflow calls by this name. */
export function isUseOf(uses: string, action: string): boolean {
  return uses === action || uses.split('@')[0] === action;
}

/** The filters of the workflow's events, which are not evaluated. */
function filtersIn(on: unknown): string[] {
  if (typeof on !== 'object' || on === null || Array.isArray(on)) return [];
  return Object.entries(on as Record<string, Record<string, unknown> | null>).flatMap(([event, settings]) => {
    const filters = Object.keys(settings ?? {}).filter((name) => /^(branches|paths|tags)(-ignore)?$/.test(name));
    return filters.length > 0 ? [`Event ${event}: its filters (${filters.join(', ')}) are not evaluated.`] : [];
  });
}
