import { protectBranch } from '../api/branch-updates.ts';
import { settingsToChange, updateEndpoint } from '../api/endpoints.ts';
import type { Branch, Endpoint, Operation } from '../api/types.ts';
import { type Context, projectOf } from '../context.ts';
import type { PropagationWindow } from '../http/propagation-window.ts';
import { show } from '../text/inert.ts';

/**
 * Applies `protected`, `min_cu`, `max_cu` and `suspend_timeout` to an existing branch if they differ from what it has. Does not wait for
 * what it has started.
 */
export async function applySettings(options: {
  context: Context;
  branch: Branch;
  endpoint: Endpoint;
  window: PropagationWindow | undefined;
}): Promise<{ branch: Branch; started: Operation[] }> {
  const { context, branch, endpoint, window } = options;
  const { inputs, log } = context;
  const project = projectOf(context);
  const started: Operation[] = [];
  const settings = settingsToChange(endpoint, {
    ...(inputs.min_cu === undefined ? {} : { autoscaling_limit_min_cu: inputs.min_cu }),
    ...(inputs.max_cu === undefined ? {} : { autoscaling_limit_max_cu: inputs.max_cu }),
    ...(inputs.suspend_timeout === undefined ? {} : { suspend_timeout_seconds: inputs.suspend_timeout }),
  });
  if (settings) {
    const changed = await updateEndpoint({ ...project, branch, endpoint, settings, window });
    started.push(...changed.operations);
    const list = Object.entries(settings).map(([name, value]) => `${name} ${value}`);
    log.info(`Changed the compute settings of branch ${show(branch.name)}: ${list.join(', ')}`);
  }
  let now = branch;
  if (inputs.protected && !branch.protected) {
    const changed = await protectBranch({ ...project, branch, window });
    started.push(...changed.operations);
    now = { ...branch, protected: true };
    log.info(`Branch ${show(branch.name)} is now protected`);
  }
  return { branch: now, started };
}
