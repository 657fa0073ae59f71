import { randomUUID } from 'node:crypto';
import { findConnection } from '../branch/connection.ts';
import { checkCreatedBy, finishCreate, sendCreate } from '../branch/create.ts';
import { deleteBranch } from '../branch/delete.ts';
import { forgetForPostStep, type Saved } from '../branch/ephemeral.ts';
import { expiryOf } from '../branch/expiry.ts';
import { checkRows, checkSource } from '../branch/rows.ts';
import type { BranchStep } from '../branch/step.ts';
import { findParent } from '../branch/target.ts';
import { withSsl } from '../postgres/uri.ts';
import { type Found, nameAndId } from '../service/branches.ts';
import { RefusedError } from '../service/errors.ts';
import type { Branch } from '../service/types.ts';
import type { Step } from '../step/action.ts';
import { asSentence, messageOf } from '../text/format.ts';
import { oneLine } from '../text/inert.ts';
import type { RehearseFacts } from './facts.ts';
import type { RehearseInputs } from './inputs.ts';

/** A throwaway copy of the parent, and how to connect to it directly. The URI is secret. */
export interface Copy {
  branch: Branch;
  database: string;
  uri: string;
}

/** Creates a copy, calls `use` with it, and deletes it, whatever happens. The parent is never connected to. */
export async function withCopy(
  rehearsal: Step<RehearseInputs, RehearseFacts>,
  kind: Saved['kind'],
  use: (copy: Copy) => Promise<void>,
): Promise<void> {
  const step: BranchStep = { ...rehearsal, inputs: { ...rehearsal.inputs, wait: true }, record: () => {} };
  const { event, api } = step;
  const parent = await findParent(step);
  await checkSource(step, parent?.id, { masks: step.inputs.masking_rules !== undefined });
  const createId = randomUUID();
  const name = `rehearsal/${event.runId || 'local'}-${event.runAttempt || '1'}-${createId.slice(0, 8)}`;
  const expiresAt = expiryOf(rehearsal.inputs, api.clock.now());
  const sent = await sendCreate(step, { name, createId, expiresAt, parentId: parent?.id, endsAs: kind });
  if (!sent.created) throw new RefusedError(`Branch ${nameAndId(sent.found.branch)} already exists.`);
  // If this fails, the post step deletes the branch.
  const { found, ...known } = await finishCreate(step, sent, { wait: true });
  try {
    await checkRows(step, found, { wait: true, copied: true });
    const { database, uri: original } = await findConnection(step, found, known);
    const uri = withSsl(original, 'require');
    step.mask(uri);
    await use({ branch: found.branch, database, uri });
  } finally {
    await remove(step, found, { kind, createId });
  }
}

/** Deletes the copy. A failure is a warning: the post step tries again, and the branch expires. */
async function remove(
  step: BranchStep,
  found: Found,
  { kind, createId }: Pick<Saved, 'kind' | 'createId'>,
): Promise<void> {
  const { log, api } = step;
  const { branch } = found;
  const until = `Unless the post step deletes the branch, it expires at ${branch.expires_at ?? 'no time'}.`;
  // After a cancellation, or the step's timeout, no request can be sent any more.
  if (api.deadline.signal.aborted) return log.info(`Branch ${nameAndId(branch)} is not deleted yet. ${until}`);
  try {
    await deleteBranch(step, found, { wait: true, check: checkCreatedBy(createId) });
    log.info(`Deleted branch ${nameAndId(branch)}`);
    forgetForPostStep(kind);
  } catch (error) {
    log.warning(`${asSentence(oneLine(messageOf(error)))} ${until}`, 'Database Branch: rehearse');
  }
}
