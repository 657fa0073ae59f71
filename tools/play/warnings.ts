import { isNode, LineCounter, parse, parseDocument } from 'yaml';
import { isOurs, type Step, type Workflow } from '../../test/repository/workflows.ts';
import { triggers, type WorkflowFile } from '../runner/workflow/file.ts';
import type { Prepared } from './prepare.ts';

/** The types for which a pull request's event runs a workflow by default. */
const defaultTypes = ['opened', 'synchronize', 'reopened'];

/** Warnings about a prepared workflow: what is valid, but works differently on GitHub than intended or simulated. */
export function warningsOf({ text, on }: Pick<Prepared, 'text' | 'on'>, workspace: string | undefined): string[] {
  const { permissions, jobs } = parse(text) as Workflow;
  const warnings: string[] = [];
  let deletesOnClose = false;
  const place =
    workspace === undefined ? 'in an empty folder; `--workspace .` runs it in your checkout' : `in ${workspace}`;
  for (const [name, job] of Object.entries(jobs)) {
    for (const step of (job.steps ?? []).filter(isOurs)) {
      const { command = 'auto', ephemeral } = step.with ?? {};
      if (command === 'rehearse')
        warnings.push(`Job ${name}: the \`run\` of \`command: rehearse\` runs on this machine, ${place}.`);
      if (command === 'auto' && !isTrue(ephemeral)) deletesOnClose = true;
      for (const { what, scope, enough } of neededBy(step)) {
        const granted = accessIn(job.permissions ?? permissions, scope);
        if (granted && !enough.includes(granted))
          warnings.push(
            `Job ${name}: ${what} needs \`${scope}: ${enough[0]}\`, which its \`permissions\` don't grant. Permissions are not simulated.`,
          );
      }
    }
  }
  if (deletesOnClose) warnings.push(...eventsWithoutClosed(on));
  // A job may have several such steps.
  return [...new Set(warnings)];
}

/** Events whose runs have the secrets even if the pull request is that of a fork. */
const withKeyForForks = ['pull_request_target', 'workflow_run'];
/** What decides which code `actions/checkout` gets. */
const checkoutInputs = ['ref', 'repository'];
/** An expression or a ref of the pull request's own code. */
const ofHead = /github\.(head_ref|event\.(pull_request|workflow_run)\.(head|pull_requests|merge_commit))|refs\/pull\//i;

/**
 * Warnings about ways in which others can read a workflow's API key, as `name:line:column: message`. `isUse` recognizes the steps with
 * the action.
 */
export function exposedKeys(text: string, name: string, isUse: (step: Step) => boolean): string[] {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const warnings: string[] = [];
  const warn = (path: (string | number)[], message: string) => {
    const node = document.getIn(path, true);
    const { line, col } = lines.linePos((isNode(node) && node.range?.[0]) || 0);
    warnings.push(`${name}:${line}:${col}: ${message}`);
  };
  const file = document.toJS() as Workflow & WorkflowFile;
  const trusted = [...triggers(file).keys()].filter((event) => withKeyForForks.includes(event));
  for (const [id, job] of Object.entries(file.jobs)) {
    const hasKey = (job.steps ?? []).some(isUse);
    for (const [index, step] of (job.steps ?? []).entries()) {
      const head = checkoutInputs.find((input) => ofHead.test(String(step.with?.[input] ?? '')));
      if (hasKey && trusted.length > 0 && /^actions\/checkout@/i.test(step.uses ?? '') && head !== undefined)
        warn(
          ['jobs', id, 'steps', index, 'with', head],
          `Event ${trusted.join(' and ')}: don't check out the head here: code from the pull request could then read the key.`,
        );
      if (isUse(step) && isReadable(String(step.with?.api_key ?? '')))
        warn(
          ['jobs', id, 'steps', index, 'with', 'api_key'],
          '`api_key` should come from `secrets`: anyone who can read the workflow or the variables can read it.',
        );
    }
  }
  return warnings;
}

/** Whether a value is a literal or from a variable. Environment variables, inputs and outputs may have a secret as their value. */
function isReadable(value: string): boolean {
  return value !== '' && (!value.includes('${{') || /(?<![.\w-])vars\s*[.[]/i.test(value));
}

/** A permission that a step with some input needs, and every access that is enough. */
interface Need {
  what: string;
  scope: 'pull-requests' | 'contents';
  enough: string[];
  isNeeded: (given: Record<string, unknown>) => boolean;
}

const toRead = ['read', 'write'];
const needs: Need[] = [
  { what: '`comment: true`', scope: 'pull-requests', enough: ['write'], isNeeded: (given) => isTrue(given.comment) },
  { what: '`command: prune`', scope: 'pull-requests', enough: toRead, isNeeded: (given) => given.command === 'prune' },
  {
    what: '`on_limit: prune`',
    scope: 'pull-requests',
    enough: toRead,
    isNeeded: (given) => given.on_limit === 'prune',
  },
  { what: '`branch_pattern`', scope: 'contents', enough: toRead, isNeeded: (given) => 'branch_pattern' in given },
];

/** What a step needs of its job's own token. */
function neededBy({ with: given = {} }: Step): Need[] {
  const token = String(given.github_token ?? 'github.token');
  if (!/\b(github\.token|secrets\.GITHUB_TOKEN)\b/.test(token)) return [];
  return needs.filter(({ isNeeded }) => isNeeded(given));
}

/** The access that `permissions` give; undefined without them, because the repository's settings decide then. */
function accessIn(permissions: unknown, scope: Need['scope']): string | undefined {
  if (typeof permissions === 'string') return permissions.replace(/-all$/, '');
  if (typeof permissions !== 'object' || permissions === null) return undefined;
  return (permissions as Record<string, string>)[scope] ?? 'none';
}

function eventsWithoutClosed(on: unknown): string[] {
  const events: Record<string, unknown> =
    typeof on === 'object' && on !== null && !Array.isArray(on)
      ? { ...on }
      : Object.fromEntries([on].flat().map((event) => [event, null]));
  return ['pull_request', 'pull_request_target'].flatMap((event) => {
    if (!Object.hasOwn(events, event)) return [];
    const { types = defaultTypes } = (events[event] ?? {}) as { types?: string | string[] };
    return [types].flat().includes('closed')
      ? []
      : [
          `Event ${event}: its types lack \`closed\`, so this workflow does not delete the branch when the pull request closes.`,
        ];
  });
}

function isTrue(value: unknown): boolean {
  return String(value).toLowerCase() === 'true';
}
