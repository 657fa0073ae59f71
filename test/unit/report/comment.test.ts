import { describe, expect, it } from 'vitest';
import { type CommentFacts, commentOf } from '../../../src/report/comment.ts';
import { emptyResult, type Result } from '../../../src/result.ts';

const branch = {
  id: 'br-1',
  name: 'preview/pr-7',
  parent_id: 'br-main',
  default: false,
  protected: false,
  current_state: 'ready',
  created_at: '2026-03-04T05:06:07Z',
  metadata: {},
};
const github = { api: '', server: 'https://github.com' };
const event = { repository: 'o/r', runId: '42', runAttempt: '1', sha: '0123456789abcdef', github };

function comment(result: Partial<Result>, more: Partial<CommentFacts> = {}) {
  return commentOf({
    command: 'create',
    result: { ...emptyResult(), ...result },
    event,
    projectId: 'p-1',
    apiHost: 'https://console.neon.tech/api/v2',
    branchName: 'preview/pr-7',
    now: Date.parse('2026-03-04T05:06:07Z'),
    ...more,
  });
}

describe('the comment about a branch', () => {
  it('has its ID, a link, its parent, its expiry and the last action', () => {
    const body = comment({
      branch: { ...branch, expires_at: '2026-03-18T05:06:07Z' },
      action: 'created',
      knownParent: { id: 'br-main', name: 'main' },
    });
    expect(body).toBe(
      `### Database branch \`preview/pr-7\` in project \`p-1\`

| Property | Value |
| --- | --- |
| ID | \`br-1\` · [open in the console](https://console.neon.tech/app/projects/p-1/branches/br-1) |
| Parent | \`main\` |
| Expires | 2026-03-18 05:06 UTC |
| Last action | created, 2026-03-04 05:06 UTC |

<sub>Updated by [this run](https://github.com/o/r/actions/runs/42) (\`command: create\`) for commit 0123456.</sub>`,
    );
  });

  it.each(['created', 'reused', 'reset'] as const)('names the last action: %s', (action) => {
    // A create that resets an existing branch has this sentence, which must not decide the action in the comment.
    const body = comment({ branch, action, done: 'Reused and reset branch "preview/pr-7" (br-1)' });
    expect(body).toContain(`| Last action | ${action}, 2026-03-04 05:06 UTC |`);
  });

  it('says that a root branch has no parent, and that it never expires', () => {
    const { parent_id: _, ...root } = branch;
    const body = comment({ branch: root });
    expect(body).toContain('| Parent | none (root branch) |');
    expect(body).toContain('| Expires | never |');
  });

  it('has no link to the console of an unknown service', () => {
    expect(comment({ branch }, { apiHost: 'https://db.example/api/v2' })).not.toContain('console');
  });

  it('says that the branch does not exist', () => {
    const body = (result: Partial<Result>) => comment(result, { command: 'delete' });
    expect(body({ branch, action: 'deleted', deleted: true })).toContain('The branch (`br-1`) was deleted.');
    expect(body({ branch, action: 'already-gone' })).toContain('The branch (`br-1`) no longer exists.');
    expect(body({ action: 'already-gone' })).toContain('The branch no longer exists.');
  });

  it('has no host and no secret', () => {
    const connection = {
      endpointId: 'ep-1',
      uri: 'postgresql://u:hunter22@h/d',
      pooledUri: 'x',
      host: 'ep-1.host.test',
      pooledHost: 'p',
      port: '5432',
      database: 'd',
      role: 'u',
      password: 'hunter22',
    };
    expect(comment({ branch, connection })).not.toMatch(/hunter22|postgresql:|ep-1/);
  });
});
