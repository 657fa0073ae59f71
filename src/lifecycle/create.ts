import { randomUUID } from 'node:crypto';
import { checkCreatedBy, finishCreate, isFull, type Sent, sendCreate, type Wanted } from '../branch/create.ts';
import { deleteBranch } from '../branch/delete.ts';
import { expiryOf } from '../branch/expiry.ts';
import { checkRows, checkSource } from '../branch/rows.ts';
import { projectOf } from '../branch/step.ts';
import { checkTarget, findParent, findTarget, requireTarget, targetName, warnOfRepository } from '../branch/target.ts';
import { type Found, nameAndId } from '../service/branches.ts';
import { RefusedError } from '../service/errors.ts';
import { isBeingDeleted, unfinishedOperations } from '../service/operations.ts';
import type { Branch } from '../service/types.ts';
import { toSeconds } from '../step/values.ts';
import { asSentence, messageOf } from '../text/format.ts';
import { recordConnection } from './connection.ts';
import type { Outcome, Step } from './facts.ts';
import { makeRoom } from './on-limit.ts';
import { reuse } from './reuse.ts';

/** When a branch expires that no event would ever end, in milliseconds. */
const endlessExpiryMs = 6 * 3_600_000;

/**
 * Gets or creates the branch, with a read-write compute endpoint, and records its connection details. What must not be copied is refused before
 * anything is deleted or sent; what the create finds under its name is reused; the rows of a new branch are checked before its details are read.
 */
export async function create(step: Step): Promise<Outcome> {
  const { inputs } = step;
  const parent = await findParent(step);
  const existing = await findFirst(step);
  if (existing && inputs.if_exists !== 'recreate') return reuse(step, existing, { parent });

  const schemaOnly = inputs.branch_type === 'schema-only';
  await checkSource(step, parent?.id, { masks: inputs.masking_rules !== undefined, schemaOnly });
  if (existing) await deleteExisting(step, existing, parent);

  const endless = isEndless(step);
  const now = step.api.clock.now();
  const wanted: Wanted = {
    name: existing?.branch.name ?? targetName(step),
    createId: randomUUID(),
    parentId: parent?.id,
    schemaOnly,
    protected: inputs.protected,
    expiresAt: endless ? toSeconds(now + endlessExpiryMs) : expiryOf(inputs, now),
    endsAs: inputs.ephemeral ? 'ephemeral' : undefined,
  };
  const sent = await sendWithRoom(step, wanted);
  if (!sent.created) {
    warnOfRepository(step, sent.found.branch);
    return reuse(step, sent.found, { parent, running: sent.running });
  }

  const { found, isDone, columns: masked, ...known } = await finishOrDiscard(step, sent, wanted.createId);
  const { branch } = found;
  const connection = isDone ? await recordConnection(step, found, known) : undefined;
  const until =
    endless && branch.expires_at
      ? `, which expires at ${branch.expires_at}, because no event ends it; set \`expires_in\` for another time`
      : '';
  return {
    ...{ action: 'created', branch, connection, masked },
    notReady: !inputs.wait,
    done: `Created branch ${nameAndId(branch)}${until}`,
  };
}

/** The existing branch, if it must be known before the create is sent. Otherwise the create finds it. */
async function findFirst(step: Step): Promise<Found | undefined> {
  const { inputs } = step;
  if (inputs.branch_id !== undefined) return requireTarget(step);
  const recreates = inputs.if_exists === 'recreate';
  // A branch that exists may be what is required, even if no other could be created.
  if (!recreates && inputs.require === 'any') return undefined;
  const unfinished = recreates ? [] : await unfinishedOperations(projectOf(step));
  const found = await findTarget(step, { withChildren: recreates });
  // The create waits until one that is being deleted is gone.
  return found && isBeingDeleted(found.branch, unfinished) && !recreates ? undefined : found;
}

/** `if_exists: recreate`: deletes the existing branch, with the guards of `delete`, and waits until it is gone. */
async function deleteExisting(step: Step, existing: Found, parent: Branch | undefined): Promise<void> {
  const { branch } = existing;
  if (branch.id === parent?.id) {
    throw new RefusedError(
      `Branch ${nameAndId(branch)} cannot be its own parent. Nothing was changed. Set \`parent_branch\` to another branch.`,
    );
  }
  await deleteBranch(step, existing, { wait: true, check: (now) => checkTarget(step, now) });
  step.log.info(`Deleted branch ${nameAndId(branch)} to create it anew`);
}

/** Whether the name comes from an event about something that never ends, and the inputs do not say what ends the branch. */
function isEndless({ inputs, event }: Step): boolean {
  const { branch_name, branch_id, expires_at, expires_in, ephemeral } = inputs;
  if (branch_name !== undefined || branch_id !== undefined || !event.endless) return false;
  return expires_at === undefined && expires_in === undefined && !ephemeral && !inputs.protected;
}

/** Sends the create; if the project is full and `on_limit` is `prune`, it prunes once and sends it again. */
async function sendWithRoom(step: Step, wanted: Wanted, isPruned = false): Promise<Sent> {
  try {
    return await sendCreate(step, wanted);
  } catch (error) {
    if (!isFull(error)) throw error;
    if (step.inputs.on_limit === 'prune' && !isPruned) {
      await makeRoom(step, { ...wanted, error });
      return sendWithRoom(step, wanted, true);
    }
    const stale = isPruned ? 'pruning left no room; the log says what it deleted' : 'stale ones with `on_limit: prune`';
    throw new RefusedError(
      `${asSentence(error.message)} Delete branches that you no longer need (${stale}), let them expire (\`expires_in\`), or upgrade the plan.`,
      { cause: error },
    );
  }
}

/** Waits for a new branch and checks its rows. It is deleted if they are not what was asked for, or if nobody knows whether they are masked. */
async function finishOrDiscard(step: Step, sent: Sent & { created: true }, createId: string) {
  const { inputs, api } = step;
  const { wait, masking_rules } = inputs;
  const { found } = sent;
  try {
    const created = await finishCreate(step, sent, { wait });
    return { ...created, ...(await checkRows(step, created.found, { wait, copied: true })) };
  } catch (error) {
    const discards = masking_rules !== undefined || error instanceof RefusedError;
    if (!discards || api.deadline.signal.aborted) throw error;
    const outcome = await deleteBranch(step, found, { wait: true, check: checkCreatedBy(createId) }).then(
      ({ deleted }) => (deleted ? 'was deleted' : 'was already gone'),
      (failed: unknown) => `may still exist; delete it manually: ${messageOf(failed)}`,
    );
    throw new RefusedError(
      `${asSentence(messageOf(error))} Branch ${nameAndId(found.branch)}, which this step created, ${asSentence(outcome)}`,
      { cause: error },
    );
  }
}
