import { deleteBranch } from '../branch/delete.ts';
import { checkGuards, describeChildren } from '../branch/guard.ts';
import { belongsToEvent, describeEvent, describeOwner } from '../branch/owner.ts';
import { checkTarget, describeTarget, type Found, findTarget, targetName } from '../branch/target.ts';
import type { Context } from '../context.ts';
import { namesBranch } from '../inputs/fields.ts';
import { nameAndId } from '../service/branches.ts';
import { RefusedError } from '../service/errors.ts';
import type { Branch } from '../service/types.ts';
import { otherWithSameHead, whyBack } from './github.ts';

/** Deletes the branch; one that is already gone, or that the event must not delete, is a success. */
export async function run(context: Context): Promise<void> {
  const { inputs, log } = context;
  const found = await findTarget(context, { withChildren: true });
  if (!found) {
    const { branch_id: id, branch_name: name } = inputs;
    return context.progress({
      action: 'already-gone',
      missing: { id, name: id === undefined ? targetName(context) : name },
      operationIds: [],
      done: `Branch ${describeTarget(context)} does not exist; nothing to delete`,
    });
  }
  context.progress({ branch: found.branch });
  const kept = await whyKept(context, found);
  if (kept !== undefined) {
    return context.progress({
      action: 'kept',
      operationIds: [],
      done: `Kept branch ${nameAndId(found.branch)}, because ${kept}. To delete it anyway, use a separate step with \`command: delete\` and its name as \`branch_name\``,
    });
  }
  if (inputs.command === 'auto' && found.children?.length) {
    checkGuards({ branch: found.branch }, { doing: 'deleted' });
    const done = `${describeChildren(found)}, so it was kept. \`prune\` deletes it once they are gone`;
    log.warning(done);
    return context.progress({ action: 'kept', operationIds: [], done });
  }
  checkGuards(found, { doing: 'deleted' });
  const { deleted } = await deleteBranch(context, found, {
    wait: inputs.wait,
    check: (now) => checkDeletable(context, now),
  });
  const name = nameAndId(found.branch);
  const notGone = deleted && !inputs.wait;
  context.progress({
    action: deleted ? 'deleted' : 'already-gone',
    done: deleted
      ? `Deleted branch ${name}${notGone ? '. It is not gone yet (`wait: false`)' : ''}`
      : `Branch ${name} was already gone`,
  });
}

/** Throws if a branch is not the one that the step is to delete. */
function checkDeletable(context: Context, branch: Branch): void {
  checkTarget(context, branch);
  const why = whyNotOurs(context, branch);
  if (why !== undefined) throw new RefusedError(`Branch ${nameAndId(branch)} was not deleted, because ${why}.`);
}

/** Under an explicit name, `auto` deletes only what belongs to the event. Why a branch does not, as a clause. */
function whyNotOurs({ inputs, event }: Context, branch: Branch): string | undefined {
  if (inputs.command !== 'auto' || !namesBranch(inputs) || belongsToEvent(event, branch)) return undefined;
  const owner = describeOwner(branch);
  const whose = owner === '' ? 'its metadata does not name its owner' : `it belongs to ${owner}`;
  return `${whose}, and \`auto\` deletes only what belongs to ${describeEvent(event)}`;
}

/** Why a branch must stay although the event says to delete it, as a clause; undefined if it may be deleted. */
async function whyKept(context: Context, { branch }: Found): Promise<string | undefined> {
  const { inputs, event } = context;
  const isNamed = namesBranch(inputs);
  const isByEvent = inputs.command === 'auto' || !isNamed;
  if (!isByEvent) return undefined;
  const why = whyNotOurs(context, branch);
  if (why !== undefined) return why;
  // A run that is run again has the event of its first attempt.
  const back = Number(event.runAttempt) > 1 ? await whyBack(context) : undefined;
  if (back !== undefined) return back;
  const other = isNamed ? await otherWithSameHead(context) : undefined;
  return other === undefined ? undefined : `pull request #${other}, which is open, has the same head`;
}
