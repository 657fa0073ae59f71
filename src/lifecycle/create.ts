import { randomUUID } from 'node:crypto';
import { recordConnection } from '../branch/connection-details.ts';
import {
  checkCreatedBy,
  finishCreate,
  isFull,
  limitCodes,
  type Sent,
  sendCreate,
  type Wanted,
} from '../branch/create.ts';
import { deleteBranch } from '../branch/delete.ts';
import { expiryOf } from '../branch/expiry.ts';
import { checkMasking, type Masking } from '../branch/masking.ts';
import { notReadyYet } from '../branch/ready.ts';
import { checkRequired, checkSource } from '../branch/require.ts';
import {
  checkTarget,
  type Found,
  findParent,
  findTarget,
  requireTarget,
  targetName,
  warnOfRepository,
} from '../branch/target.ts';
import { ApiError, isNotFound, unlessNotFound } from '../http/errors.ts';
import { getBranch, nameAndId } from '../service/branches.ts';
import { RefusedError } from '../service/errors.ts';
import type { Branch } from '../service/types.ts';
import { toSeconds } from '../step/values.ts';
import { asSentence, messageOf } from '../text/format.ts';
import { show } from '../text/inert.ts';
import type { Outcome, Step } from './facts.ts';
import { recordFeatures } from './features.ts';
import { makeRoom } from './on-limit.ts';
import { reuse } from './reuse.ts';

/** The delay before a create is sent again because the branch that had its name is gone, in milliseconds. */
const goneMs = 1_000;
/** How long after its creation a branch may be unknown to some requests, in milliseconds. */
const newMs = 10_000;
/** When a branch expires that no event would ever end, in milliseconds. */
const endlessExpiryMs = 6 * 3_600_000;

/**
 * Gets or creates the branch, with a read-write compute endpoint, and records its connection details. In this order: find the parent; with `if_exists:
 * recreate` delete the existing branch; check that what is to be copied is what is required; send the create; take the branch that has the name
 * already, or wait for the new one; check that its rows are masked; read the connection details.
 */
export async function create(step: Step): Promise<Outcome> {
  const { inputs } = step;
  const parent = await findParent(step);
  const existing = await findFirst(step);
  if (existing && inputs.if_exists !== 'recreate') return reuse(step, existing, { parent });

  const schemaOnly = inputs.branch_type === 'schema-only';
  await checkSource(step, { sourceId: parent?.id, doing: 'create', schemaOnly });
  if (existing) await deleteExisting(step, existing, parent);

  const createId = randomUUID();
  const name = existing?.branch.name ?? targetName(step);
  const endless = isEndless(step);
  const now = step.api.clock.now();
  const expiresAt = endless ? toSeconds(now + endlessExpiryMs) : expiryOf(inputs, now);
  const wanted: Wanted = {
    ...{ name, createId, schemaOnly, expiresAt },
    parentId: parent?.id,
    protected: inputs.protected,
    endsAs: inputs.ephemeral ? 'ephemeral' : undefined,
  };
  const sent = await sendWithRoom(step, wanted);
  if (!sent.created) {
    const { id, created_at } = sent.found.branch;
    // Another run has created it a moment ago.
    if (step.api.clock.now() - Date.parse(created_at) < newMs) step.api.created(id);
    warnOfRepository(step, sent.found.branch);
    return reuse(step, sent.found, { parent, running: sent.running }).catch(async (error: unknown) => {
      // Somebody has deleted it in the meantime, or the service does not know it everywhere yet. It must not be reset twice.
      if (inputs.if_exists === 'reset' || !(await isGone(error, sent.found))) throw error;
      await step.api.sleep(goneMs, `trying to create branch ${show(name)}`);
      return create(step);
    });
  }

  step.record({ endsWithJob: inputs.ephemeral });
  const { found, ...created } = await finishCreate(step, sent, { wait: inputs.wait });
  const { branch } = found;
  const { isDone, columns: masked } = await maskOrDiscard(step, found, createId);
  const connection = isDone ? await recordConnection(step, found, created) : undefined;
  if (connection) await recordFeatures(step, found, connection);
  const until = endless
    ? `, which expires at ${branch.expires_at ?? expiresAt}, because no event ends it; set \`expires_in\` for another time`
    : '';
  return {
    ...{ action: 'created', branch, connection, masked },
    notReady: !inputs.wait,
    done: `Created branch ${nameAndId(branch)}${until}${inputs.wait ? '' : notReadyYet}`,
  };
}

/** Whether a request about a branch has failed because there is no such branch. */
async function isGone(error: unknown, { branch, ...project }: Found): Promise<boolean> {
  if (!isNotFound(error)) return false;
  return (await unlessNotFound(getBranch({ ...project, branchId: branch.id }))) === undefined;
}

/** The existing branch, if it must be known before the create is sent. Otherwise the create finds out by itself whether the name is taken. */
async function findFirst(step: Step): Promise<Found | undefined> {
  const { inputs } = step;
  if (inputs.branch_id !== undefined) return requireTarget(step);
  const recreates = inputs.if_exists === 'recreate';
  // A branch that exists may be what is required, even if no other could be created.
  return recreates || inputs.require !== 'any' ? findTarget(step, { withChildren: recreates }) : undefined;
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
  step.log.info(
    `Deleted branch ${nameAndId(branch)} to create it anew. Until the service's recovery window ends, it can be recovered: \`POST /projects/{project_id}/branches/${branch.id}/recover\``,
  );
}

/** Sends the create; if the project is full and `on_limit` is `prune`, it prunes once and sends it again. */
async function sendWithRoom(step: Step, wanted: Wanted): Promise<Sent> {
  try {
    return await sendCreate(step, wanted);
  } catch (error) {
    if (!(error instanceof ApiError && isFull(error))) throw error;
    if (step.inputs.on_limit !== 'prune') throw noRoom(error);
    await makeRoom(step, { ...wanted, error });
    return sendCreate(step, wanted);
  }
}

function noRoom(error: ApiError): RefusedError {
  const roots = error.code === limitCodes.roots;
  const what = roots ? 'root branches, which schema-only branches are' : 'branches';
  return new RefusedError(
    `${asSentence(error.message)} Delete ${what} that you no longer need (stale ones with \`on_limit: prune\`, or with the action \`prune\`), let them expire (\`expires_in\`), or ${roots ? 'use `branch_type: default`' : 'upgrade the plan'}.`,
    { cause: error },
  );
}

/** Whether the name comes from an event about something that never ends, and the inputs do not say what ends the branch. */
function isEndless({ inputs, event }: Step): boolean {
  const { branch_name, branch_id, expires_at, expires_in, ephemeral } = inputs;
  if (branch_name !== undefined || branch_id !== undefined || !event.endless) return false;
  return expires_at === undefined && expires_in === undefined && !ephemeral && !inputs.protected;
}

/** Waits until the rows are masked, if they are to be. If that fails, the new branch is deleted: nobody knows then what its rows are. */
async function maskOrDiscard(step: Step, found: Found, createId: string): Promise<Masking> {
  const { inputs, api } = step;
  try {
    const masking = await checkMasking(step, found, { wait: inputs.wait, created: true });
    if (masking.isDone) await checkRequired(step, found);
    return masking;
  } catch (error) {
    const discards = inputs.masking_rules !== undefined || inputs.require !== 'any';
    if (!discards || api.deadline.signal.aborted) throw error;
    const outcome = await deleteBranch(step, found, { wait: true, check: checkCreatedBy(createId) }).then(
      () => 'was deleted',
      (failed: unknown) => `could not be deleted, so delete it manually: ${messageOf(failed)}`,
    );
    throw new RefusedError(
      `${asSentence(messageOf(error))} Branch ${nameAndId(found.branch)}, which this step created, ${asSentence(outcome)}`,
      { cause: error },
    );
  }
}
