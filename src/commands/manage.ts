import { describeTarget } from '../branch/target.ts';
import type { Command, Context } from '../context.ts';
import { type Plan, planOf } from '../inputs/plan.ts';
import { failureOf, noteRefusal, noteRequest, rehearse } from '../manage/exchange.ts';
import { explainRefusal } from '../manage/explain.ts';
import { locate, outline } from '../manage/locate.ts';
import { sendRequest } from '../manage/raw-request.ts';
import { verbs } from '../manage/verbs.ts';
import type { Result } from '../result.ts';

/** Creates, updates, deletes, gets or lists any object of the account, or sends any request. */
export const manage: Command = async (context) => {
  const plan = planOf(context.inputs);
  if (!plan) return sendRequest(context);
  if (context.inputs.dry_run) return rehearse(context, outline(context, plan));
  const located = await locate(context, plan);
  if (!located) return withoutBranch(context, plan);
  noteRequest(context, located.told);
  try {
    return await verbs[plan.verb]({ context, ...located });
  } catch (error) {
    const failure = failureOf(error, located.told);
    if (failure) noteRefusal(context, failure);
    throw failure && failure === error ? await explainRefusal({ ...located, verb: plan.verb, error: failure }) : error;
  }
};

/** What is to be deleted belongs to a branch, or is one, that is not there: so it is gone, too. */
function withoutBranch(context: Context, plan: Plan): Partial<Result> {
  const branch = `branch ${describeTarget(context)}`;
  const what = plan.idFromBranch ? branch : `${plan.kind.one} ${plan.id ?? ''} of ${branch}`;
  if (!plan.idFromBranch) context.log.warning(`There is no ${branch} in the project, and so nothing of it to delete`);
  return { deleted: false, operationIds: [], done: `No ${what} is left to delete` };
}
