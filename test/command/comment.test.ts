import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeMarker } from '../../src/github/comment.ts';
import { type GitHub, type GitHubOptions, secondaryRateLimit, startGitHub } from '../../tools/github/index.ts';
import { pullRequest, push } from '../../tools/runner/events.ts';
import { startProxy } from '../support/proxy.ts';
import { rendered, seen } from '../support/rendered.ts';
import { scenario, withScenario } from '../support/scenario.ts';

const token = 'ghs_secretTokenOfThisRun';
const scene = scenario({ compute: 'none', databases: ['app'], operationMs: 5 });

let github: GitHub;
let number = 100;
async function startOver(options: GitHubOptions = {}): Promise<void> {
  await github?.close();
  github = await startGitHub({ token, ...options });
}
beforeEach(async () => {
  await startOver();
  github.state.addPull({ number: ++number });
});
afterEach(() => github.close());

const step = (inputs: Record<string, string> = {}, event = pullRequest({ number })) => ({
  event,
  inputs: { comment: 'true', ...inputs },
  env: github.env,
});
const diffStep = (inputs: Record<string, string>) => ({ ...step(inputs), action: 'diff' as const });
const bodies = () => github.state.comments.map((comment) => comment.body);
const markerOf = (branch: string) => writeMarker({ kind: 'branch', project: scene.service.projectId, branch });

describe('the comment on a pull request', () => {
  it('names the commit, unless the event does not say which one the pull request has', async () => {
    await scene.succeeds(step());
    expect(bodies()[0]).toMatch(/<sub>Updated by \[this run\]\(.*\) for commit [0-9a-f]{7}\.<\/sub>/);
    const { payload, env } = pullRequest({ number });
    const issue = { number, title: 'x', state: 'open', user: { login: 'octocat' }, pull_request: {} };
    const name = 'issue_comment';
    const event = {
      ...{ name, payload: { ...payload, pull_request: undefined, action: 'created', issue } },
      env: { ...env, GITHUB_EVENT_NAME: name },
    };
    await scene.succeeds(step({}, event));
    expect(bodies()).toEqual([expect.stringMatching(/<sub>Updated by \[this run\]\([^)]*\)\.<\/sub>/)]);
  });

  it('stays as it is if an old run keeps the branch', async () => {
    await scene.succeeds(step());
    const before = bodies();
    expect(before[0]).toMatch(/\| Last action \| created, /);
    const closed = step({}, pullRequest({ number, action: 'closed' }));
    const run = await scene.succeeds({
      ...closed,
      env: { ...closed.env, GITHUB_RUN_ID: '1', GITHUB_RUN_ATTEMPT: '2' },
    });
    expect(run.outputs.deleted).toBe('false');
    expect(bodies()).toEqual(before);
  });

  it('is one, kept up to date from create to delete', async () => {
    const created = await scene.succeeds(step({ expires_in: '14d' }));
    expect(created.outputs.comment_url).toBe(`https://github.com/octo-org/octo-repo/pull/${number}#issuecomment-1001`);
    expect(bodies()).toHaveLength(1);
    expect(bodies()[0]).toContain(`Database branch \`preview/pr-${number}\``);
    expect(bodies()[0]).toContain('| Parent | `br-');
    expect(bodies()[0]).toMatch(/\| Expires \| 20\d\d-\d\d-\d\d \d\d:\d\d UTC/);
    expect(bodies()[0]).toMatch(/\| Last action \| created, /);
    expect(created.summary).toContain('[on the pull request]');

    await scene.succeeds(step());
    expect(bodies()).toHaveLength(1);
    expect(bodies()[0]).toMatch(/\| Last action \| reused, /);

    await scene.succeeds(step({ command: 'reset' }));
    expect(bodies()).toHaveLength(1);
    expect(bodies()[0]).toMatch(/\| Last action \| reset, /);

    await scene.succeeds(step());
    expect(bodies()[0]).toMatch(/\| Last action \| reused, /);
    await scene.succeeds(step({ if_exists: 'reset' }));
    expect(bodies()).toHaveLength(1);
    expect(bodies()[0]).toMatch(/\| Last action \| reset, /);
    await scene.succeeds(step({ if_exists: 'reset', wait: 'false' }));
    expect(bodies()[0]).toMatch(/\| Last action \| reset, not ready yet, /);

    const deleted = await scene.succeeds(step({}, pullRequest({ number, action: 'closed' })));
    expect(bodies()).toHaveLength(1);
    expect(bodies()[0]).toMatch(/The branch \(`br-.*`\) was deleted\./);
    expect(deleted.outputs).toMatchObject({ deleted: 'true', comment_url: created.outputs.comment_url });

    await scene.succeeds(step({}, pullRequest({ number, action: 'closed' })));
    expect(bodies()).toHaveLength(1);
    expect(bodies()[0]).toContain('The branch no longer exists.');
  });

  it('says that the branch is being deleted if the step does not wait for it', async () => {
    await scene.succeeds(step());
    await scene.succeeds(step({ wait: 'false' }, pullRequest({ number, action: 'closed' })));
    expect(bodies()).toEqual([expect.stringMatching(/The branch \(`br-.*`\) is being deleted\./)]);
  });

  it('says as the summary does how many columns are masked', async () => {
    const place = { database_name: 'neondb', schema_name: 'public', table_name: 'users', column_name: 'email' };
    const rules = [{ ...place, masking_value: 'hidden' }];
    const run = await scene.succeeds(step({ masking_rules: JSON.stringify(rules) }));
    for (const text of [bodies()[0], run.summary]) {
      expect(text).toContain('<summary>1 column is masked</summary>\n\n- `neondb.public.users.email`');
    }
  });

  it('is separate for the branch and for each comparison', async () => {
    await scene.service.addBranch({ name: `preview/pr-${number}` });
    scene.service.setSchema(`preview/pr-${number}`, 'CREATE TABLE public.t (\n    a text\n);\n');
    const neondb = await scene.succeeds(diffStep({ database: 'neondb' }));
    const app = await scene.succeeds(diffStep({ database: 'app' }));
    await scene.service.addBranch({ name: 'web', parent: `preview/pr-${number}` });
    await scene.succeeds(diffStep({ database: 'app', branch_name: 'web', base_branch: 'main' }));
    await scene.service.addBranch({ name: 'old' });
    await scene.succeeds(diffStep({ database: 'app', base_branch: 'old' }));
    await scene.succeeds(step({ command: 'create' }));
    const again = await scene.succeeds(diffStep({ database: 'neondb' }));
    expect(bodies().map((body) => /### .*/.exec(body)?.[0])).toEqual([
      `### Schema of branch \`preview/pr-${number}\` in project \`${scene.service.projectId}\``,
      `### Schema of branch \`preview/pr-${number}\` in project \`${scene.service.projectId}\``,
      `### Schema of branch \`web\` in project \`${scene.service.projectId}\``,
      `### Schema of branch \`preview/pr-${number}\` in project \`${scene.service.projectId}\``,
      `### Database branch \`preview/pr-${number}\` in project \`${scene.service.projectId}\``,
    ]);
    expect(bodies()[0]).toContain('```diff\n');
    expect(again.outputs.comment_url).toBe(neondb.outputs.comment_url);
    expect(app.outputs.comment_url).not.toBe(neondb.outputs.comment_url);
  });

  it('shows no secret, whatever Markdown escapes in it', async () => {
    const key = 'napi-_abc|def`ghi*jkl-_mno';
    await withScenario({ apiKeys: [key], operationMs: 5 }, async (other) => {
      const run = await other.succeeds(step({ branch_name: `of ${key}` }));
      for (const markdown of [run.summary, ...bodies()]) expect(seen(rendered(markdown))).toContain('of ***');
      expect(bodies()).toHaveLength(1);
    });
  });

  it('is cut if it is too long, and links to the summary', async () => {
    await scene.service.addBranch({ name: `preview/pr-${number}` });
    const lines = Array.from(
      { length: 3_000 },
      (_, i) => `-- a line that is long enough to pass the limit, number ${i}`,
    );
    scene.service.setSchema(`preview/pr-${number}`, `${lines.join('\n')}\n`);
    const run = await scene.succeeds(diffStep({ database: 'neondb' }));
    const [body = ''] = bodies();
    expect(body.length).toBeLessThanOrEqual(65_536);
    expect(body.length).toBeGreaterThan(64_000);
    expect(body).toMatch(
      /number \d+\n```\n\n<\/details>\n\n_Truncated at GitHub's comment limit; the job summary has the full text\._\n*$/,
    );
    expect(run.summary).toContain('number 2999');
    expect(run.outputs.schema_diff).toContain('number 2999');
  });

  it('is found on all pages, by its marker and its author', async () => {
    const marker = markerOf(`preview/pr-${number}`);
    const stranger = { login: 'octocat', type: 'User' as const };
    github.state.addComment({ issue: number, body: `${marker}\n\nforged`, user: stranger });
    github.state.addComment({ issue: number, body: `> ${marker}\n\nquoted` });
    for (let i = 0; i < 205; i++) github.state.addComment({ issue: number, body: `comment ${i}`, user: stranger });
    const own = github.state.addComment({ issue: number, body: `${marker}\n\nold` });
    await scene.succeeds(step());
    expect(github.state.comments).toHaveLength(208);
    expect(own.body).toMatch(/created, /);
    expect(bodies().slice(0, 2)).toEqual([`${marker}\n\nforged`, `> ${marker}\n\nquoted`]);
    expect(github.requests.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET', 'PATCH']);
  });

  it('belongs to the owner of the token, or to a bot if that is an app', async () => {
    const marker = markerOf(`preview/pr-${number}`);
    github.state.addComment({ issue: number, body: marker, user: { login: 'octocat', type: 'User' } });
    const ours = github.state.addComment({ issue: number, body: marker });
    await scene.succeeds(step());
    expect(ours.body).toContain('created');
    await startOver({ token: 'ghp_ofSomebody' });
    github.state.addPull({ number });
    github.state.viewer = { login: 'robot-of-us', type: 'User' };
    github.state.addComment({ issue: number, body: marker, user: { login: 'github-actions[bot]', type: 'Bot' } });
    const own = github.state.addComment({ issue: number, body: marker, user: { login: 'Robot-of-us', type: 'User' } });
    await scene.succeeds(step({ github_token: 'ghp_ofSomebody' }));
    expect(own.body).toContain('reused');
    expect(bodies()).toHaveLength(2);
  });

  it('is written once: if the response is lost, a warning says so, and the next run finds it', async () => {
    github.fault({ method: 'POST', path: /comments$/, response: 'lost' });
    const run = await scene.succeeds(step());
    expect(run.annotations.warning.join()).toContain('The comment may not be up to date.');
    await scene.succeeds(step());
    expect(bodies()).toEqual([expect.stringContaining('reused')]);
  });

  it('waits for a secondary rate limit', async () => {
    github.fault({ method: 'POST', path: /comments$/, response: secondaryRateLimit({ retryAfter: '1', status: 429 }) });
    await scene.succeeds(step());
    expect(bodies()).toHaveLength(1);
  });

  it('does not hold a finished step for a rate limit of more than 20 seconds', async () => {
    github.fault({ method: 'POST', path: /comments$/, response: secondaryRateLimit({ retryAfter: '600' }), times: 9 });
    const run = await scene.succeeds(step());
    expect(run.outputs.created).toBe('true');
    expect(run.annotations.warning).toEqual([expect.stringContaining('GitHub is rate-limiting requests')]);
  });
});

it('is written through the proxy of the environment, except for hosts in NO_PROXY', async () => {
  const proxy = await startProxy();
  try {
    // Loopback is never reached through a proxy; this address leads there too.
    const env = Object.fromEntries(
      Object.entries(github.env).map(([name, value]) => [name, value.replace('127.0.0.1', '0.0.0.0')]),
    );
    const { host, hostname } = new URL(github.url.replace('127.0.0.1', '0.0.0.0'));
    const service = new URL(scene.service.origin).host;
    const proxies = { HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url };
    await scene.succeeds({ ...step(), env: { ...env, ...proxies, NO_PROXY: service } });
    expect(new Set(proxy.hosts)).toEqual(new Set([host]));
    const before = proxy.hosts.length;
    await scene.succeeds({ ...step(), env: { ...env, ...proxies, NO_PROXY: hostname } });
    expect(proxy.hosts).toHaveLength(before);
    expect(bodies()).toHaveLength(1);
  } finally {
    await proxy.close();
  }
});

describe('the comment on a branch of an ephemeral run', () => {
  const play = (inputs: Record<string, string> = {}) => ({ ...step({ ephemeral: 'true', ...inputs }), post: true });

  it('says after the job that the branch was deleted', async () => {
    let during: string[] = [];
    const run = await scene.succeeds({ ...play(), between: () => (during = bodies()) });
    expect(during).toEqual([expect.stringMatching(/\| Last action \| created, /)]);
    expect(scene.service.branch(`preview/pr-${number}`)).toBeUndefined();
    expect(bodies()).toEqual([expect.stringMatching(/The branch \(`br-.*`\) was deleted\.\n\n<sub>Updated by /)]);
    expect(bodies()[0]).not.toContain('Last action');
    expect(run.post?.annotations.warning).toEqual([]);
  });

  it('is left alone if the branch is kept, or if there is no comment', async () => {
    await scene.service.addBranch({ name: `preview/pr-${number}` });
    await scene.succeeds(play());
    expect(bodies()).toEqual([expect.stringMatching(/Last action \| reused, /)]);
    await scene.service.removeBranch(`preview/pr-${number}`);
    github.state.comments.length = 0;
    await scene.fails(play({ database: 'nothing' }));
    expect(scene.service.branch(`preview/pr-${number}`)).toBeUndefined();
    expect(bodies()).toEqual([]);
  });

  it('is a warning if it cannot be updated, and the branch is deleted', async () => {
    const between = () =>
      github.fault({ times: 99, method: 'PATCH', response: { status: 403, body: { message: 'no' } } });
    const run = await scene.succeeds({ ...play(), between });
    expect(run.post).toMatchObject({ code: 0, annotations: { error: [] } });
    expect(run.post?.annotations.warning).toEqual([expect.stringContaining('The comment may not be up to date.')]);
    expect(scene.service.branch(`preview/pr-${number}`)).toBeUndefined();
  });
});

describe('a comment that cannot be written', () => {
  it.each([
    ['no permission to write', { pullRequests: 'read' as const }],
    ['no permission at all', { pullRequests: 'none' as const }],
  ])('because of %s is a warning that names the permission', async (_, permissions) => {
    await startOver({ permissions });
    github.state.addPull({ number });
    const run = await scene.succeeds(step());
    expect(run.annotations.warning.join()).toContain('set `permissions: { pull-requests: write }` on the job');
    expect(run.outputs.comment_url).toBeUndefined();
    expect(run.outputs.created).toBe('true');
    expect(bodies()).toEqual([]);
  });

  it.each([
    ['without a token', { github_token: ' ' }, '`github_token` is empty'],
    ['with a token that is rejected', { github_token: 'ghs_expired' }, 'GitHub responded with 401'],
  ])('%s is a warning', async (_, inputs, message) => {
    const run = await scene.succeeds(step(inputs));
    expect(run.annotations.warning.join()).toContain(message);
  });

  it('because the conversation is locked is a warning that says so', async () => {
    github.state.addPull({ number, locked: true });
    const run = await scene.succeeds(step());
    expect(run.annotations.warning.join()).toMatch(/403, .*locked/);
  });

  it('while GitHub is down is a warning, and the branch is created', async () => {
    github.fault({ times: 99, response: { status: 503, body: 'Unicorn!' } });
    const run = await scene.succeeds(step({ timeout: '2m' }));
    expect(run.annotations.warning.join()).toMatch(/The comment may not be up to date\. Could not .*503/);
    expect(run.outputs.db_url).toBeDefined();
  });
});

describe('no comment', () => {
  it('is written if the event has no pull request', async () => {
    const run = await scene.succeeds(step({ branch_name: `pushed-${number}` }, push()));
    expect(run.maskedLog()).toContain('event "push" has no pull request');
    expect(github.requests).toEqual([]);
  });

  it('is written by `get`, or without `comment: true`', async () => {
    await scene.service.addBranch({ name: `preview/pr-${number}` });
    await scene.succeeds(step({ command: 'get', database: 'app' }));
    await scene.succeeds(step({ comment: 'false' }));
    expect(github.requests).toEqual([]);
  });

  it('is created for a branch that did not exist', async () => {
    await scene.succeeds(step({}, pullRequest({ number, action: 'closed' })));
    expect(github.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  });
});
