import { unlessNotFound } from '../http/errors.ts';
import {
  type Found,
  findBranch,
  findBranchByName,
  findWithChildren,
  getBranch,
  nameAndId,
  noSuchBranch,
} from '../service/branches.ts';
import { RefusedError } from '../service/errors.ts';
import type { Branch } from '../service/types.ts';
import { branchNameOf } from '../step/event.ts';
import { namesBranch } from '../step/inputs.ts';
import { show } from '../text/inert.ts';
import { namesRepository } from './metadata.ts';
import { checkOwner, describeOwner } from './owner.ts';
import { type BranchStep, projectOf } from './step.ts';

/** The name of the branch that the step is about. The check of the inputs has made sure that there is one. */
export function targetName({ inputs, event }: Pick<BranchStep, 'inputs' | 'event'>): string {
  const name = inputs.branch_name ?? branchNameOf(event);
  if (name === undefined) throw new Error(`Event ${show(event.name)} does not name a branch`);
  return name;
}

/** The branch that the step is about, without the noun: `"x"` or `br-…`. */
export function describeTarget(step: BranchStep): string {
  return step.inputs.branch_id ?? show(targetName(step));
}

/**
 * The branch that the step is about, by ID or by name; undefined if there is none. Throws a `RefusedError` if its
 * name came from the event and it belongs to someone else. `withChildren`: its children are read, too, because it may be deleted.
 */
export async function findTarget(step: BranchStep, { withChildren = false } = {}): Promise<Found | undefined> {
  const { inputs } = step;
  const project = projectOf(step);
  const { branch_id: id } = inputs;
  const name = id === undefined ? targetName(step) : undefined;
  const is = (branch: Branch) => (id === undefined ? branch.name === name : branch.id === id);
  const goal = `look up branch ${describeTarget(step)}`;
  const found = withChildren
    ? await findWithChildren({ ...project, is, goal })
    : name === undefined
      ? await unlessNotFound(getBranch({ ...project, branch: { id: id ?? '' } }))
      : await findBranchByName({ ...project, name });
  if (!found) return undefined;
  checkTarget(step, found.branch);
  warnOfRepository(step, found.branch);
  return found;
}

/** A branch that the step names explicitly may belong to another repository: two may share a project. */
export function warnOfRepository({ inputs, event, log }: BranchStep, branch: Branch): void {
  if (!namesBranch(inputs) || namesRepository(branch.metadata, event) !== false) return;
  log.warning(
    `Branch ${nameAndId(branch)}, which the step names, belongs to ${describeOwner(branch)}, according to its metadata`,
  );
}

/** Throws if a branch is no longer the one that the step is about, or belongs to someone else. */
export function checkTarget(step: Pick<BranchStep, 'inputs' | 'event'>, branch: Branch): void {
  const { branch_id: id, branch_name: name } = step.inputs;
  if (id !== undefined && name !== undefined && branch.name !== name) {
    throw new RefusedError(
      `Branch ${id} is named ${show(branch.name)}, not ${show(name)}. Remove \`branch_id\` or \`branch_name\`, or correct the one that is wrong.`,
    );
  }
  if (id === undefined && branch.name !== targetName(step)) {
    throw new RefusedError(
      `Branch ${show(targetName(step))} (${branch.id}) was renamed to ${show(branch.name)} in the meantime. Run the step again, or set \`branch_name\` to the new name.`,
    );
  }
  checkOwner(step, branch);
}

export async function requireTarget(step: BranchStep): Promise<Found> {
  const found = await findTarget(step);
  if (found) return found;
  // "Re-run failed jobs" runs this job again, and not the job that creates the branch.
  const why =
    Number(step.event.runAttempt) > 1
      ? 'If this is a re-run of failed jobs, the job that creates the branch was not run again: re-run all jobs.'
      : 'It may have expired, been deleted, or never been created; or its name, its ID or `project_id` is wrong.';
  throw noSuchBranch(
    describeTarget(step),
    `${why} The root action creates one with \`command: create\`; if the pull request is closed, skip this step.`,
  );
}

/** The branch that an input names by its name or ID; undefined, without a request, if the input is not set. `next`: what to do if there is none. */
export async function findNamed(
  step: BranchStep,
  input: 'parent_branch' | 'base_branch',
  next: string,
): Promise<Branch | undefined> {
  const nameOrId = step.inputs[input];
  if (nameOrId === undefined) return undefined;
  const found = await findBranch({ ...projectOf(step), nameOrId });
  if (found) return found;
  throw noSuchBranch(`with the name or ID ${show(nameOrId)} (\`${input}\`)`, next);
}

export function findParent(step: BranchStep): Promise<Branch | undefined> {
  return findNamed(step, 'parent_branch', 'Nothing was changed. Check its spelling, or remove the input.');
}
