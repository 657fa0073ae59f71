import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CommentFacts, commentOf } from '../../../src/report/comment.ts';
import { emptyResult, type Result } from '../../../src/result.ts';
import { livingIn, rendered, seen } from '../../support/rendered.ts';

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
const github = { api: '', graphql: '', server: 'https://github.com' };
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
    const { subject, body } = comment({
      branch: { ...branch, expires_at: '2026-03-18T05:06:07Z' },
      action: 'created',
      knownParent: { id: 'br-main', name: 'main' },
    });
    expect(subject).toEqual({ kind: 'branch', project: 'p-1', of: 'preview/pr-7' });
    expect(body).toBe(
      `### Database branch \`preview/pr-7\` in project \`p-1\`

| ID | \`br-1\` · [open in the console](https://console.neon.tech/app/projects/p-1/branches/br-1) |
| :-- | :-- |
| Parent | \`main\` |
| Expires | 2026-03-18 05:06 UTC |
| Last action | created, 2026-03-04 05:06 UTC |

<sub>Updated by [this run](https://github.com/o/r/actions/runs/42) (\`command: create\`) for commit 0123456.</sub>`,
    );
  });

  it.each(['created', 'reused', 'reset'] as const)('names the last action: %s', (action) => {
    // A create that resets an existing branch has this sentence, which must not decide the action in the comment.
    const { body } = comment({ branch, action, done: 'Reused and reset branch "preview/pr-7" (br-1)' });
    expect(body).toContain(`| Last action | ${action}, 2026-03-04 05:06 UTC |`);
  });

  it('says that a root branch has no parent, and that it never expires', () => {
    const { parent_id: _, ...root } = branch;
    const { body } = comment({ branch: root });
    expect(body).toContain('| Parent | none (root branch) |');
    expect(body).toContain('| Expires | never |');
  });

  it('has no link to the console of an unknown service', () => {
    expect(comment({ branch }, { apiHost: 'https://db.example/api/v2' }).body).not.toContain('console');
  });

  it('says that the branch does not exist', () => {
    expect(comment({ branch, deleted: true }, { command: 'delete' }).body).toContain(
      'The branch (`br-1`) was deleted.',
    );
    expect(comment({}, { command: 'delete' }).body).toContain('The branch no longer exists.');
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
    expect(comment({ branch, connection }).body).not.toMatch(/hunter22|postgresql:|ep-1/);
  });
});

describe('the comment about a diff', () => {
  const diff = {
    text: '--- a/app\n+++ b/app\n@@ -1,2 +1,2 @@\n CREATE TABLE public.t (\n-    a text\n+    b text\n',
    baseName: 'main',
    database: 'app',
    destructive: [{ does: 'drops column', to: 'public.t.a', note: 'text' }],
  };

  it('is separate for each project and database', () => {
    expect(comment({ branch, diff }).subject).toEqual({ kind: 'diff', project: 'p-1', of: 'app' });
  });

  it('has destructive changes before the diff', () => {
    const { body } = comment({ branch, diff }, { command: 'diff' });
    expect(body).toContain('**1 line added, 1 removed**');
    expect(body.indexOf('drops column `public.t.a` — text')).toBeGreaterThan(0);
    expect(body.indexOf('drops column')).toBeLessThan(body.indexOf('```diff'));
  });

  it('folds a long diff only', () => {
    const long = { ...diff, text: `@@ -0,0 +1,100 @@\n${'+x\n'.repeat(100)}` };
    expect(comment({ branch, diff: long }).body).toContain(
      '<details>\n<summary>Full diff (101 lines)</summary>\n\n```diff',
    );
    expect(comment({ branch, diff }).body).not.toContain('<details>');
    expect(comment({ branch, diff: { ...diff, text: '', destructive: [] } }).body).toContain(
      'No schema difference between `preview/pr-7` and `main`.',
    );
  });

  it('is inert, whatever the diff and the names contain', () => {
    const hostile = fc
      .array(
        fc.constantFrom(
          '```',
          '````diff',
          '</details>',
          '<img src=x>',
          '@octocat',
          '#1',
          '`',
          '|',
          '\n',
          '-->',
          '<!--',
          '\r',
          '\u202e',
          '\u0007',
          ' a ',
          '![x](y)',
          '~~~',
          '> x',
          '+',
        ),
        { maxLength: 12 },
      )
      .map((words) => words.join(''));
    fc.assert(
      fc.property(hostile, hostile, hostile, (text, name, database) => {
        const lines = text.split('\n').map((line) => `+${line}`);
        const { body } = comment(
          {
            branch: { ...branch, name },
            diff: {
              text: `@@ -0,0 +1,${lines.length} @@\n${lines.join('\n')}\n`,
              baseName: name,
              database,
              destructive: [{ does: 'drops table', to: name, note: text }],
            },
          },
          { branchName: name },
        );
        const html = rendered(body);
        // GitHub links nothing within code. The footer names the commit.
        const linked = html.replace(/<(pre|code)\b[\s\S]*?<\/\1>/g, '').replace(' for commit 0123456.', '');
        expect(livingIn(linked)).toEqual([]);
        expect(seen(html)).toContain('Updated by this run');
        expect(html).not.toContain('<img');
        // There is one code block, and nothing inside closes it early.
        expect(html.match(/<pre>/g)).toHaveLength(1);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: the test checks that there are none
        expect(body).not.toMatch(/[\u0007\u202e\r]/);
      }),
    );
  });
});
