import { backoff } from '../http/clock.ts';
import { getBranch, nameAndId } from '../service/branches.ts';
import { type ComputeSettings, createEndpoint, listEndpoints, readWriteEndpoint } from '../service/endpoints.ts';
import { pollOperations, unfinishedOperations } from '../service/operations.ts';
import type { About } from '../service/project.ts';
import type { Branch, Endpoint, Operation } from '../service/types.ts';
import { duration } from '../text/format.ts';
import { show } from '../text/inert.ts';
import type { BranchStep } from './step.ts';

const readyBackoff = { first: 250, longest: 3_000 };

/**
 * Waits for the unfinished operations of a branch, and until it is ready. Returns it as it is then. `running`: its unfinished operations, if they
 * were just read.
 */
export async function waitUntilReady(step: BranchStep, about: About, running?: Operation[]): Promise<Branch> {
  let { branch } = about;
  let unfinished = running ?? (await unfinishedOperations(about));
  for (const delay of backoff(readyBackoff)) {
    if (unfinished.length > 0) {
      step.log.info(`Branch ${show(branch.name)} is not ready yet; waiting for its operations`);
      await waitForOperations(step, unfinished);
    } else if (isReady(branch)) break;
    ({ branch } = await getBranch(about));
    if (isReady(branch)) break;
    await about.api.sleep(delay, `waiting until branch ${nameAndId(branch)} is ready`);
    unfinished = await unfinishedOperations(about);
  }
  return branch;
}

function isReady({ current_state, pending_state }: Branch): boolean {
  return ['ready', 'archived'].includes(current_state) && !pending_state;
}

/** The read-write endpoint of a branch; one without gets one, with the compute settings that the inputs set. */
export async function ensureEndpoint(step: BranchStep, about: About): Promise<Endpoint> {
  const { branch } = about;
  const existing = readWriteEndpoint(await listEndpoints(about), branch);
  if (existing) return existing;
  step.log.info(`Branch ${show(branch.name)} has no read-write compute endpoint; creating one`);
  const created = await createEndpoint(about, wantedSettings(step));
  await ended(step, created);
  return created.endpoint;
}

/** The compute settings that the inputs ask for, under the service's own names. */
export function wantedSettings({ inputs }: BranchStep): ComputeSettings {
  const { min_cu, max_cu, suspend_timeout } = inputs;
  const wanted = {
    autoscaling_limit_min_cu: min_cu,
    autoscaling_limit_max_cu: max_cu,
    suspend_timeout_seconds: suspend_timeout,
  };
  return Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
}

/** Records the operations of a change, and with `wait` waits for them. */
export async function ended(step: BranchStep, { operations }: { operations: Operation[] }): Promise<void> {
  step.started(operations);
  if (step.inputs.wait) await waitForOperations(step, operations);
}

/** Waits until all operations have succeeded, and logs each. `areDeletions`: see `pollOperations`. */
export async function waitForOperations(
  step: BranchStep,
  operations: Operation[],
  { areDeletions }: { areDeletions?: boolean } = {},
): Promise<void> {
  await pollOperations({
    api: step.api,
    projectId: step.inputs.project_id,
    operations,
    areDeletions,
    onDone: (one) =>
      step.log.info(`Operation ${one.action} (${one.id}) ${one.status} after ${duration(one.total_duration_ms)}`),
  });
}
