import {
  answerAbout,
  branchPath,
  type Project,
  pagesOfBranches,
  settlingOf,
  settlingOfChange,
} from '../api/branches.ts';
import { OperationError, RefusedError } from '../api/errors.ts';
import type { Branch, Operation } from '../api/types.ts';
import { type Context, projectOf } from '../context.ts';
import { ApiError } from '../http/errors.ts';
import { show } from '../text/inert.ts';
import { settle } from './ready.ts';
import { guard } from './target.ts';

/** Deletes one branch that may be deleted, and waits until it is gone. */
export async function deleteBranch(options: { context: Context; branch: Branch; date: number | undefined }): Promise<{
  branch: Branch;
  deleted: boolean;
  operationIds: string[];
  operations: Operation[];
  done: string;
}> {
  const { context, branch, date } = options;
  const { inputs, log } = context;
  const project = projectOf(context);
  const named = `branch ${show(branch.name)} (${branch.id})`;
  log.info(`Deleting ${named}`);
  const sent = await sendDelete({ project, branch, date, hard: inputs.hard_delete });
  const operationIds = sent.operations.map((one) => one.id);
  context.progress({ operationIds });
  const operations = inputs.wait ? await settleDelete({ context, branch, started: sent.operations }) : [];
  const done = sent.deleted ? `Deleted ${named}` : `${named[0]?.toUpperCase()}${named.slice(1)} was gone already`;
  return { branch, deleted: sent.deleted, operationIds, operations, done };
}

/** Waits until the operations of a delete have ended. Some deployments forget them along with the branch. */
async function settleDelete(options: { context: Context; branch: Branch; started: Operation[] }): Promise<Operation[]> {
  const { context, branch, started } = options;
  try {
    return await settle(context, started, { unknownMs: 0 });
  } catch (error) {
    if (!(error instanceof OperationError && error.unknown)) throw error;
    return (await isThere(context, branch)) ? settle(context, started) : [];
  }
}

/** One DELETE, which may be repeated: a branch that is gone by then is what was asked for. */
export async function sendDelete(options: {
  project: Project;
  branch: Branch;
  date: number | undefined;
  hard: boolean;
}): Promise<{ deleted: boolean; operations: Operation[] }> {
  const { project, branch, date, hard } = options;
  const { api, projectId } = project;
  const readDeleted = answerAbout(branch, 'delete');
  const send = (settling: boolean) => {
    const now = api.clock.now();
    const young = settlingOfChange(settlingOf({ branch, now, date, made: false }), now);
    return api.request({
      goal: `delete branch ${show(branch.name)}`,
      method: 'DELETE',
      path: branchPath({ projectId, branchId: branch.id }),
      query: { hard_delete: hard || undefined },
      ...(young && settling ? { settling: young } : {}),
      // An answer that has lost its body says nothing of the operations to wait for; only 204 has none by right.
      read: (body, status) => (status === 204 ? undefined : readDeleted(body)),
    });
  };
  const attempt = async (settling: boolean) => {
    try {
      const answer = await send(settling);
      // 204 is for a branch that was gone already; any other success has deleted it.
      const deleted = answer.status !== 204 || answer.mayHaveActedBefore;
      return { deleted, operations: answer.value?.operations ?? [] };
    } catch (error) {
      if (!(error instanceof ApiError && (error.status === 404 || error.status === 410))) throw error;
      return { deleted: error.mayHaveActed, operations: [] };
    }
  };
  try {
    return await attempt(false);
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 422)) throw error;
    await refuseWhatStays(project, branch, error);
    const { deleted, operations } = await attempt(true);
    return { deleted: deleted || error.mayHaveActed, operations };
  }
}

/** Looks why the service may have refused to delete a branch: somebody may have protected it meanwhile, or made a child of it. */
async function refuseWhatStays(project: Project, branch: Branch, cause: ApiError): Promise<void> {
  const children: Branch[] = [];
  for await (const page of pagesOfBranches({ ...project, goal: `list the children of branch ${show(branch.name)}` })) {
    for (const one of page.branches) if (one.id === branch.id) guard(one, 'deleted');
    children.push(...page.branches.filter((one) => one.parent_id === branch.id));
  }
  if (children.length > 0) throw hasChildren(branch, children, cause);
}

function hasChildren(branch: Branch, children: Branch[], cause: ApiError): RefusedError {
  const some = children.slice(0, 5).map((child) => `${show(child.name)} (${child.id})`);
  const more = children.length > some.length ? ` and ${children.length - some.length} more` : '';
  const error = new RefusedError(
    `Branch ${show(branch.name)} (${branch.id}) has child branches, and is not deleted: ${some.join(', ')}${more}. Delete those first.`,
  );
  error.cause = cause;
  return error;
}

async function isThere(context: Context, branch: Branch): Promise<boolean> {
  for await (const page of pagesOfBranches({
    ...projectOf(context),
    goal: 'see whether the branch is gone',
    search: branch.name,
  })) {
    if (page.branches.some((one) => one.id === branch.id)) return true;
  }
  return false;
}
