import type { RunEvent } from '../step/event.ts';

/**
 * What the metadata of a branch says of the run that created it; empty if that is unknown. The service's own actions use the same keys, except
 * for the last three.
 */
const values = {
  'github-commit-repo': ({ repository }) => repository,
  'github-commit-author-login': ({ pullRequest, actor }) => pullRequest?.author || actor,
  'github-commit-sha': ({ pullRequest, sha }) => (pullRequest ? pullRequest.headSha : sha),
  // In full if it is a tag, because a git branch may have its name.
  'github-commit-ref': ({ pullRequest, ref, fullRef }) =>
    pullRequest ? pullRequest.headRef : fullRef.startsWith('refs/tags/') ? fullRef : ref,
  'github-pr-number': ({ pullRequest }) => (pullRequest ? String(pullRequest.number) : ''),
  'github-pr-title': ({ pullRequest }) => pullRequest?.title ?? '',
  'github-run-id': ({ runId }) => runId,
  'github-run-attempt': ({ runAttempt }) => runAttempt,
  'github-repository-id': ({ repositoryId }) => repositoryId,
} satisfies Record<string, (event: RunEvent) => string>;

export const createIdKey = 'database-branch-create-id';

/** Those that say whose a branch is. */
const ownerKeys = [
  'github-commit-repo',
  'github-repository-id',
  'github-pr-number',
  'github-commit-ref',
] as const satisfies (keyof typeof values)[];

export type Metadata = Record<string, string>;

/** The metadata of each branch that the action creates: whose it is, and which run created it. */
export function metadataOf(event: RunEvent): Metadata {
  const all = Object.entries(values).map(([key, of]) => [key, of(event)] as const);
  return Object.fromEntries(all.filter(([, value]) => value !== ''));
}

/** The part of a branch's metadata that says whose it is. */
export function ownerIn(metadata: Metadata): Metadata {
  return Object.fromEntries(ownerKeys.flatMap((key) => (metadata[key] ? [[key, metadata[key]]] : [])));
}

/**
 * Whether metadata names this repository; undefined if it names none. A repository is its ID: it keeps it when it is renamed or
 * transferred, and another one may take over its name. Names, which are case-insensitive, count only if one side has no ID.
 */
export function namesRepository(
  metadata: Metadata,
  { repository, repositoryId }: Pick<RunEvent, 'repository' | 'repositoryId'>,
): boolean | undefined {
  const { 'github-repository-id': id = '', 'github-commit-repo': name = '' } = metadata;
  if (id !== '' && repositoryId !== '') return id === repositoryId;
  return name === '' || repository === '' ? undefined : name.toLowerCase() === repository.toLowerCase();
}
