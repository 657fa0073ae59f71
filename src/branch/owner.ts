import type { Context } from '../context.ts';
import { namesBranch } from '../inputs/fields.ts';
import { nameAndId } from '../service/branches.ts';
import { RefusedError } from '../service/errors.ts';
import type { Branch } from '../service/types.ts';
import type { RunEvent } from '../step/event.ts';
import { mayBeHashed } from '../text/branch-name.ts';
import { oneLine, show } from '../text/inert.ts';
import { namesRepository, ownerKeys, refInMetadata } from './metadata.ts';

/** How to delete a branch, whoever owns it. In the step that kept it, `command: delete` would delete it on every event. */
const ownStep = "use a separate step with `command: delete` and the database branch's name as `branch_name`";
/** What to do if the action does not delete a branch because of its owner. */
export const howToDelete = `To delete it anyway, ${ownStep}.`;
const unknownRepository = "the runner doesn't say whether this run is for that repository";

/**
 * Refuses a branch that another repository, pull request or git ref owns by its metadata, if the step named none and its name came
 * from the event: two repositories may share a project. With a branch named in the step, another repository's branch is a warning, if it
 * is to be changed. Keys that the metadata does not have, or that are empty, are not compared. If it names a repository, and the run none
 * that could be compared with it, the branch must not be changed under a name from the event.
 */
export function checkOwner(context: Context, branch: Branch, doing: 'use' | 'change'): void {
  const { event, log } = context;
  const named = namesBranch(context.inputs);
  if (!named) refuseAmbiguous(context, branch);
  const foreign = isOtherRepository(event, branch) || (!named && isOtherRef(event, branch));
  const owner = `Branch ${nameAndId(branch)} belongs to ${describeOwner(branch, event)}`;
  if (!foreign) {
    if (named || doing === 'use' || !isOfUnknownRepository(event, branch)) return;
    const next = isByEvent(context)
      ? howToDelete
      : 'To go ahead with this branch anyway, set `branch_name` to its name.';
    throw new RefusedError(`${owner}, but ${unknownRepository}. Nothing was changed. ${next}`);
  }
  if (!named) {
    const create = context.command === 'create' ? 'run this step again' : '`command: create` creates a new one';
    const after = context.command === 'delete' ? '' : ` Then ${create}.`;
    throw new RefusedError(
      `${owner}, not to ${describeEvent(event, branch)}. Nothing was changed. If several repositories share the project, set \`branch_name\` to a name that only this repository uses, in all steps that use the branch. Otherwise, if nothing uses the branch, delete it: ${ownStep}.${after}`,
    );
  }
  if (doing === 'change')
    log.warning(`${owner}, according to its metadata; going ahead anyway, because the step names it explicitly`);
}

/**
 * A branch that several pull requests share under an explicit name belongs to the one that created it, and `prune` goes by that alone: a
 * warning says so.
 */
export function warnOfOtherOwner({ event, log }: Context, branch: Branch): void {
  if (branch.protected || !isOtherPullRequest(event, branch)) return;
  log.warning(
    `Branch ${nameAndId(branch)} belongs to ${describeOwner(branch)}, according to its metadata, so \`command: prune\` deletes it once that pull request is closed. To keep it, set \`exclude_pattern\` in the step that prunes, or protect the branch.`,
  );
}

/**
 * Two refs may share a name: that of `fix#12` ends in a hash, and a git branch may literally be called that. If the metadata does
 * not say whose the branch is, nobody knows. Only the ref with the hash may use a branch that has no metadata at all: it is most
 * unlikely that anybody has made a branch of that name for another one.
 */
function refuseAmbiguous({ command, event: { ref } }: Context, branch: Branch): void {
  const { name, metadata } = branch;
  if (!mayBeHashed(name) || metadata['github-commit-ref'] || metadata['github-pr-number']) return;
  const isLiteral = name.endsWith(`/${ref}`);
  if (!isLiteral && !ownerKeys.some((key) => metadata[key])) return;
  const next =
    command === 'delete'
      ? howToDelete
      : command === 'create'
        ? 'To use this branch, set `branch_name` to its name. To use another one, set `branch_name` to another name; or, if nothing uses this branch, delete it and run the step again.'
        : "To use this branch, set `branch_name` to its name. To use another one, set `branch_name` to that branch's name.";
  throw new RefusedError(
    `It is unknown whether branch ${nameAndId(branch)} belongs to this run's git ref: its metadata names no git ref, and the end of its name (${show(name.slice(-8))}) may be part of a git ref's name, or a hash that the action adds to some names to tell git refs apart. Nothing was changed. ${next}`,
  );
}

/**
 * Why a branch must stay although the event says to delete it, as a clause; undefined if it may be deleted. An explicit
 * `command: delete` that names the branch is never refused for this reason.
 */
export function whyKept(context: Context, branch: Branch): string | undefined {
  const { inputs, event } = context;
  if (!isByEvent(context)) return undefined;
  if (namesBranch(inputs) && !belongsToEvent(event, branch)) {
    if (isOfUnknownRepository(event, branch))
      return `it belongs to ${describeOwner(branch, event)}, and ${unknownRepository}`;
    return `${whose(event, branch)}, and for this event, \`auto\` only deletes branches that belong to ${describeEvent(event, branch)}`;
  }
  if (isOtherPullRequest(event, branch))
    return `it belongs to ${describeOwner(branch)}, not to ${describeEvent(event, branch)}`;
  const run = branch.metadata['github-run-id'] ?? '';
  return isRerun(event) && isOurs(event, branch) && event.runId !== '' && Number(run) > Number(event.runId)
    ? `it was created by a later run (${oneLine(run, 20)})`
    : undefined;
}

/** Whether the event is why a branch is to be deleted. */
export function isByEvent({ command, inputs }: Context): boolean {
  return command === 'delete' && (inputs.command === 'auto' || !namesBranch(inputs));
}

/** A run that is run again has the event of its first attempt; the pull request may have been reopened since. */
export function isRerun({ runAttempt }: RunEvent): boolean {
  return Number(runAttempt) > 1;
}

/** The pull request and the git ref that own a branch by its metadata. What is missing or empty is undefined. */
function ownerOf({ metadata }: Branch): { number: string | undefined; ref: string | undefined } {
  return {
    number: metadata['github-pr-number'] || undefined,
    ref: metadata['github-commit-ref']?.normalize('NFC') || undefined,
  };
}

/** Whether a branch belongs to another pull request of this repository, one with a different head. */
function isOtherPullRequest(event: RunEvent, branch: Branch): boolean {
  const { pullRequest } = event;
  const { number, ref } = ownerOf(branch);
  if (!pullRequest || number === undefined || !isOurs(event, branch)) return false;
  if (number === String(pullRequest.number)) return false;
  // Forks have git branches of their own: two of them may both be called `main`.
  return ref !== pullRequest.headRef.normalize('NFC') || pullRequest.fork;
}

/**
 * Whether the metadata names the pull request or git ref that the event ends, and its repository. A git ref's branch is not the branch of a
 * pull request from that ref: a release from `staging` to `main` must not delete the branch of `staging`.
 */
function belongsToEvent(event: RunEvent, branch: Branch): boolean {
  const { pullRequest } = event;
  const { number, ref } = ownerOf(branch);
  if (!isOurs(event, branch)) return false;
  if (pullRequest) return number === String(pullRequest.number);
  return number === undefined && ref === refInMetadata(event).normalize('NFC');
}

/** Whether a branch belongs to this repository by its metadata. */
function isOurs(event: RunEvent, branch: Branch): boolean {
  return namesRepository(branch.metadata, event) === true;
}

/** Whether a branch belongs to another repository by its metadata. */
export function isOtherRepository(event: RunEvent, { metadata }: Branch): boolean {
  return namesRepository(metadata, event) === false;
}

/** Whether a branch belongs to a repository, and nobody knows whether it is this one. */
function isOfUnknownRepository(event: RunEvent, branch: Branch): boolean {
  return hasRepository(branch) && namesRepository(branch.metadata, event) === undefined;
}

/** Whether a branch's metadata names any repository. */
function hasRepository({ metadata }: Branch): boolean {
  return Boolean(metadata['github-commit-repo'] || metadata['github-repository-id']);
}

function isOtherRef(event: RunEvent, branch: Branch): boolean {
  const { pullRequest, ref: own } = event;
  const { number, ref } = ownerOf(branch);
  if (pullRequest && number !== undefined) return number !== String(pullRequest.number);
  // A comment on a pull request doesn't say its head.
  if (pullRequest) return Boolean(ref && pullRequest.headRef) && ref !== pullRequest.headRef.normalize('NFC');
  // A pull request's branch is not its git ref's: two pull requests may have the same head.
  if (ref === undefined) return number !== undefined;
  // Others may record a tag without `refs/tags/`.
  return ![own, refInMetadata(event)].some((one) => ref === one.normalize('NFC'));
}

/**
 * Whose a branch is by its metadata: `pull request #7 of octo/api`; empty if that does not say. With an event, another repository with the
 * name of the event's is told from it: it may have had the name before, or has it on another server.
 */
export function describeOwner({ metadata }: Branch, event?: RunEvent): string {
  const { 'github-commit-repo': name, 'github-repository-id': id, 'github-commit-ref': ref } = metadata;
  const number = metadata['github-pr-number'] || undefined;
  const part = number !== undefined ? `pull request #${oneLine(number, 20)}` : ref && describeRef(ref);
  const repository =
    event && name && isNamesake(event, { metadata })
      ? describeNamesake(oneLine(name, 200), id ?? '', event.repositoryId)
      : name
        ? oneLine(name, 200)
        : id && `the repository with ID ${oneLine(id, 100)}`;
  return [part, repository].filter(Boolean).join(' of ');
}

/** A repository with another ID than this run's, and the same name. */
export function describeNamesake(name: string, id: string, ownId: string): string {
  return `another repository that is also called ${name} (its ID is ${oneLine(id, 100)}, this run's repository has ID ${oneLine(ownId, 100)})`;
}

/** Whether a branch belongs to another repository whose name is that of this run's. */
function isNamesake(event: RunEvent, { metadata }: Pick<Branch, 'metadata'>): boolean {
  const name = metadata['github-commit-repo'] ?? '';
  return name.toLowerCase() === event.repository.toLowerCase() && namesRepository(metadata, event) === false;
}

/** Whose a branch is that the event does not own, as a clause. */
function whose(event: RunEvent, branch: Branch): string {
  const owner = describeOwner(branch, event);
  if (owner === '') return 'its metadata does not name its owner';
  const { number, ref } = ownerOf(branch);
  // Others may record a tag without `refs/tags/`.
  const isTag = event.pullRequest === undefined && event.fullRef.startsWith('refs/tags/');
  if (isTag && number === undefined && ref === event.ref.normalize('NFC') && isOurs(event, branch))
    return `its metadata names git ref ${show(ref)}, but doesn't say that it is a tag`;
  return hasRepository(branch) ? `it belongs to ${owner}` : `its metadata names ${owner}, but no repository`;
}

function describeEvent(event: RunEvent, branch: Branch): string {
  const { pullRequest } = event;
  const repository = isNamesake(event, branch) ? "this run's repository" : event.repository;
  const part = pullRequest ? `pull request #${pullRequest.number}` : describeRef(refInMetadata(event));
  return repository === '' ? part : `${part} of ${oneLine(repository, 200)}`;
}

/** A ref as metadata has it: `git branch "feature/x"`, `tag "v1"`. */
function describeRef(ref: string): string {
  const [, tag] = /^refs\/tags\/(.+)$/s.exec(ref) ?? [];
  return tag === undefined ? `git branch ${show(ref)}` : `tag ${show(tag)}`;
}
