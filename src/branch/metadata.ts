import type { RunEvent } from '../runner/event.ts';

/** What the metadata of a branch says of the run that created it. The service's own actions use the same keys, except for the last three. */
const runKeys = [
  'github-commit-repo',
  'github-commit-author-login',
  'github-commit-sha',
  'github-commit-ref',
  'github-pr-number',
  'github-pr-title',
  'github-run-id',
  'github-run-attempt',
  'github-repository-id',
] as const;

/** Those that say whose a branch is. */
export const ownerKeys = [
  'github-commit-repo',
  'github-repository-id',
  'github-pr-number',
  'github-commit-ref',
] as const satisfies readonly (typeof runKeys)[number][];

/** The metadata of each branch that the action creates: whose it is, and which run created it. Unknown values are left out. */
export function metadataOf(event: RunEvent): Record<string, string> {
  const { pullRequest } = event;
  const values: Record<(typeof runKeys)[number], string> = {
    'github-commit-repo': event.repository,
    'github-commit-author-login': pullRequest?.author || event.actor,
    'github-commit-sha': pullRequest ? pullRequest.headSha : event.sha,
    'github-commit-ref': pullRequest ? pullRequest.headRef : refInMetadata(event),
    'github-pr-number': pullRequest ? String(pullRequest.number) : '',
    'github-pr-title': pullRequest?.title ?? '',
    'github-run-id': event.runId,
    'github-run-attempt': event.runAttempt,
    'github-repository-id': event.repositoryId,
  };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
}

/** The event's git ref as metadata has it: `feature/x`, or in full if it is a tag, because a git branch may have its name. */
export function refInMetadata({ ref, fullRef }: Pick<RunEvent, 'ref' | 'fullRef'>): string {
  return fullRef.startsWith('refs/tags/') ? fullRef : ref;
}

/**
 * Whether metadata names this repository; undefined if it names none. A repository is its ID: it keeps it when it is renamed or
 * transferred, and another one may take over its name. Names, which are case-insensitive, count only if one side has no ID.
 */
export function namesRepository(
  metadata: Record<string, string>,
  { repository, repositoryId }: Pick<RunEvent, 'repository' | 'repositoryId'>,
): boolean | undefined {
  const { 'github-repository-id': id = '', 'github-commit-repo': name = '' } = metadata;
  if (id !== '' && repositoryId !== '') return id === repositoryId;
  return name === '' || repository === '' ? undefined : name.toLowerCase() === repository.toLowerCase();
}

/**
 * Whether a field is a branch's metadata. Metadata is public, and anyone who opens a pull request writes its title: masking what
 * looks like a password in it would blank that word in every log, and drop job outputs that contain it.
 */
export function isMetadata(name: string): boolean {
  return runKeys.some((key) => key === name);
}
