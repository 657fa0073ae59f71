import { type Context, projectOf } from '../context.ts';
import { protectBranch } from '../service/branch-updates.ts';
import { settingsToChange, updateEndpoint } from '../service/endpoints.ts';
import type { PropagationWindow } from '../service/propagation-window.ts';
import type { Branch, Endpoint, Operation } from '../service/types.ts';
import { show } from '../text/inert.ts';
import { waitForOperations } from './wait.ts';

/** Applies `protected`, `min_cu`, `max_cu` and `suspend_timeout` to an existing branch if they differ from what it has. */
export async function applySettings(options: {
  context: Context;
  branch: Branch;
  endpoint: Endpoint;
  window: PropagationWindow | undefined;
  /** Called before each attempt; throws if the branch must not be changed. */
  beforeAttempt: () => Promise<void>;
}): Promise<Branch> {
  const { context, branch, endpoint, window, beforeAttempt } = options;
  const { inputs, log } = context;
  const project = projectOf(context);
  const operations: Operation[] = [];
  const started = (more: Operation[]) => {
    context.started(more);
    operations.push(...more);
  };
  const settings = settingsToChange(endpoint, {
    ...(inputs.min_cu === undefined ? {} : { autoscaling_limit_min_cu: inputs.min_cu }),
    ...(inputs.max_cu === undefined ? {} : { autoscaling_limit_max_cu: inputs.max_cu }),
    ...(inputs.suspend_timeout === undefined ? {} : { suspend_timeout_seconds: inputs.suspend_timeout }),
  });
  if (settings) {
    const changed = await updateEndpoint({ ...project, branch, endpoint, settings, window, beforeAttempt });
    started(changed.operations);
    const list = Object.entries(settings).map(([name, value]) => `${name} ${value}`);
    log.info(`Changed the compute settings of branch ${show(branch.name)}: ${list.join(', ')}`);
  }
  const protects = inputs.protected && !branch.protected;
  if (protects) {
    const changed = await protectBranch({ ...project, branch, window, beforeAttempt });
    started(changed.operations);
    log.info(`Branch ${show(branch.name)} is now protected`);
  }
  if (inputs.wait) await waitForOperations(context, operations);
  return protects ? { ...branch, protected: true } : branch;
}
