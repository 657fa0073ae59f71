import { type Context, projectOf } from '../context.ts';
import { unlessNotFound } from '../http/errors.ts';
import {
  type FoundBranch,
  findBranch,
  findBranchByName,
  findWithChildren,
  getBranch,
  nameAndId,
  noSuchBranch,
  saysWhetherProtected,
} from '../service/branches.ts';
import { KeptError, RefusedError } from '../service/errors.ts';
import { projectName } from '../service/project.ts';
import { propagationMs, unknownWindow } from '../service/propagation-window.ts';
import type { Branch } from '../service/types.ts';
import { branchNameOf } from '../step/event.ts';
import { show } from '../text/inert.ts';
import { checkOwner } from './owner.ts';
import { type Parent, type Sighting, sight } from './sighting.ts';

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
export async function findTarget(context: Context, doing: 'use' | 'change'): Promise<Sighting | undefined> {
  const found = await lookUpTarget(context);
  if (found === undefined) return undefined;
  checkOwner(context, found.branch, doing);
  return sight(context, found);
}

async function lookUpTarget(context: Context): Promise<FoundBranch | undefined> {
  const { inputs, api, command } = context;
  const project = projectOf(context);
  // The children of a branch that may be deleted are in the same list as the branch.
  const deletes = command === 'delete' || (command === 'create' && inputs.if_exists === 'recreate');
  if (inputs.branch_id === undefined) {
    const name = targetName(context);
    if (!deletes) return findBranchByName({ ...project, name });
    return findWithChildren({ ...project, is: (one) => one.name === name, goal: `look up branch ${show(name)}` });
  }
  const branchId = inputs.branch_id;
  const readNow = (ms: number) =>
    unlessNotFound(getBranch({ ...project, branchId, window: ms > 0 ? unknownWindow(ms, api.clock) : undefined }));
  const listing = deletes
    ? findWithChildren({ ...project, is: ({ id }) => id === branchId, goal: `look up branch ${branchId}` })
    : Promise.resolve(undefined);
  // If the list fails, the error of the first read says more about the branch or the project.
  listing.catch(() => {});
  // What is to be deleted is usually old, or gone already: then the list, which has it or not, saves waiting.
  let found = await readNow(command === 'delete' ? 0 : propagationMs.branchId);
  if (!found) {
    // Unknown branch or unknown project? The latter is an error whatever the command.
    await projectName(project);
    if (await listing) found = await readNow(propagationMs.branchId);
    if (!found) return undefined;
  }
  const listed = await listing;
  if (listed) found = { ...found, readAt: Math.min(found.readAt, listed.readAt), children: listed.children };
  if (inputs.branch_name !== undefined && found.branch.name !== inputs.branch_name) {
    throw new RefusedError(
      `Branch ${inputs.branch_id} is named ${show(found.branch.name)}, not ${show(inputs.branch_name)}. Remove \`branch_id\` or \`branch_name\`, or correct the one that is wrong.`,
    );
  }
  return found;
}

/** The branch that the step is about, by name or by ID, without the noun: `"x"` or `br-…`. */
export function describeTarget(context: Context): string {
  const { inputs } = context;
  return inputs.branch_id === undefined ? show(targetName(context)) : inputs.branch_id;
}

export async function requireTarget(context: Context, doing: 'use' | 'change'): Promise<Sighting> {
  const found = await findTarget(context, doing);
  if (found) return found;
  const { branch_id, branch_name } = context.inputs;
  const given = branch_id === undefined ? branch_name && '`branch_name`' : '`branch_id`';
  const gone = branch_id === undefined ? 'It may never have been created, or may' : 'It may';
  const why = `${gone} have expired or been deleted${given === undefined ? '' : `, or ${given} may be wrong`}.`;
  throw noSuchBranch(describeTarget(context), `. ${why} ${nextWithout(context)}`);
}

/** What to do about a branch that does not exist. */
function nextWithout({ command, inputs }: Context): string {
  if (inputs.branch_id === undefined) return '`command: create` creates it.';
  const byName = '`command: create` with `branch_name` creates a new one';
  return command === 'create' ? `${byName}; with \`branch_id\`, it only uses an existing branch.` : `${byName}.`;
}

/** The branch that an input names by its name or ID; undefined, without a request, if the input is not set. `next`: what to do if there is none. */
export async function findNamed(
  context: Context,
  input: 'parent_branch' | 'base_branch',
  next: string,
): Promise<Branch | undefined> {
  const nameOrId = context.inputs[input];
  if (nameOrId === undefined) return undefined;
  const found = await findBranch({ ...projectOf(context), nameOrId });
  if (found) return found;
  throw noSuchBranch(`with the name or ID ${show(nameOrId)} (\`${input}\`)`, `. ${next}`);
}

/** Whether the step resets a branch, if there is one. */
export function mayReset({ command, inputs }: Context): boolean {
  return command === 'reset' || (command === 'create' && inputs.if_exists === 'reset');
}

/** The branch that `parent_branch` names, if any. */
export async function findParent(context: Context): Promise<Parent | undefined> {
  const readAt = context.api.clock.now();
  const without =
    context.command === 'reset'
      ? ' to reset the branch to its own parent'
      : mayReset(context)
        ? ': then a new branch is created from the default branch, and an existing one is reset to its own parent'
        : ' to use the default branch';
  const next = `Nothing was changed. Check its spelling, or remove the input${without}.`;
  const parent = await findNamed(context, 'parent_branch', next);
  if (parent === undefined) return undefined;
  context.progress({ knownParent: { id: parent.id, name: parent.name } });
  return { ...parent, readAt };
}

/** Refuses what must never be deleted or reset. */
export function guard(branch: Branch, doing: 'deleted' | 'reset'): void {
  const what = branch.default ? "the project's default branch" : branch.protected ? 'a protected branch' : undefined;
  if (what === undefined) {
    if (saysWhetherProtected(branch)) return;
    throw new RefusedError(
      `The service does not say whether branch ${nameAndId(branch)} is the project's default branch or protected, so it was not ${doing}. Nothing was changed. ${doing === 'reset' ? 'Reset' : 'Delete'} it in the service's console instead.`,
    );
  }
  const next = branch.default
    ? 'Use another branch, or first make another one the default'
    : 'If you are sure, remove its protection';
  throw new KeptError(
    `Branch ${nameAndId(branch)} is ${what} and is never ${doing}. Nothing was changed. ${next} in the service's console.`,
    { why: `is ${what}` },
  );
}
