import { describeTarget } from '../branch/target.ts';
import type { Command, Context } from '../context.ts';
import { checkManage } from '../manage/check.ts';
import { dryRun, recordRequest } from '../manage/exchange.ts';
import { capital } from '../manage/explain.ts';
import { locate, requestFromInputs } from '../manage/locate.ts';
import { type ManagePlan, planOf } from '../manage/plan.ts';
import { deletesBranch, sendRawRequest } from '../manage/raw-request.ts';
import { objectName } from '../manage/requests.ts';
import { verbs } from '../manage/verbs.ts';
import type { Result } from '../result.ts';
import { checkDeletion } from './delete.ts';

/** Creates, updates, deletes, gets or lists any object, or sends a raw request. */
export const manage: Command = {
  changes: true,
  dryRun: true,
  withoutProject: true,
  check: (given) => [
    ...checkManage(given),
    ...(deletesBranch(given.inputs) ? checkDeletion({ ...given, what: 'a raw `DELETE` of a branch' }) : []),
  ],
  run,
};

async function run(context: Context): Promise<Partial<Result>> {
  const plan = planOf(context.inputs);
  if (!plan) return sendRawRequest(context);
  if (context.inputs.dry_run) return dryRun(context, requestFromInputs(context, plan));
  const target = await locate(context, plan);
  if (!target) return nothingToDelete(context, plan);
  recordRequest(context, target.request);
  return verbs[plan.verb]({ context, ...target });
}

/** The branch to delete, or the branch of what is to be deleted, does not exist. */
function nothingToDelete(context: Context, { kind, id, idFromBranch }: ManagePlan): Partial<Result> {
  const branch = describeTarget(context);
  if (!idFromBranch) {
    context.log.warning(`The project has no branch ${branch}, so there is nothing to delete on it`);
  }
  const what = idFromBranch ? `Branch ${branch}` : `${capital(objectName(kind, id))} on branch ${branch}`;
  return {
    action: 'already-gone',
    deleted: false,
    operationIds: [],
    done: `${what} does not exist; nothing to delete`,
  };
}
