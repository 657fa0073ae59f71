import * as core from '@actions/core';
import { type FoundBranch, findBranchByName, getBranch, settlingMs } from './api/branches.ts';
import type { Branch } from './api/types.ts';
import { deleteBranch } from './branch/delete.ts';
import { guard } from './branch/target.ts';
import { type Context, projectOf, type Remembered } from './context.ts';
import { correctComment } from './github/publish-comment.ts';
import type { Client } from './http/client.ts';
import { systemClock } from './http/clock.ts';
import { ApiError } from './http/errors.ts';
import type { Inputs } from './inputs/fields.ts';
import { InputError, readInputs } from './inputs/load.ts';
import { parseEvent, type RunEvent, readEvent } from './runner/event.ts';
import { log, mask, redact } from './runner/log.ts';
import { readState, saveState } from './runner/state.ts';
import { withService } from './session.ts';
import { show } from './text/inert.ts';

/** What the post step has to know of an ephemeral run, kept in the runner's state. */
interface Promised {
  branchName: string;
  /** Only where this run has made it, and got that far. */
  branchId?: string;
  runId: string;
  create: Remembered['create'];
  /** Until when the service may not know the branch everywhere, by the runner's clock: milliseconds since the epoch. */
  settledAt: number;
  /** Inputs as the main step had them: the runner evaluates them anew for the post step, and a later step may have changed them. */
  inputs: Pick<Inputs, 'project_id' | 'api_host' | 'hard_delete' | 'timeout'>;
}

const stateName = 'ephemeral';
const title = 'Database Branch: ephemeral';

/** How long a branch may still appear whose create was cut off before its answer, in milliseconds. */
const appearsWithinMs = 20_000;
/** How long a branch whose create was answered some time ago may be unknown, in milliseconds. */
const settledWithinMs = 3_000;
/** The least time for the post step, however short the `timeout` of the main one, in milliseconds. */
const leastTimeMs = 30_000;

/** Keeps what the post step needs to delete the branch again. Called before the create is sent, and once it is answered. */
export function remember(options: { inputs: Inputs; event: RunEvent; branch: Remembered }): void {
  const { inputs, event, branch } = options;
  if (!inputs.ephemeral) return;
  const promised: Promised = {
    branchName: branch.name,
    ...(branch.id === undefined ? {} : { branchId: branch.id }),
    runId: event.runId,
    create: branch.create,
    settledAt: systemClock.now() + settlingMs,
    inputs: {
      project_id: inputs.project_id,
      api_host: inputs.api_host,
      hard_delete: inputs.hard_delete,
      timeout: Math.max(leastTimeMs, inputs.timeout),
    },
  };
  saveState(stateName, JSON.stringify(promised));
}

/** What `ephemeral` promised. Never fails the job, and says why it did nothing. */
export async function post(): Promise<void> {
  const state = readState(stateName);
  if (state === '') return;
  let what = 'the branch of this run';
  try {
    const promised = JSON.parse(state) as Promised;
    what = `branch ${show(promised.branchName)}${promised.branchId ? ` (${promised.branchId})` : ''}`;
    if (promised.create === 'refused') {
      log.info(`The create of the ephemeral ${what} was refused; there is nothing to delete`);
      return;
    }
    const event = eventNow();
    // Of today's inputs, the key is needed, which the state may not hold; what else is wrong by now is not in the way.
    const { inputs: now, faults } = readInputs({ source: core, mask });
    if (now.api_key === undefined) {
      const ofKey = faults.filter((fault) => fault.startsWith('api_key:'));
      throw new InputError(ofKey.length > 0 ? ofKey : ['api_key: is empty by now'], now);
    }
    const inputs = { ...(now as Inputs), ...promised.inputs, wait: true };
    await withService({ inputs }, (api) =>
      keepPromise({
        promised,
        context: {
          inputs,
          command: 'delete',
          event,
          api,
          log,
          mask,
          progress: () => {},
          remember: () => {},
        },
        onFound: (branch) => {
          what = `branch ${show(branch.name)} (${branch.id})`;
        },
      }),
    );
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    log.warning(`The ephemeral ${what} may be left behind; delete it by hand. ${why}`, title);
  }
}

/** The event, of which only the comment has to know: that a later step has taken its payload away is not in the way of a delete. */
function eventNow(): RunEvent {
  try {
    return readEvent(process.env);
  } catch (error) {
    log.info(error instanceof Error ? error.message : String(error));
    return parseEvent({ env: process.env, payload: {} });
  }
}

async function keepPromise(options: {
  promised: Promised;
  context: Context;
  onFound: (branch: Branch) => void;
}): Promise<void> {
  const { promised, context, onFound } = options;
  const { log, api } = context;
  const found = await lookFor({ ...options, api });
  if (!found) {
    log.info(`Ephemeral branch ${show(promised.branchName)} is not there (any more); nothing to delete`);
    return;
  }
  const { branch, date } = found;
  onFound(branch);
  const madeBy = branch.annotations['github-run-id'];
  if (promised.runId === '' || madeBy !== promised.runId) {
    const by = madeBy === undefined ? 'no record of the run that made it' : `the record of run ${show(madeBy)}`;
    log.info(`Branch ${show(branch.name)} (${branch.id}) carries ${by}, not of this one; it is left as it is`);
    return;
  }
  guard(branch, 'deleted');
  const deleted = await deleteBranch({ context, branch, date });
  log.info(`${deleted.done} (\`ephemeral: true\`)`);
  await correctComment({ context, deleted, redact });
}

/** The branch, which may take a moment to appear where the run was killed before its create was answered. */
async function lookFor(options: {
  promised: Promised;
  context: Context;
  api: Client;
}): Promise<FoundBranch | undefined> {
  const { promised, context, api } = options;
  const until = api.clock.now() + appearsWithinMs;
  for (let pause = 250; ; pause = Math.min(4_000, pause * 2)) {
    const found = await findBranchByName({ ...projectOf(context), name: promised.branchName });
    // Where somebody has renamed this run's branch, another one may have its name by now.
    const other = found && promised.branchId !== undefined && found.branch.id !== promised.branchId;
    if (found) return other ? ((await lookById(options)) ?? found) : found;
    if (promised.create === 'answered' || api.clock.now() >= until) return lookById(options);
    await api.sleep(pause);
  }
}

/** A list may still be without a branch that was made a moment ago; the branch itself tells whether it is there. */
async function lookById(options: { promised: Promised; context: Context }): Promise<FoundBranch | undefined> {
  const { promised, context } = options;
  if (promised.branchId === undefined) return undefined;
  const project = projectOf(context);
  const now = project.api.clock.now();
  // Right after its create, a branch of a run that was cancelled may be as young as any that the main step reads.
  const until = Math.max(now + settledWithinMs, Math.min(now + settlingMs, promised.settledAt));
  try {
    return await getBranch({ ...project, branchId: promised.branchId, settling: { statuses: [404], until } });
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}
