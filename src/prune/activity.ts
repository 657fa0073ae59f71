import { type Context, projectOf } from '../context.ts';
import * as shape from '../http/shape.ts';
import { get, projectPath } from '../service/project.ts';
import { duration } from '../text/format.ts';
import type { StaleBranch } from './rules.ts';

/**
 * Why stale branches are kept because they have been used within `unusedFor` milliseconds, by ID. `now` is the service's clock, in
 * milliseconds since the epoch; `NaN` if it is unknown.
 */
export async function keptForUse(
  context: Context,
  stale: StaleBranch[],
  { unusedFor, now }: { unusedFor: number; now: number },
): Promise<Map<string, string>> {
  const { api, projectId } = projectOf(context);
  const activity = await get(api, {
    goal: 'list the compute endpoints of the project',
    path: projectPath(projectId, '/endpoints'),
    read: (from) =>
      shape.list(from.endpoints, 'endpoints', (value, at) => {
        const from = shape.object(value, at);
        const isRunning = from.current_state === 'active' || from.current_state === 'init';
        const lastActive = isRunning ? now : time(from.last_active);
        return { branchId: shape.id(from.branch_id, `${at}.branch_id`), lastActive };
      }),
  });
  const byBranch = Map.groupBy(activity, ({ branchId }) => branchId);
  const kept = new Map<string, string>();
  for (const { branch } of stale) {
    const endpoints = byBranch.get(branch.id);
    const times = endpoints
      ? endpoints.map(({ lastActive }) => lastActive)
      : [time(branch.created_at), ...(branch.last_reset_at === undefined ? [] : [time(branch.last_reset_at)])];
    // NaN if any of them is unknown.
    const unusedMs = Math.max(0, now - Math.max(...times));
    const what = endpoints ? 'its compute was last active' : 'it has no compute, and was created or reset';
    if (Number.isNaN(unusedMs)) kept.set(branch.id, 'its last activity is unknown');
    else if (endpoints && unusedMs === 0) kept.set(branch.id, 'its compute is active');
    else if (unusedMs < unusedFor)
      kept.set(branch.id, `${what} ${duration(unusedMs)} ago, which is less than \`unused_for\``);
  }
  return kept;
}

/** Milliseconds since the epoch; `NaN` if it is unknown. */
function time(value: unknown): number {
  return typeof value === 'string' ? Date.parse(value) : Number.NaN;
}
