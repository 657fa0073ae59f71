import type { Context } from '../context.ts';
import { namesBranch } from '../inputs/fields.ts';
import type { RunEvent } from '../runner/event.ts';
import { nameAndId } from '../service/branches.ts';
import { RefusedError } from '../service/errors.ts';
import type { Branch } from '../service/types.ts';
import { oneLine, show } from '../text/inert.ts';

/** The keys of the metadata that say whose a branch is. */
export const ownerKeys = ['github-commit-repo', 'github-pr-number', 'github-commit-ref'] as const;

/**
 * Refuses a branch that another repository, pull request or git ref owns by its metadata, if the step named none and its name came
 * from the event: two repositories may share a project. With a branch named in the step, another repository's branch is a warning.
 * Keys that the metadata does not have, or that are empty, are not compared.
 */
export function checkOwner(context: Context, branch: Branch, doing: 'use' | 'change'): void {
  const { event, log } = context;
  const named = namesBranch(context.inputs);
  const foreign = isOtherRepository(event, branch) || (!named && isOtherRef(event, branch));
  if (!foreign) return;
  const owner = `Branch ${nameAndId(branch)} belongs to ${describeOwner(branch)}`;
  if (!named) {
    throw new RefusedError(
      `${owner}, not to ${describeEvent(event)}. Nothing was changed. If several repositories share the project, set \`branch_name\` to a name that only this repository uses.`,
    );
  }
  if (doing === 'change') log.warning(`${owner}, according to its metadata; changing it because the step names it`);
}

/**
 * A branch that several pull requests share under an explicit name belongs to the one that created it, and `prune` goes by that alone: a
 * warning says so.
 */
export function warnOfOtherOwner({ event, log }: Context, branch: Branch): void {
  if (branch.protected || !isOtherPullRequest(event, branch)) return;
  log.warning(
    `Branch ${nameAndId(branch)} belongs to ${describeOwner(branch)}, according to its metadata, so \`command: prune\` deletes it once that pull request is closed. To keep it, set \`exclude_pattern\` there, or protect the branch.`,
  );
}

/**
 * Why a branch must stay although the event says to delete it, as a clause; undefined if it may be deleted. An explicit
 * `command: delete` that names the branch is always carried out.
 */
export function whyKept(context: Context, branch: Branch): string | undefined {
  const { inputs, command, event } = context;
  if (command !== 'delete' || (inputs.command !== 'auto' && namesBranch(inputs))) return undefined;
  if (isOtherPullRequest(event, branch))
    return `it belongs to ${describeOwner(branch)}, not to ${describeEvent(event)}`;
  // A run that is run again has the event of its first attempt; the pull request may have been reopened since.
  const isRerun = Number(event.runAttempt) > 1 && isOurs(event, branch);
  const run = branch.metadata['github-run-id'] ?? '';
  return isRerun && event.runId !== '' && Number(run) > Number(event.runId)
    ? `a later run (${oneLine(run, 20)}) has created it`
    : undefined;
}

/** Whether a branch belongs to another pull request of this repository, and that has another head. */
function isOtherPullRequest(event: RunEvent, branch: Branch): boolean {
  const { pullRequest } = event;
  const number = branch.metadata['github-pr-number'] || undefined;
  if (!pullRequest || number === undefined || !isOurs(event, branch)) return false;
  const ref = branch.metadata['github-commit-ref']?.normalize('NFC') || undefined;
  return number !== String(pullRequest.number) && (ref === undefined || ref !== pullRequest.headRef.normalize('NFC'));
}

/** Whether a branch belongs to this repository by its metadata. */
function isOurs(event: RunEvent, branch: Branch): boolean {
  return Boolean(branch.metadata['github-commit-repo']) && !isOtherRepository(event, branch);
}

/** Whether a branch belongs to another repository by its metadata. */
export function isOtherRepository({ repository }: RunEvent, { metadata }: Branch): boolean {
  const owner = metadata['github-commit-repo'] || undefined;
  return owner !== undefined && repository !== '' && owner.toLowerCase() !== repository.toLowerCase();
}

function isOtherRef({ pullRequest, ref }: RunEvent, { metadata }: Branch): boolean {
  const number = metadata['github-pr-number'] || undefined;
  const owner = metadata['github-commit-ref']?.normalize('NFC') || undefined;
  if (pullRequest) {
    if (number !== undefined) return number !== String(pullRequest.number);
    const { headRef } = pullRequest;
    return Boolean(owner && headRef) && owner !== headRef.normalize('NFC');
  }
  // A pull request's branch is not its git ref's: two pull requests may have the same head.
  return owner === undefined ? number !== undefined : owner !== ref.normalize('NFC');
}

/** Whose a branch is by its metadata: `pull request #7 of octo/api`. */
export function describeOwner({ metadata }: Branch): string {
  const number = metadata['github-pr-number'] || undefined;
  const ref = metadata['github-commit-ref'];
  const part = number !== undefined ? `pull request #${oneLine(number, 20)}` : ref && `git ref ${show(ref)}`;
  return [part, metadata['github-commit-repo'] && oneLine(metadata['github-commit-repo'], 200)]
    .filter(Boolean)
    .join(' of ');
}

function describeEvent({ pullRequest, ref, repository }: RunEvent): string {
  const part = pullRequest ? `pull request #${pullRequest.number}` : `git ref ${show(ref)}`;
  return repository === '' ? part : `${part} of ${oneLine(repository, 200)}`;
}
