import type { Context } from '../context.ts';
import { protectBranch } from '../service/branch-changes.ts';
import { type ComputeSettings, settingsToChange, updateEndpoint } from '../service/endpoints.ts';
import type { Branch, Endpoint, Operation } from '../service/types.ts';
import { show } from '../text/inert.ts';
import type { Sighting } from './sighting.ts';
import { waitForOperations } from './wait.ts';

/** The compute settings that the inputs ask for, under the service's own names. */
export function wantedSettings({ inputs }: Context): ComputeSettings {
  const { min_cu, max_cu, suspend_timeout } = inputs;
  const wanted = {
    autoscaling_limit_min_cu: min_cu,
    autoscaling_limit_max_cu: max_cu,
    suspend_timeout_seconds: suspend_timeout,
  };
  return Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
}

/** Applies `protected`, `min_cu`, `max_cu` and `suspend_timeout` to an existing branch if they differ from what it has. */
export async function applySettings(context: Context, seen: Sighting, endpoint: Endpoint): Promise<Branch> {
  const { inputs, log } = context;
  const { branch } = seen;
  const operations: Operation[] = [];
  const started = (more: Operation[]) => {
    context.started(more);
    operations.push(...more);
  };
  const settings = settingsToChange(endpoint, wantedSettings(context));
  if (settings) {
    const changed = await updateEndpoint(seen, { endpoint, settings });
    started(changed.operations);
    const list = Object.entries(settings).map(([name, value]) => `${name} ${value}`);
    log.info(`Changed the compute settings of branch ${show(branch.name)}: ${list.join(', ')}`);
  }
  const protects = inputs.protected && !branch.protected;
  if (protects) {
    const changed = await protectBranch(seen);
    started(changed.operations);
    log.info(`Branch ${show(branch.name)} is now protected`);
  }
  if (inputs.wait) await waitForOperations(context, operations);
  return protects ? { ...branch, protected: true } : branch;
}
