import { expect, it } from 'vitest';
import { metadataOf, namesRepository } from '../../../src/branch/metadata.ts';
import { parseEvent } from '../../../src/step/event.ts';

it.each<[Record<string, string>, string, string, boolean | undefined]>([
  [{ 'github-repository-id': '1', 'github-commit-repo': 'o/r' }, 'o/renamed', '1', true],
  [{ 'github-repository-id': '1', 'github-commit-repo': 'o/r' }, 'o/r', '2', false],
  [{ 'github-repository-id': '1', 'github-commit-repo': 'o/r' }, 'O/R', '', true],
  [{ 'github-commit-repo': 'O/r' }, 'o/R', '2', true],
  [{ 'github-commit-repo': 'o/r' }, 'o/s', '2', false],
  [{ 'github-repository-id': '1' }, 'o/r', '', undefined],
  [{}, 'o/r', '2', undefined],
])('metadata %j, seen by repository %s with ID %j, names it: %s', (metadata, repository, repositoryId, names) => {
  expect(namesRepository(metadata, { repository, repositoryId })).toBe(names);
});

it('the metadata of a comment on a pull request has no git ref or commit: the run has those of the default branch', () => {
  const event = parseEvent({
    env: { GITHUB_EVENT_NAME: 'issue_comment', GITHUB_REF: 'refs/heads/main', GITHUB_SHA: 'a'.repeat(40) },
    payload: { action: 'created', issue: { number: 7, pull_request: {} } },
  });
  const metadata = metadataOf(event);
  expect(metadata).toMatchObject({ 'github-pr-number': '7' });
  expect(metadata).not.toHaveProperty('github-commit-ref');
  expect(metadata).not.toHaveProperty('github-commit-sha');
});
