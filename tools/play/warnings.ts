import { parse } from 'yaml';
import { isOurs, type Step, type Workflow } from '../../test/repository/workflows.ts';

/** The types for which a pull request's event runs a workflow by default. */
const defaultTypes = ['opened', 'synchronize', 'reopened'];

/** Warnings about a prepared workflow: what is valid, but works differently on GitHub than intended or simulated. */
export function warningsOf(text: string, workspace: string | undefined): string[] {
  const { on, permissions, jobs } = parse(text) as Workflow & { on?: unknown };
  const warnings: string[] = [];
  let deletesOnClose = false;
  const place =
    workspace === undefined ? 'in an empty folder; `--workspace .` runs it in your checkout' : `in ${workspace}`;
  for (const [name, job] of Object.entries(jobs)) {
    const granted = pullRequestsIn(job.permissions ?? permissions);
    for (const step of (job.steps ?? []).filter(isOurs)) {
      const { command = 'auto', ephemeral } = step.with ?? {};
      if (command === 'rehearse')
        warnings.push(`Job ${name}: the \`run\` of \`command: rehearse\` runs on this machine, ${place}.`);
      if (command === 'auto' && !isTrue(ephemeral)) deletesOnClose = true;
      const need = neededBy(step);
      if (need && granted && !need.enough.includes(granted))
        warnings.push(
          `Job ${name}: ${need.what} needs \`pull-requests: ${need.enough[0]}\`, which its \`permissions\` lack. Permissions are not simulated.`,
        );
    }
  }
  if (deletesOnClose) warnings.push(...eventsWithoutClosed(on));
  return warnings;
}

/** What a step needs of `pull-requests`, with the job's own token. */
function neededBy({ with: given = {} }: Step): { what: string; enough: string[] } | undefined {
  const token = String(given.github_token ?? 'github.token');
  if (!/\b(github\.token|secrets\.GITHUB_TOKEN)\b/.test(token)) return undefined;
  if (isTrue(given.comment)) return { what: '`comment: true`', enough: ['write'] };
  for (const input of ['command', 'on_limit'])
    if (given[input] === 'prune') return { what: `\`${input}: prune\``, enough: ['read', 'write'] };
  return undefined;
}

/** The access to pull requests that `permissions` give; undefined without them, because the repository's settings decide then. */
function pullRequestsIn(permissions: unknown): string | undefined {
  if (typeof permissions === 'string') return permissions.replace(/-all$/, '');
  if (typeof permissions !== 'object' || permissions === null) return undefined;
  return (permissions as Record<string, string>)['pull-requests'] ?? 'none';
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
