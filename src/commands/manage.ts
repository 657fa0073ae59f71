import { describeTarget } from '../branch/target.ts';
import type { Context } from '../context.ts';
import type { CommandRules } from '../inputs/check.ts';
import { checkManage } from '../manage/check.ts';
import { deletesBranch } from '../manage/check-raw-request.ts';
import { dryRun, recordRequest } from '../manage/exchange.ts';
import { locate, type ManagePlan, planOf, requestFromInputs } from '../manage/plan.ts';
import { sendRawRequest } from '../manage/raw-request.ts';
import { objectName } from '../manage/requests.ts';
import { verbs } from '../manage/verbs.ts';
import { capital } from '../text/format.ts';
import { checkDeletion } from './checks.ts';

export const check: CommandRules['check'] = (given) => [
  ...checkManage(given),
  ...(deletesBranch(given.inputs) ? checkDeletion({ ...given, what: 'a raw `DELETE` of a branch' }) : []),
];

/** Creates, updates, deletes, gets or lists any object, or sends a raw request. */
export async function run(context: Context): Promise<void> {
  const plan = planOf(context.inputs);
  if (!plan) return sendRawRequest(context);
  if (context.inputs.dry_run) return dryRun(context, requestFromInputs(context, plan));
  const target = await locate(context, plan);
  if (!target) return nothingToDelete(context, plan);
  recordRequest(context, target.request);
  await verbs[plan.verb]({ context, ...target });
}

/** The branch to delete, or the branch of what is to be deleted, does not exist. */
function nothingToDelete(context: Context, { kind, id, idFromBranch }: ManagePlan): void {
  const branch = describeTarget(context);
  if (!idFromBranch) {
    context.log.warning(`The project has no branch ${branch}, so there is nothing to delete on it`);
  }
  const what = idFromBranch ? `Branch ${branch}` : `${capital(objectName(kind, id))} on branch ${branch}`;
  context.progress({
    action: 'already-gone',
    operationIds: [],
    done: `${what} does not exist; nothing to delete`,
  });
}
