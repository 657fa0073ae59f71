import { describe, expect, it } from 'vitest';
import type { GitHubEvent } from '../../../tools/runner/events.ts';
import * as events from '../../../tools/runner/events.ts';
import { load, messages } from './loaded.ts';

describe('an explicit delete', () => {
  const deletes = (event: GitHubEvent, given: Record<string, string> = {}) =>
    messages({ command: 'delete', ...given }, event);

  it.each([
    ['an open pull request', events.pullRequest()],
    ['a push', events.push()],
    ['a manual run', events.workflowDispatch()],
    ['a merge group', events.mergeGroup()],
  ])('needs a target on %s', (_, event) => {
    const said = /^branch_id or branch_name is required: `command: delete` takes the branch from the event only when/;
    expect(deletes(event)).toEqual([expect.stringMatching(said)]);
    const { action } = event.payload as { action?: string };
    const given = `; this run was triggered by "${event.name}"${action === undefined ? '' : ` (action "${action}")`}`;
    expect(deletes(event)[0]?.endsWith(given)).toBe(true);
    expect(deletes(event, { branch_id: ' ', branch_name: '' })).toEqual([expect.stringMatching(said)]);
    expect(deletes(event, { branch_name: 'x' })).toEqual([]);
    expect(deletes(event, { branch_id: 'br-1' })).toEqual([]);
    expect(deletes(event, { branch_id: 'no ID' })).toEqual([expect.stringContaining('branch_id: "no ID" is invalid')]);
  });

  it.each([
    ['a closed pull request', events.pullRequest({ action: 'closed' })],
    ['a deleted git branch', events.deleteRef()],
    ['a deleted tag', events.deleteRef({ refType: 'tag' })],
  ])('takes the branch of %s', (_, event) => {
    expect(deletes(event)).toEqual([]);
  });
});

describe('`auto` for a closed pull request', () => {
  const closed = events.pullRequest({ action: 'labeled', number: 7 });
  Object.assign((closed.payload as { pull_request: object }).pull_request, { state: 'closed' });

  it('skips the step', () => {
    expect(load({ summary: 'false' }, closed).settings).toEqual({
      skip: 'pull request #7 is closed',
      command: 'auto',
      summary: false,
    });
  });

  it('reports invalid inputs nevertheless', () => {
    expect(messages({ timeout: 'x' }, closed)).toHaveLength(1);
    expect(messages({ api_key: '' }, closed)).toHaveLength(1);
  });

  it('does not concern an explicit command', () => {
    expect(load({ command: 'get' }, closed).settings).toMatchObject({ command: 'get' });
  });
});
