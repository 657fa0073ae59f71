import { type FoundBranch, findBranchByName, getBranch, noSuchBranch, projectName } from '../api/branches.ts';
import { MismatchError, RefusedError } from '../api/errors.ts';
import type { Branch } from '../api/types.ts';
import { type Context, projectOf } from '../context.ts';
import { ApiError } from '../http/errors.ts';
import { branchNameOf } from '../runner/event.ts';
import { show } from '../text/inert.ts';

/** Milliseconds for which a branch asked for by ID may be unknown: another job may have made it a moment ago. */
const idSettlingMs = 3_000;

/** The name of the branch that the run is about. The check of the inputs has made sure that there is one. */
export function targetName(context: Context): string {
  const name = context.inputs.branch_name ?? branchNameOf(context.event);
  if (name === undefined) throw new Error(`Event ${show(context.event.name)} names no branch`);
  return name;
}

/** The branch that the run is about, by ID or by name, or undefined where there is none in a project that is there. */
export async function findTarget(context: Context): Promise<FoundBranch | undefined> {
  const { inputs, api } = context;
  const project = projectOf(context);
  if (inputs.branch_id === undefined) return findBranchByName({ ...project, name: targetName(context) });
  let found: FoundBranch;
  try {
    found = await getBranch({
      ...project,
      branchId: inputs.branch_id,
      settling: { statuses: [404], until: api.clock.now() + idSettlingMs },
    });
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
    // Unknown branch or unknown project? The second is an error whatever the command.
    await projectName(project);
    return undefined;
  }
  if (inputs.branch_name !== undefined && found.branch.name !== inputs.branch_name) {
    throw new MismatchError(
      `Branch ${inputs.branch_id} is named ${show(found.branch.name)}, not ${show(inputs.branch_name)}. Give branch_id or branch_name, or both of the same branch.`,
    );
  }
  return found;
}

export function describeTarget(context: Context): string {
  const { inputs } = context;
  return inputs.branch_id === undefined ? `named ${show(targetName(context))}` : `with the ID ${inputs.branch_id}`;
}

export async function requireTarget(context: Context): Promise<FoundBranch> {
  const found = await findTarget(context);
  if (found) return found;
  const next =
    context.command === 'create'
      ? 'With `branch_id`, `create` makes no branch; leave it out to make one by name.'
      : `\`command: ${context.command}\` needs one that is there; \`command: create\` makes it.`;
  throw noSuchBranch(describeTarget(context), `. ${next}`);
}

/** Refuses what must never be deleted or reset. */
export function guard(branch: Branch, doing: 'deleted' | 'reset'): void {
  const what = branch.default ? "the project's default branch" : branch.protected ? 'a protected branch' : undefined;
  if (what === undefined) return;
  throw new RefusedError(
    `Branch ${show(branch.name)} (${branch.id}) is ${what}, and is not ${doing}. Nothing was changed.`,
  );
}
