import type { Context } from '../../../src/context.ts';
import { createOutcomes } from '../../../src/prune/carry-out.ts';
import type { StaleBranch } from '../../../src/prune/rules.ts';
import { createRecorder } from '../../../src/result.ts';
import { branch as readBranch } from '../../../src/service/types.ts';
import { parseEvent } from '../../../src/step/event.ts';
import * as events from '../../../tools/runner/events.ts';
import { mockApi, type Reply, type Sent } from '../../support/mock-api.ts';
import { type GitHubScript, mockGitHub } from '../../support/mock-github.ts';

/** What the service says of every branch that may be deleted. */
export const deletable = { created_at: '2025-01-01T00:00:00Z', default: false, protected: false };

export function stale(id: string, more: object = {}, then: Partial<StaleBranch> = {}): StaleBranch {
  const branch = readBranch({ id, name: id, ...deletable, ...more }, 'branch');
  const evidence = { pullRequests: [], headRefs: [], gitRefs: [] };
  return { branch, reason: 'old', ageMs: undefined, evidence, readAt: Date.parse('2026-03-04T05:06:07Z'), ...then };
}

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
    mockGitHub((path, query) => {
      queries.push(path);
      return gitHub(path, query);
    });
  const context: Context = {
    inputs: { project_id: 'p', github_token: 'ghs_x', timeout: 60_000 } as Context['inputs'],
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
    record: () => {},
  };
  return { context, clock, stop, lines, warnings, queries, sent, outcomes: createOutcomes(context.log) };
}
