import { type Context, projectOf } from '../context.ts';
import { ApiError } from '../http/errors.ts';
import { branchNameOf } from '../runner/event.ts';
import {
  type FoundBranch,
  findBranch,
  findBranchByName,
  getBranch,
  nameAndId,
  noSuchBranch,
} from '../service/branches.ts';
import { RefusedError } from '../service/errors.ts';
import { projectName } from '../service/project.ts';
import { propagationMs, unknownWindow } from '../service/propagation-window.ts';
import type { Branch } from '../service/types.ts';
import { show } from '../text/inert.ts';
import { checkOwner } from './owner.ts';
import { type Sighting, sight } from './sighting.ts';

/** The name of the branch that the step is about. The check of the inputs has made sure that there is one. */
export function targetName(context: Context): string {
  const name = context.inputs.branch_name ?? branchNameOf(context.event);
  if (name === undefined) throw new Error(`Event ${show(context.event.name)} does not name a branch`);
  return name;
}

/**
 * The branch that the step is about, by ID or by name; undefined if the project exists and the branch does not. Throws a
 * `RefusedError` if the name came from the event, and the branch belongs to someone else.
 */
export async function findTarget(context: Context, doing: 'use' | 'change' = 'use'): Promise<Sighting | undefined> {
  const found = await lookUpTarget(context);
  if (found === undefined) return undefined;
  checkOwner(context, found.branch, doing);
  return sight(context, found);
}

async function lookUpTarget(context: Context): Promise<FoundBranch | undefined> {
  const { inputs, api } = context;
  const project = projectOf(context);
  if (inputs.branch_id === undefined) return findBranchByName({ ...project, name: targetName(context) });
  const branchId = inputs.branch_id;
  const readNow = (ms: number) =>
    unlessUnknown(getBranch({ ...project, branchId, window: ms > 0 ? unknownWindow(ms, api.clock) : undefined }));
  // What is to be deleted is usually old, or gone already: then the list, which has it or not, saves waiting.
  const deletes = context.command === 'delete';
  let found = await readNow(deletes ? 0 : propagationMs.branchId);
  if (!found) {
    // Unknown branch or unknown project? The latter is an error whatever the command.
    await projectName(project);
    if (deletes && (await findBranch({ ...project, nameOrId: branchId }))?.id === branchId) {
      found = await readNow(propagationMs.branchId);
    }
    if (!found) return undefined;
  }
  if (inputs.branch_name !== undefined && found.branch.name !== inputs.branch_name) {
    throw new RefusedError(
      `Branch ${inputs.branch_id} is named ${show(found.branch.name)}, not ${show(inputs.branch_name)}. Set \`branch_id\` or \`branch_name\`, or set both for the same branch.`,
    );
  }
  return found;
}

/** Undefined for a 404. */
async function unlessUnknown<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

/** The branch that the step is about, by name or by ID, without the noun: `"x"` or `br-…`. */
export function describeTarget(context: Context): string {
  const { inputs } = context;
  return inputs.branch_id === undefined ? show(targetName(context)) : inputs.branch_id;
}

export async function requireTarget(context: Context, doing: 'use' | 'change' = 'use'): Promise<Sighting> {
  const found = await findTarget(context, doing);
  if (found) return found;
  const gone = 'It may have expired or been deleted.';
  throw noSuchBranch(describeTarget(context), `. ${gone} ${nextWithout(context)}`);
}

/** What to do about a branch that does not exist. */
function nextWithout({ command, inputs }: Context): string {
  if (inputs.branch_id === undefined) return '`command: create` creates it.';
  const byName = '`command: create` with `branch_name` creates a new one';
  return command === 'create' ? `${byName}; with \`branch_id\`, it only uses an existing branch.` : `${byName}.`;
}

/** The branch that `parent_branch` names; undefined, without a request, if the input is not set. */
export async function findParent(context: Context): Promise<Branch | undefined> {
  const wanted = context.inputs.parent_branch;
  if (wanted === undefined) return undefined;
  const parent = await findBranch({ ...projectOf(context), nameOrId: wanted });
  if (!parent) throw noSuchBranch(`with the name or ID ${show(wanted)} (\`parent_branch\`)`, '. Nothing was changed.');
  context.progress({ knownParent: { id: parent.id, name: parent.name } });
  return parent;
}

/** Refuses what must never be deleted or reset. */
export function guard(branch: Branch, doing: 'deleted' | 'reset'): void {
  const what = branch.default ? "the project's default branch" : branch.protected ? 'a protected branch' : undefined;
  if (what === undefined) return;
  throw new RefusedError(`Branch ${nameAndId(branch)} is ${what} and is never ${doing}. Nothing was changed.`);
}
