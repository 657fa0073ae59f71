import { deleteBranch } from '../branch/delete.ts';
import { howToDelete, isByEvent, isRerun, whyKept } from '../branch/owner.ts';
import { describeTarget, findTarget, guard, targetName } from '../branch/target.ts';
import type { Context } from '../context.ts';
import { withGitHub } from '../github/connect.ts';
import { GitHubError } from '../github/errors.ts';
import { gitBranchExists, readPullRequest } from '../github/pulls.ts';
import { namesBranch } from '../inputs/fields.ts';
import { nameAndId } from '../service/branches.ts';
import { RefusedError } from '../service/errors.ts';
import { asSentence } from '../text/format.ts';
import { show } from '../text/inert.ts';

/** Deletes the branch; one that is already gone, or that the event must not delete, is a success. */
export async function run(context: Context): Promise<void> {
  // What `auto` finds under an explicit name, it only deletes if it belongs to the event.
  const chosen = context.inputs.command === 'auto' && namesBranch(context.inputs);
  const found = await findTarget(context, chosen ? 'use' : 'change');
  if (!found) {
    const { branch_id: id, branch_name: name } = context.inputs;
    return context.progress({
      action: 'already-gone',
      missing: { id, name: id === undefined ? targetName(context) : name },
      operationIds: [],
      done: `Branch ${describeTarget(context)} does not exist; nothing to delete`,
    });
  }
  context.progress({ branch: found.branch });
  const why = whyKept(context, found.branch) ?? (await whyBack(context));
  if (why !== undefined) {
    const kept = `Branch ${nameAndId(found.branch)} was not deleted, because ${why}`;
    const { default: isDefault, protected: isProtected } = found.branch;
    const advice = isDefault
      ? "It is also the project's default branch, which `delete` never deletes."
      : isProtected
        ? 'It is also protected, so `delete` never deletes it.'
        : howToDelete;
    if (!chosen) context.log.warning(`${kept}. ${advice}`);
    return context.progress({ action: 'kept', operationIds: [], done: chosen ? `${kept}. ${advice}` : kept });
  }
  guard(found.branch, 'deleted');
  const { hard_delete: hard, wait } = context.inputs;
  context.progress(await deleteBranch(context, found, { hard, wait }));
}

/**
 * What the event says has ended, and is back by now, as a clause. GitHub is only asked if the run is run again, and a token that may not
 * tell is as good as none. Throws a `GitHubError` if GitHub does not respond.
 */
async function whyBack(context: Context): Promise<string | undefined> {
  const { event, inputs, log } = context;
  const { pullRequest, ref, fullRef } = event;
  if (!isByEvent(context) || !isRerun(event) || inputs.github_token === undefined) return undefined;
  const isTag = fullRef.startsWith('refs/tags/');
  if (!pullRequest && (ref === '' || isTag)) return undefined;
  const [subject, isBack, hasEnded] = pullRequest
    ? [`pull request #${pullRequest.number}`, 'is open again', 'the pull request was closed']
    : [`git branch ${show(ref)}`, 'exists again', 'the git branch was deleted'];
  let problem: string;
  try {
    const { repository } = event;
    const back = await withGitHub(context, async (github) =>
      pullRequest
        ? (await readPullRequest(github, repository, pullRequest.number))?.open
        : gitBranchExists(github, repository, ref),
    );
    if (back !== undefined) return back ? `${subject} ${isBack}` : undefined;
    problem = 'GitHub has no such pull request, or the token may not see it';
  } catch (error) {
    if (error instanceof GitHubError && !error.isPermanent) {
      const what = `${asSentence(error.what)} Nothing was changed. Run the step again.`;
      throw new GitHubError({ kind: error.kind, goal: `check whether ${subject} ${isBack}`, what });
    }
    if (!(error instanceof RefusedError || error instanceof GitHubError)) throw error;
    problem = error instanceof GitHubError ? error.what : error.message;
  }
  log.info(
    `Could not check whether ${subject} ${isBack}: ${asSentence(problem)} Going ahead with the deletion, because this run's event says that ${hasEnded}.`,
  );
  return undefined;
}
