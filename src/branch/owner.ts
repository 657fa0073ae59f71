import { nameAndId } from '../service/branches.ts';
import { RefusedError } from '../service/errors.ts';
import type { Branch } from '../service/types.ts';
import type { RunEvent } from '../step/event.ts';
import { namesBranch } from '../step/inputs.ts';
import { oneLine, show } from '../text/inert.ts';
import { type Metadata, metadataOf, namesRepository } from './metadata.ts';
import type { BranchStep } from './step.ts';

/**
 * Refuses a branch whose name came from the event, if its metadata names another repository, pull request or git ref: two repositories may
 * share a project. What the metadata doesn't name, or the event doesn't say, is not compared.
 */
export function checkOwner({ inputs, event }: Pick<BranchStep, 'inputs' | 'event'>, branch: Branch): void {
  if (namesBranch(inputs) || !belongsToOther(event, branch)) return;
  throw new RefusedError(
    `Branch ${nameAndId(branch)} belongs to ${describeOwner(branch)}, not to ${describeEvent(event)}. Nothing was changed. If several repositories share the project, set \`branch_name\` to a name that only this one uses; if nothing uses the branch, delete it.`,
  );
}

/** Whether the metadata names another repository, pull request or git ref than the event's. */
function belongsToOther(event: RunEvent, { metadata }: Branch): boolean {
  if (namesRepository(metadata, event) === false) return true;
  const { pullRequest } = event;
  const { number, ref } = partsOf(metadata);
  // A pull request's branch is not its git ref's: two pull requests may have the same head.
  if (number !== undefined) return number !== String(pullRequest?.number);
  if (ref === undefined) return false;
  // A comment on a pull request doesn't say its head.
  if (pullRequest) return pullRequest.headRef !== '' && ref !== pullRequest.headRef;
  // Others may record a tag without `refs/tags/`.
  return ref !== event.ref && ref !== partsOf(metadataOf(event)).ref;
}

/** Whether the metadata names this repository, and the pull request or git ref that the event is about. */
export function belongsToEvent(event: RunEvent, { metadata }: Branch): boolean {
  if (namesRepository(metadata, event) !== true) return false;
  const [own, wanted] = [partsOf(metadata), partsOf(metadataOf(event))];
  // The branch of a pull request from a ref is not that of the ref: a release from `staging` must not delete the branch of `staging`.
  if (wanted.number !== undefined || own.number !== undefined) return own.number === wanted.number;
  return own.ref !== undefined && own.ref === wanted.ref;
}

/** The number of another pull request of this repository that the metadata names, if it names one. */
export function otherPullRequest(event: RunEvent, { metadata }: Branch): number | undefined {
  const { number = '' } = partsOf(metadata);
  if (!/^\d+$/.test(number) || namesRepository(metadata, event) !== true) return undefined;
  return number === String(event.pullRequest?.number) ? undefined : Number(number);
}

/** The pull request and the git ref that metadata names. What is missing or empty is undefined. */
function partsOf(metadata: Metadata): { number: string | undefined; ref: string | undefined } {
  return {
    number: metadata['github-pr-number'] || undefined,
    // The service's own actions record some in full.
    ref: metadata['github-commit-ref']?.replace(/^refs\/heads\//, '') || undefined,
  };
}

/** Whose a branch is by its metadata: `pull request #7 of octo/api (ID 5)`; empty if that does not say. */
export function describeOwner({ metadata }: { metadata: Metadata }): string {
  const { 'github-commit-repo': name, 'github-repository-id': id } = metadata;
  const { number, ref } = partsOf(metadata);
  const part = number === undefined ? ref && describeRef(ref) : `pull request #${oneLine(number, 20)}`;
  const repository = [name || 'a repository', id && `(ID ${id})`].filter(Boolean).join(' ');
  return [part, (name || id) && oneLine(repository, 300)].filter(Boolean).join(' of ');
}

/** What the event is about: `pull request #7 of octo/api`. */
export function describeEvent(event: RunEvent): string {
  return describeOwner({ metadata: metadataOf({ ...event, repositoryId: '' }) });
}

/** A ref as metadata has it: `git branch "feature/x"`, `tag "v1"`. */
function describeRef(ref: string): string {
  const [, tag] = /^refs\/tags\/(.+)$/s.exec(ref) ?? [];
  return tag === undefined ? `git branch ${show(ref)}` : `tag ${show(tag)}`;
}
