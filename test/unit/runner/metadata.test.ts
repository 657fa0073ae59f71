import { expect, it } from 'vitest';
import { parseEvent } from '../../../src/runner/event.ts';
import { metadataOf } from '../../../src/runner/metadata.ts';

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
