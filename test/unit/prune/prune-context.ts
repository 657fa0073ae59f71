import { MockAgent } from 'undici';
import type { Context } from '../../../src/context.ts';
import { createOutcomes } from '../../../src/prune/carry-out.ts';
import type { StaleBranch } from '../../../src/prune/rules.ts';
import { createRecorder } from '../../../src/result.ts';
import { branch as readBranch } from '../../../src/service/types.ts';
import { parseEvent } from '../../../src/step/event.ts';
import * as events from '../../../tools/runner/events.ts';
import { mockApi, type Reply, type Sent } from '../../support/mock-api.ts';

/** What the service says of every branch that may be deleted. */
export const deletable = { created_at: '2025-01-01T00:00:00Z', default: false, protected: false };

export function stale(id: string, more: object = {}, then: Partial<StaleBranch> = {}): StaleBranch {
  const branch = readBranch({ id, name: id, ...deletable, ...more }, 'branch');
  const evidence = { pullRequests: [], headRefs: [], gitRefs: [] };
  return { branch, reason: 'old', ageMs: undefined, evidence, readAt: Date.parse('2026-03-04T05:06:07Z'), ...then };
}

/** GitHub's data for a GraphQL query: the fields of the repository, the status of an error, or an error in a response without fields. */
export type GitHubScript = (
  query: string,
  variables: Record<string, string>,
) => Record<string, unknown> | number | Error;

/** The context of a prune with these replies of the service and of GitHub, and the lines that it logs. */
export function pruneContext(
  replies: Reply[] | ((request: Sent) => Reply),
  timeoutMs?: number,
  gitHub: GitHubScript = () => 500,
) {
  const { api, sent, clock, stop } = mockApi(replies, timeoutMs === undefined ? {} : { timeoutMs });
  const quiet = () => {};
  const lines: string[] = [];
  const warnings: string[] = [];
  const queries: string[] = [];
  const connectGitHub = async () =>
    scripted((query, variables) => {
      queries.push(query);
      return gitHub(query, variables);
    });
  const context: Context = {
    inputs: { project_id: 'p', hard_delete: false, github_token: 'ghs_x', timeout: 60_000 } as Context['inputs'],
    command: 'prune',
    event: parseEvent(events.pullRequest()),
    api,
    connectGitHub,
    log: {
      info: (line) => void lines.push(line),
      debug: quiet,
      notice: quiet,
      group: (_, all) => void lines.push(...all),
      warning: (line) => void warnings.push(line),
    },
    mask: quiet,
    ...createRecorder(),
    saveForPostStep: quiet,
  };
  return { context, clock, stop, lines, warnings, queries, sent, outcomes: createOutcomes(context.log) };
}

/** A GitHub whose responses come from the script. */
export function scripted(gitHub: GitHubScript): MockAgent {
  const agent = new MockAgent();
  agent.disableNetConnect();
  agent
    .get('https://api.github.com')
    .intercept({ path: '/graphql', method: 'POST' })
    .reply(({ body }) => {
      const { query, variables } = JSON.parse(String(body)) as { query: string; variables: Record<string, string> };
      const reply = gitHub(query, variables);
      const statusCode = typeof reply === 'number' ? reply : 200;
      return { statusCode, data: bodyOf(reply), responseOptions: { headers: { 'content-type': 'application/json' } } };
    })
    .persist();
  return Object.assign(agent, { destroy: () => agent.close() });
}

function bodyOf(reply: ReturnType<GitHubScript>): object {
  if (typeof reply === 'number') return { message: 'no' };
  if (reply instanceof Error) return { data: { repository: {} }, errors: [{ message: reply.message }] };
  return { data: { repository: reply } };
}

/** GitHub's fields for every pull request and ref of a query, in the states that these functions give. */
export function fieldsFor(
  query: string,
  variables: Record<string, string>,
  states: { open?: (number: number) => boolean; openHead?: (ref: string) => number; exists?: (ref: string) => boolean },
): Record<string, unknown> {
  const { open = () => false, openHead = () => 0, exists = () => false } = states;
  const fields: Record<string, unknown> = {};
  for (const [, number] of query.matchAll(/p\d+: pullRequest\(number: (\d+)\)/g)) {
    const isOpen = open(Number(number));
    const closedAt = isOpen ? null : '2026-01-01T00:00:00Z';
    fields[`p${number}`] = { state: isOpen ? 'OPEN' : 'CLOSED', closedAt };
  }
  for (const [name, value] of Object.entries(variables)) {
    const number = openHead(value);
    if (/^h\d/.test(name)) fields[name] = { nodes: number > 0 ? [{ number }] : [] };
    if (/^g\d/.test(name)) fields[name] = exists(value.replace('refs/heads/', '')) ? { name: value } : null;
  }
  return fields;
}
