import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CommentFacts, commentOf } from '../../../src/report/comment.ts';
import { type DatabaseDiff, emptyResult, type Result, type SchemaDiff } from '../../../src/result.ts';
import { ruleTexts } from '../../../src/schema/rule-texts.ts';
import { type Finding, levels, type RuleName } from '../../../src/schema/rules.ts';
import { livingIn, rendered, seen } from '../../../tools/docs/rendered.ts';
import { schemaDiff } from './schema-diff.ts';

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

const finding = (rule: RuleName, object: string, detail = '') => ({ rule, object, detail });
const text = '--- a/app\n+++ b/app\n@@ -1,2 +1,2 @@\n CREATE TABLE public.t (\n-    a text\n+    b text\n';
const database = { database: 'app', isNew: false, isGone: false, text, findings: [] as Finding[], ignored: [] };
const diffOf = (more: Partial<DatabaseDiff> = {}, all: Partial<SchemaDiff> = {}) =>
  schemaDiff({ ...database, ...more }, all);

describe('the comment about a diff', () => {
  const body = (diff: SchemaDiff, more: Partial<CommentFacts> = {}) =>
    comment({ branch, diff }, { command: 'diff', ...more });

  it('has the findings as tables by level, above the folded diff', () => {
    const findings = [
      finding('drop-column', 'public.t.a', 'text'),
      finding('drop-table', 'public.u'),
      finding('grant', 'public.t', 'SELECT to anon'),
      finding('add-index', 'public.t_b_idx'),
      finding('rename-column', 'public.t.a', 'b'),
    ];
    expect(
      body(diffOf({ findings }), {
        event: { ...event, docsUrl: 'https://github.com/octo-org/database-branch/blob/v1/docs' },
      }),
    ).toBe(`### Schema of database \`app\` in project \`p-1\`

Schema difference between \`preview/pr-7\` and \`main\`: **1 line added, 1 removed**.

> [!CAUTION]
> **2 destructive, 1 exposing, 1 breaking, 1 locking**

**Destructive**: loses rows or values

| Rule | Objects | What happens | Safer approach |
| --- | --- | --- | --- |
| [drop-column](https://github.com/octo-org/database-branch/blob/v1/docs/schema-review.md#drop-column) | \`public.t.a\`: text | ${ruleTexts['drop-column'].why} | ${ruleTexts['drop-column'].safer} |
| [drop-table](https://github.com/octo-org/database-branch/blob/v1/docs/schema-review.md#drop-table) | \`public.u\` | ${ruleTexts['drop-table'].why} | ${ruleTexts['drop-table'].safer} |

**Exposing**: loses protection

| Rule | Objects | What happens | Safer approach |
| --- | --- | --- | --- |
| [grant](https://github.com/octo-org/database-branch/blob/v1/docs/schema-review.md#grant) | \`public.t\`: SELECT to anon | ${ruleTexts.grant.why} | ${ruleTexts.grant.safer} |

**Breaking**: breaks the previous version of the application

| Rule | Objects | What happens | Safer approach |
| --- | --- | --- | --- |
| [rename-column](https://github.com/octo-org/database-branch/blob/v1/docs/schema-review.md#rename-column) | \`public.t.a\`: b | ${ruleTexts['rename-column'].why} | ${ruleTexts['rename-column'].safer} |

**Locking**: may rewrite or lock a table with rows

| Rule | Objects | What happens | Safer approach |
| --- | --- | --- | --- |
| [add-index](https://github.com/octo-org/database-branch/blob/v1/docs/schema-review.md#add-index) | \`public.t_b_idx\` | ${ruleTexts['add-index'].why} | ${ruleTexts['add-index'].safer} |

<details>
<summary>Diff (6 lines)</summary>

\`\`\`diff
--- a/app
+++ b/app
@@ -1,2 +1,2 @@
 CREATE TABLE public.t (
-    a text
+    b text
\`\`\`

</details>

<sub>Updated by [this run](https://github.com/o/r/actions/runs/42) (\`command: diff\`) for commit 0123456.</sub>`);
  });

  it('has no rule whose sentences would break the table', () => {
    expect(Object.values(ruleTexts).filter(({ why, safer }) => /[|\n]/.test(why + safer))).toEqual([]);
  });

  it('names the rules without links if the repository of the action is unknown', () => {
    expect(body(diffOf({ findings: [finding('drop-table', 'public.u')] }))).toContain('| drop-table | `public.u` |');
  });

  it.each<[RuleName[], string]>([
    [['drop-table'], '> [!CAUTION]\n> **1 destructive**\n'],
    [['grant', 'add-index'], '> [!CAUTION]\n> **1 exposing, 1 locking**\n'],
    [['add-index', 'add-index'], '> [!WARNING]\n> **2 locking**\n'],
    [['drop-index', 'drop-index'], '\n\n**2 notices**\n'],
    [[], '\n\nThe schema review has no findings.\n'],
  ])('sums up: %j', (found, line) => {
    expect(body(diffOf({ findings: found.map((rule) => finding(rule, 'x')) }))).toContain(line);
  });

  it('says that the findings fail the step', () => {
    const findings = [finding('add-index', 'public.i')];
    const failing = diffOf({ findings }, { failOn: ['destructive', 'locking'] });
    expect(body(failing)).toContain('> **1 locking**: the step fails (`fail_on: destructive, locking`)\n');
    expect(body(diffOf({ findings }, { failOn: ['destructive'] }))).toContain('> **1 locking**\n');
    expect(body(diffOf({ findings }, { failOn: [...levels] }))).toContain('(`fail_on: any`)');
  });

  it('lists ignored findings apart', () => {
    const shown = body(diffOf({ ignored: [finding('drop-table', 'public.old')] }));
    expect(shown).toContain('The schema review has no findings (1 ignored).');
    expect(shown).toContain('<summary>1 ignored finding (<code>ignore_rules</code>)</summary>');
    expect(shown).toContain('| drop-table | `public.old` |');
  });

  it('says what the review did not read if it found nothing', () => {
    const unread = { 'new trigger': 2, 'changed view': 1 };
    expect(body(diffOf({ unread }))).toContain(
      "The schema review has no findings. It doesn't cover 2 new triggers and 1 changed view; check them in the diff.\n",
    );
    expect(body(diffOf({ unread: { 'new trigger': 1 } }))).toContain(
      "It doesn't cover 1 new trigger; check it in the diff.\n",
    );
    expect(body(diffOf({ unread: { 'new trigger': 1, 'changed view': 1 } }))).toContain('; check them in the diff.\n');
    expect(body(diffOf({ unread, findings: [finding('drop-table', 'x')] }))).not.toContain('new trigger');
  });

  it('warns if the review is incomplete, even without a difference', () => {
    for (const more of [{}, { text: '' }]) {
      expect(body(diffOf({ incomplete: 'a <b> was not understood', ...more }))).toContain(
        '> [!WARNING]\n> The schema could not be fully reviewed: a &lt;b&gt; was not understood.\n',
      );
      expect(body(diffOf({ incomplete: 'x', ...more }))).not.toContain('no findings');
    }
  });

  it('lists a limited number of findings', () => {
    const shown = body(diffOf({ findings: Array.from({ length: 60 }, (_, i) => finding('drop-table', `t${i}`)) }));
    expect(shown.match(/\n\| drop-table \|/g)).toHaveLength(1);
    expect(shown).toContain('`t19`');
    expect(shown).not.toContain('`t20`');
    expect(shown).toContain('<br>and 40 more in the output `findings`</details> |');
  });

  it('says that nothing differs', () => {
    expect(body(diffOf({ text: '' }))).toMatch(
      /\n\nNo schema difference between `preview\/pr-7` and `main`\.\n\n<sub>/,
    );
  });

  it('names the point in the history of the base', () => {
    expect(body(diffOf({}, { basePoint: '2026-03-01T00:00:00Z' }))).toContain(
      'between `preview/pr-7` now and `main` as of 2026-03-01T00:00:00Z: **',
    );
  });

  it('has a section for each of all databases', () => {
    const databases = [
      { ...database, findings: [finding('drop-table', 'public.u')] },
      { ...database, database: 'same', text: '' },
      { ...database, database: 'new', text: '', isNew: true },
      { ...database, database: 'gone', text: '', isGone: true },
    ];
    const shown = body(diffOf({}, { all: true, databases }));
    expect(shown).toMatch(/^### Schemas of all databases in project `p-1`\n/);
    expect(shown).toContain(
      'Schema difference between `preview/pr-7` and `main` in 3 of 4 databases: **1 line added, 1 removed**.',
    );
    expect(shown.match(/\*\*1 destructive\*\*/g)).toHaveLength(1);
    expect(shown).toContain(
      '#### Database `app`\n\n1 line added, 1 removed; findings: 1 destructive.\n\n**Destructive**',
    );
    expect(shown).toContain('#### Database `same`\n\nNo schema difference.\n\n#### Database `new`');
    expect(shown).toContain('`new`\n\nNew: `main` has no such database, so there is nothing to compare.\n\n####');
    expect(shown).toContain('`gone`\n\nOnly in `main`, and not compared: the branch has no such database.\n\n<sub>');
    const none = body(diffOf({}, { all: true, databases: databases.slice(1, 2) }));
    expect(none).toContain('No schema difference between `preview/pr-7` and `main` in 1 database.\n\n<sub>');
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
      fc.property(hostile, hostile, hostile, fc.boolean(), (text, name, database, all) => {
        const lines = text.split('\n').map((line) => `+${line}`);
        const body = comment(
          {
            branch: { ...branch, name },
            diff: diffOf(
              {
                text: `@@ -0,0 +1,${lines.length} @@\n${lines.join('\n')}\n`,
                database,
                findings: [finding('drop-table', name, text), finding('drop-view', text, name)],
                ignored: [finding('drop-index', database, text)],
                incomplete: text,
              },
              { branchName: name, baseName: name, basePoint: name, all },
            ),
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
