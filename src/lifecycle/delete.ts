import { deleteBranch } from '../branch/delete.ts';
import { ChildrenError } from '../branch/guard.ts';
import { belongsToEvent, describeEvent, describeOwner } from '../branch/owner.ts';
import { checkTarget, describeTarget, findTarget, targetName } from '../branch/target.ts';
import { ApiError } from '../http/errors.ts';
import { nameAndId } from '../service/branches.ts';
import { RefusedError } from '../service/errors.ts';
import type { Branch } from '../service/types.ts';
import { namesBranch } from '../step/inputs.ts';
import { asSentence } from '../text/format.ts';
import type { Outcome, Step } from './facts.ts';
import { otherWithSameHead, whyBack } from './github.ts';

/** Deletes the branch; one that is already gone, or that the event must not delete, is a success. */
export async function remove(step: Step): Promise<Outcome> {
  const { inputs, log } = step;
  const found = await findTarget(step, { withChildren: true });
  if (!found) {
    const { branch_id: id, branch_name: name } = inputs;
    return {
      action: 'already-gone',
      missing: { id, name: id === undefined ? targetName(step) : name },
      done: `Branch ${describeTarget(step)} does not exist; nothing to delete`,
    };
  }
  const { branch } = found;
  const name = nameAndId(branch);
  step.record({ branch });
  let kept: string | undefined;
  const check = async (now: Branch) => {
    checkTarget(step, now);
    const why = await whyKept(step, now);
    if (why === undefined) return;
    kept = `Kept branch ${name}, because ${why}. To delete it anyway, use a separate step with \`command: delete\` and its name as \`branch_name\``;
    throw new RefusedError(kept);
  };
  try {
    const { deleted } = await deleteBranch(step, found, { wait: inputs.wait, check });
    if (!deleted) return { action: 'already-gone', branch, done: `Branch ${name} was already gone` };
  } catch (error) {
    if (kept !== undefined) return { action: 'kept', branch, done: kept };
    if (inputs.command !== 'auto' || !isAboutChildren(error)) throw error;
    const done = `${asSentence(error.message)} Once they are gone, \`prune\` can delete it`;
    log.warning(done);
    return { action: 'kept', branch, done };
  }
  const notGone = inputs.wait ? '' : '. It is not gone yet (`wait: false`)';
  return { action: 'deleted', branch, done: `Deleted branch ${name}${notGone}` };
}

/** Whether a branch was not deleted because of its children. The service knows of one that is newer than the reading of the branch. */
function isAboutChildren(error: unknown): error is Error {
  if (error instanceof ChildrenError) return true;
  return error instanceof ApiError && error.status === 422 && /child/i.test(error.failure.message ?? '');
}

/** Under an explicit name, `auto` deletes only what belongs to the event. Why a branch does not, as a clause. */
function whyNotOurs({ inputs, event }: Step, branch: Branch): string | undefined {
  if (inputs.command !== 'auto' || !namesBranch(inputs) || belongsToEvent(event, branch)) return undefined;
  const owner = describeOwner(branch);
  const whose = owner === '' ? 'its metadata does not name its owner' : `it belongs to ${owner}`;
  return `${whose}, and \`auto\` deletes only what belongs to ${describeEvent(event)}`;
}

/** Why a branch must stay although the event says to delete it, as a clause; undefined if it may be deleted. */
async function whyKept(step: Step, branch: Branch): Promise<string | undefined> {
  const { inputs, event } = step;
  const isNamed = namesBranch(inputs);
  const isByEvent = inputs.command === 'auto' || !isNamed;
  if (!isByEvent) return undefined;
  const why = whyNotOurs(step, branch);
  if (why !== undefined) return why;
  // A run that is run again has the event of its first attempt.
  const back = Number(event.runAttempt) > 1 ? await whyBack(step) : undefined;
  if (back !== undefined) return back;
  const other = isNamed ? await otherWithSameHead(step) : undefined;
  return other === undefined ? undefined : `pull request #${other}, which is open, has the same head`;
}
