import { branch as readBranch } from '../../../src/api/types.ts';
import type { Context } from '../../../src/context.ts';
import { createOutcomes } from '../../../src/prune/outcomes.ts';
import type { StaleBranch } from '../../../src/prune/rules.ts';
import { parseEvent } from '../../../src/runner/event.ts';
import * as events from '../../support/events.ts';
import { mockApi, type Reply, type Sent } from '../../support/mock-api.ts';

export function stale(id: string, more: object = {}): StaleBranch {
  const branch = readBranch({ id, name: id, created_at: '2025-01-01T00:00:00Z', ...more }, 'branch');
  return { branch, reason: 'old', ageMs: undefined };
}

/** The context of a prune with these replies of the service, and the lines that it logs. */
export function pruneContext(replies: Reply[] | ((request: Sent) => Reply), timeoutMs?: number) {
  const { api, sent } = mockApi(replies, timeoutMs === undefined ? {} : { timeoutMs });
  const quiet = () => {};
  const lines: string[] = [];
  const context: Context = {
    inputs: { project_id: 'p', hard_delete: false } as Context['inputs'],
    command: 'prune',
    event: parseEvent(events.pullRequest()),
    api,
    log: { info: (line) => void lines.push(line), debug: quiet, notice: quiet, warning: quiet },
    mask: quiet,
    progress: quiet,
    saveForPostStep: quiet,
  };
  return { context, lines, sent, outcomes: createOutcomes(context.log) };
}
