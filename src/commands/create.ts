import { randomUUID } from 'node:crypto';
import { recordConnection, recordFeatures } from '../branch/connection-details.ts';
import {
  checkCreatedBy,
  finishCreate,
  isFull,
  limitCodes,
  newBranch,
  type Sent,
  sendCreate,
} from '../branch/create.ts';
import { deleteBranch } from '../branch/delete.ts';
import { checkMasking } from '../branch/masking.ts';
import { ownerIn } from '../branch/metadata.ts';
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
import type { Context } from '../context.ts';
import { ApiError, StoppedError } from '../http/errors.ts';
import { expiryOf } from '../inputs/expiry.ts';
import { nameAndId } from '../service/branches.ts';
import type { NewBranch } from '../service/create.ts';
import { RefusedError } from '../service/errors.ts';
import type { Branch } from '../service/types.ts';
import { toSeconds } from '../step/values.ts';
import { asSentence, messageOf } from '../text/format.ts';
import { makeRoom } from './on-limit.ts';
import { reuse } from './reuse.ts';

/** When a branch expires that no event would ever end, in milliseconds. */
const endlessExpiryMs = 6 * 3_600_000;

/**
 * Gets or creates the branch, with a read-write compute endpoint, and records its connection details. In this order: find the parent; with `if_exists:
 * recreate` delete the existing branch; check that what is to be copied is what is required; send the create; take the branch that has the name
 * already, or wait for the new one; check that its rows are masked; read the connection details.
 */
export async function run(context: Context): Promise<void> {
  const { inputs } = context;
  const parent = await findParent(context);
  const existing = await findFirst(context);
  if (existing && inputs.if_exists !== 'recreate') return reuse(context, existing, { parent });

  const schemaOnly = inputs.branch_type === 'schema-only';
  await checkSource(context, { sourceId: parent?.id, doing: 'create', schemaOnly });
  if (existing) await deleteExisting(context, existing, parent);

  const createId = randomUUID();
  const name = existing?.branch.name ?? targetName(context);
  const endless = isEndless(context);
  const now = context.api.clock.now();
  const expiresAt = endless ? toSeconds(now + endlessExpiryMs) : expiryOf(inputs, now);
  const wanted = newBranch(context, {
    ...{ name, createId, schemaOnly, expiresAt },
    parentId: parent?.id,
    protected: inputs.protected,
  });
  const own = { name, createId, owner: ownerIn(wanted.metadata) };
  context.saveForPostStep({ ...own, create: 'sent' });
  const sent = await sendWithRoom(context, wanted).catch((error: unknown) => {
    const mayExist = (error instanceof ApiError || error instanceof StoppedError) && error.mayHaveActed;
    if (!mayExist) context.saveForPostStep({ ...own, create: 'none' });
    throw error;
  });
  if (!sent.created) {
    context.saveForPostStep({ ...own, create: 'none' });
    warnOfRepository(context, sent.found.branch);
    return reuse(context, sent.found, { parent, running: sent.running });
  }

  context.saveForPostStep({ ...own, create: 'created', id: sent.found.branch.id });
  const { found, ...connection } = await finishCreate(context, sent, { wait: inputs.wait });
  if (await isMaskedOrDiscarded(context, found, createId)) {
    const { database } = await recordConnection(context, found, connection);
    await recordFeatures(context, found, { database });
  }
  const { branch } = found;
  const until = endless
    ? `, which expires at ${branch.expires_at ?? expiresAt}, because no event ends it; set \`expires_in\` for another time`
    : '';
  context.progress({
    branch,
    notReady: !inputs.wait,
    done: `Created branch ${nameAndId(branch)}${until}${inputs.wait ? '' : notReadyYet}`,
  });
}

/** The existing branch, if it must be known before the create is sent. Otherwise the create finds out by itself whether the name is taken. */
async function findFirst(context: Context): Promise<Found | undefined> {
  const { inputs } = context;
  if (inputs.branch_id !== undefined) return requireTarget(context);
  const recreates = inputs.if_exists === 'recreate';
  // A branch that exists may be what is required, even if no other could be created.
  return recreates || inputs.require !== 'any' ? findTarget(context, { withChildren: recreates }) : undefined;
}

/** `if_exists: recreate`: deletes the existing branch, with the guards of `delete`, and waits until it is gone. */
async function deleteExisting(context: Context, existing: Found, parent: Branch | undefined): Promise<void> {
  const { branch } = existing;
  if (branch.id === parent?.id) {
    throw new RefusedError(
      `Branch ${nameAndId(branch)} cannot be its own parent. Nothing was changed. Set \`parent_branch\` to another branch.`,
    );
  }
  await deleteBranch(context, existing, { wait: true, check: (now) => checkTarget(context, now) });
  context.log.info(
    `Deleted branch ${nameAndId(branch)} to create it anew. Until the service's recovery window ends, it can be recovered: \`POST /projects/{project_id}/branches/${branch.id}/recover\``,
  );
}

/** Sends the create; if the project is full and `on_limit` is `prune`, it prunes once and sends it again. */
async function sendWithRoom(context: Context, wanted: NewBranch): Promise<Sent> {
  try {
    return await sendCreate(context, wanted);
  } catch (error) {
    if (!(error instanceof ApiError && isFull(error))) throw error;
    if (context.inputs.on_limit !== 'prune') throw noRoom(error);
    await makeRoom(context, { ...wanted, error });
    return sendCreate(context, wanted);
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
function isEndless({ inputs, event }: Context): boolean {
  const { branch_name, branch_id, expires_at, expires_in, ephemeral } = inputs;
  if (branch_name !== undefined || branch_id !== undefined || !event.endless) return false;
  return expires_at === undefined && expires_in === undefined && !ephemeral && !inputs.protected;
}

/** Whether no row is still to be masked. If that fails, the new branch is deleted: nobody knows then what its rows are. */
async function isMaskedOrDiscarded(context: Context, found: Found, createId: string): Promise<boolean> {
  try {
    const isMasked = await checkMasking(context, found, { wait: context.inputs.wait, created: true });
    if (isMasked) await checkRequired(context, found);
    return isMasked;
  } catch (error) {
    const { masking_rules: rules, require } = context.inputs;
    const discards = rules !== undefined || require !== 'any';
    if (!discards || context.api.deadline.signal.aborted) throw error;
    const { branch } = found;
    const outcome = await deleteBranch(context, found, { wait: true, check: checkCreatedBy(createId) }).then(
      () => 'was deleted',
      (failed: unknown) => `could not be deleted, so delete it manually: ${messageOf(failed)}`,
    );
    throw new RefusedError(
      `${asSentence(messageOf(error))} Branch ${nameAndId(branch)}, which this step created, ${asSentence(outcome)}`,
      { cause: error },
    );
  }
}
