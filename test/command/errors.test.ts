import { describe, expect, it } from 'vitest';
import * as events from '../../tools/runner/events.ts';
import { held, releasing } from '../support/held.ts';
import { scenario, withScenario } from '../support/scenario.ts';

const scene = scenario();
let last = 400;
const fresh = () => ({ event: events.pullRequest({ number: ++last }) });

describe('invalid inputs', () => {
  const failsAtOnce = async (inputs: Record<string, string>, event = events.pullRequest()) => {
    const run = await scene.fails({ event, inputs });
    expect(run.requests).toEqual([]);
    expect(run.outputs).toMatchObject({ skipped: 'false', created: 'false', deleted: 'false' });
    expect(run.env).toEqual({});
    return run;
  };

  it('are all reported in one message before the first request', async () => {
    const uri = 'postgresql://owner:hunter2secret@ep-1.host.example/neondb';
    const run = await failsAtOnce({
      command: 'destroy',
      project_id: uri,
      api_host: 'http://api.example.com',
      api_key: 'napi_first\nnapi_second',
      expires_at: new Date(Date.now() + 86_400_000).toISOString(),
      expires_in: '2 weeks',
      suspend_timeout: 'soon',
      ssl: 'disable',
      timeout: '10',
      prisma: 'yes',
    });
    const [head, ...lines] = run.message.split('\n');
    expect(head).toBe('9 invalid inputs:');
    expect(lines.map((line) => /^- (\w+): .+ is invalid; expected .+$/.exec(line)?.[1])).toEqual([
      'api_key',
      'api_host',
      'timeout',
      'project_id',
      'command',
      'expires_in',
      'suspend_timeout',
      'ssl',
      'prisma',
    ]);
    expect(run.maskedLog()).not.toMatch(/hunter2secret|napi_first|napi_second/);
    expect(run.summary).not.toMatch(/hunter2secret|napi_first|napi_second/);
  });

  it('are reported in combination', async () => {
    const run = await failsAtOnce({
      expires_at: new Date(Date.now() + 86_400_000).toISOString(),
      expires_in: '2d',
      min_cu: '4',
      max_cu: '1',
    });
    expect(run.message.split('\n').slice(1)).toEqual([
      '- expires_at and expires_in are mutually exclusive',
      '- min_cu (4) must not be greater than max_cu (1)',
    ]);
  });

  it.each([
    [
      { project_id: 'br-wispy-meadow-118737' },
      /project_id: "br-wispy-meadow-118737" is invalid; expected the project's ID/,
    ],
    [{ project_id: '' }, /project_id is required/],
    [
      { branch_id: 'preview/pr-7' },
      /branch_id: "preview\/pr-7" is invalid; expected a branch ID.*for a name, set branch_name/,
    ],
    [{ expires_in: '31d' }, /expires_in: "31d" is invalid; expected a duration such as 90m, 12h or 14d, at most 30d/],
    [{ expires_at: '2020-01-01T00:00:00Z' }, /expires_at \(2020-01-01T00:00:00Z\) must be in the future/],
    [
      { masking_rules: '[{"password": "hunter2secret"' },
      /masking_rules: the value \(not shown\) is invalid; expected valid JSON/,
    ],
    [
      { api_host: 'https://user:hunter2secret@api.example.com' },
      /api_host: a URL with more than a host and a path \(not shown\) is invalid/,
    ],
    [{ branch_name: 'x'.repeat(257) }, /branch_name: "x+…" is invalid; expected a name of at most 256 characters/],
    [{ wait: 'maybe' }, /wait: "maybe" is invalid; expected true or false/],
  ])('are explained: %j', async (inputs, said) => {
    const run = await failsAtOnce(inputs);
    expect(run.message).toMatch(/^Invalid input:\n- /);
    expect(run.message).toMatch(said);
    expect(run.message).not.toContain('hunter2secret');
  });

  it.each([
    ['reset', { INPUT_BRANCH: 'ci/tests', INPUT_PARENT: 'true' }, ['branch', 'parent']],
    ['delete', { INPUT_BRANCH: 'ci/tests' }, ['branch']],
    ['create', { INPUT_EXPIRE_IN: '14d' }, ['expire_in']],
  ])('include names that this action does not have (%s)', async (command, env, names) => {
    const action = command === 'delete' ? 'closed' : 'opened';
    const run = await scene.fails({ event: events.pullRequest({ action }), inputs: { command }, env });
    const [, said = ''] = run.message.split('\n');
    expect(/^- ([\w, -]+) (?:is not an input|are not inputs) of this action; /.exec(said)?.[1]?.split(', ')).toEqual(
      names,
    );
    expect(run.requests).toEqual([]);
  });

  it('never show a key in the place of the project', async () => {
    const key = 'napi_0a1b2c3d4e5f6g7h8i9j0a1b2c3d4e5f6g7h8i9j';
    const run = await failsAtOnce({ api_key: scene.service.projectId, project_id: key, summary: 'true' });
    expect(run.message).toMatch(/project_id: a value that looks like a key .* is invalid; expected the project's ID/);
    for (const text of [run.stdout, run.summary]) expect(text).not.toContain(key);
  });

  it('become no masks because of a URI in them', async () => {
    const run = await failsAtOnce({ project_id: 'postgresql://u:p@h/db', branch_name: 'x', database: 'a://b:word@c' });
    expect(run.masks.filter((mask) => ['p', 'word'].includes(mask) || mask.includes('://'))).toEqual([]);
    expect(run.message).toContain(
      'project_id: a value that looks like a key or a connection URI (not shown) is invalid',
    );
  });

  it('are inert in the log and in the summary', async () => {
    const value = 'x\n::add-mask::y\n##[add-mask]z <img src=x> @octocat';
    const run = await failsAtOnce({ if_exists: value, summary: 'true' });
    expect(run.masks.filter((mask) => ['y', 'z'].some((one) => mask.startsWith(one)))).toEqual([]);
    expect(run.summary).not.toContain('<img');
    const quiet = await failsAtOnce({ if_exists: value, summary: 'false' });
    expect(quiet.summary).toBe('');
  });
});

describe('a missing api_key', () => {
  const missing = { api_key: '' };
  const fork = events.pullRequest({ fork: 'someone/octo-repo' });
  const dependabot = events.pullRequest({ author: 'dependabot[bot]' });

  it.each([
    [
      'on a pull request from a fork',
      fork,
      /GitHub doesn't pass secrets to pull requests from forks\..*`on_missing_key: skip`/,
    ],
    [
      'on a pull request of Dependabot',
      dependabot,
      /Dependabot runs only get Dependabot secrets .*`on_missing_key: skip`/,
    ],
    ['otherwise', events.push(), /api_key is required, but it is empty\. Check the name of the secret/],
  ])('is explained %s', async (_, event, said) => {
    const run = await scene.fails({ event, inputs: missing });
    expect(run.message).toMatch(said);
    expect(run.requests).toEqual([]);
  });

  it('is a likely mistake where secrets are there', async () => {
    const run = await scene.succeeds({ inputs: { ...missing, on_missing_key: 'skip' } });
    expect(run.annotations.notice).toEqual([
      'Skipped: api_key is empty (`on_missing_key: skip`). Check the name of the secret, and that this repository, environment or reusable workflow has access to it',
    ]);
  });

  it.each([
    [fork, "GitHub doesn't pass secrets to pull requests from forks"],
    [dependabot, 'Dependabot runs only get Dependabot secrets (Settings > Secrets and variables)'],
    [
      events.pullRequest({ fork: 'someone/octo-repo', action: 'closed' }),
      "GitHub doesn't pass secrets to pull requests from forks",
    ],
  ])('skips the step with `on_missing_key: skip` (%#)', async (event, why) => {
    const run = await scene.succeeds({
      event,
      inputs: { ...missing, on_missing_key: 'skip', export_env: 'true' },
      post: true,
    });
    expect(run.outputs).toEqual({ command: 'auto', skipped: 'true', created: 'false', deleted: 'false' });
    expect(run.annotations.notice).toEqual([`Skipped: api_key is empty (\`on_missing_key: skip\`). ${why}`]);
    expect(run.summary).toContain('Skipped: api_key is empty');
    expect(run.requests).toEqual([]);
    expect(run.env).toEqual({});
    expect(run.post).toMatchObject({ code: 0, stdout: '' });
  });

  it('writes no summary with `summary: false`', async () => {
    const run = await scene.succeeds({ event: fork, inputs: { ...missing, on_missing_key: 'skip', summary: 'false' } });
    expect(run.summary).toBe('');
  });
});

describe('an error of the service', () => {
  it('about the key says what to check, and shows no key', async () => {
    const run = await scene.fails({ ...fresh(), inputs: { api_key: 'napi_wrongwrongwrong' } });
    expect(run.message).toMatch(
      /^Could not create branch "preview\/pr-\d+": 401, supplied credentials do not pass authentication \(request id [\w-]+\)\. Check that `api_key`/,
    );
    expect(run.calls).toEqual(['POST /branches 401']);
  });

  it('about an unknown project names it', async () => {
    const run = await scene.fails({ ...fresh(), inputs: { project_id: 'no-such-project-1' } });
    expect(run.message).toMatch(
      /: 404, .*\(request id [\w-]+\)\. Check that `project_id` is the project's ID, not its name, that `api_host` is correct/,
    );
  });

  it.each([
    [{}, { branchLimit: 1 }, /422 BRANCHES_LIMIT_EXCEEDED, .*\. .*branch.*`expires_in`/],
    [{ branch_type: 'schema-only' }, { rootBranchLimit: 1 }, /ROOT_BRANCHES_LIMIT_EXCEEDED, .*root branches/],
    [
      { min_cu: '8', max_cu: '8' },
      { plan: { maxCu: 2 } },
      /: 412.*The plan may not allow this: change or remove the compute settings, or upgrade the plan\.$/,
    ],
  ])('about a limit or plan says what to do: %j', async (inputs, options, said) => {
    await withScenario(options, async (scene) => {
      const run = await scene.fails({ ...fresh(), inputs });
      expect(run.message).toMatch(said);
      expect(run.calls.filter((call) => call.startsWith('POST'))).toHaveLength(1);
      expect(run.outputs).toMatchObject({ created: 'false' });
      expect(run.outputs).not.toHaveProperty('branch_id');
    });
  });

  it('that is a redirect is not followed', async () => {
    await withScenario({}, async (elsewhere) => {
      const fault = scene.service.faults.add({ redirect: `${elsewhere.service.baseUrl}/projects`, status: 307 });
      try {
        const run = await scene.fails(fresh());
        expect(run.message).toMatch(
          /: 307, a redirect to "http:\/\/127\.0\.0\.1:\d+\/api\/v2\/projects", which is not followed/,
        );
        expect(run.message).toContain('`api_host`');
        expect(elsewhere.service.requests).toEqual([]);
      } finally {
        fault.remove();
      }
    });
  });

  it('with an HTML page says what to check', async () => {
    const fault = scene.service.faults.add({ html: 200 });
    try {
      const run = await scene.fails({ inputs: { command: 'get', branch_name: 'x' } });
      expect(run.message).toMatch(/: 200 with an unexpected body.*Check that `api_host`/);
    } finally {
      fault.remove();
    }
  });
});

describe('a busy service', () => {
  it.each([423, 429, 503])('(%i) gets a retry after the delay that it asks for', async (status) => {
    const faults = [
      scene.service.faults.add({
        method: 'POST',
        times: 1,
        status,
        headers: { 'retry-after': '1' },
        body: { message: 'busy', code: '' },
      }),
      scene.service.faults.add({
        method: 'POST',
        times: 1,
        status,
        headers: { 'retry-after': new Date(Date.now() + 2_000).toUTCString() },
        body: { message: 'busy', code: '' },
      }),
    ];
    try {
      const run = await scene.succeeds(fresh());
      const posts = run.requests.filter((request) => request.method === 'POST');
      expect(posts.map((request) => request.status)).toEqual([status, status, 201]);
      expect((posts[1]?.at ?? 0) - (posts[0]?.at ?? 0)).toBeGreaterThanOrEqual(990);
      expect(run.outputs.created).toBe('true');
      expect(run.stdout).toMatch(new RegExp(`POST /projects/[\\w-]+/branches: ${status}, busy; retrying in 1`));
      expect(run.annotations).toMatchObject({ warning: [], error: [] });
    } finally {
      for (const fault of faults) fault.remove();
    }
  });

  it('is not waited for longer than the step may take', async () => {
    const fault = scene.service.faults.add({ method: 'POST', status: 503, headers: { 'retry-after': '3600' } });
    try {
      const run = await scene.fails(fresh());
      expect(run.message).toMatch(/: 503, scripted 503.*; gave up: the next attempt would exceed `timeout`/);
    } finally {
      fault.remove();
    }
  });

  it('is waited for while its own operations run', async () => {
    await withScenario({ operationMs: { start_compute: held }, lockProject: true }, async (scene) => {
      const both = () => Promise.all([scene.play(fresh()), scene.play(fresh())]);
      const [one, two] = await releasing(scene.service, 2, both, ({ status }) => status === 423);
      expect([one.code, two.code]).toEqual([0, 0]);
    });
  });
});

it('a message of the service is inert in the log and in the summary', async () => {
  const message =
    'no\n::add-mask::main\n::set-output name=branch_id::evil\r\n##[error]x <script>alert(1)</script> @octocat [x](https://evil.test) |';
  const fault = scene.service.faults.add({
    method: 'POST',
    status: 400,
    body: { message, code: '::warning::', request_id: '::error::x' },
  });
  try {
    const run = await scene.fails(fresh());
    expect(run.masks).not.toContain('main');
    expect(run.outputs).not.toHaveProperty('branch_id');
    expect(run.annotations.warning).toEqual([]);
    expect(run.summary).not.toMatch(/<script|\]\(https|[^\w]@octocat/);
  } finally {
    fault.remove();
  }
});

it('an unreadable event payload fails the step', async () => {
  const run = await scene.fails({ env: { GITHUB_EVENT_PATH: '/' } });
  expect(run.message).toMatch(/^Could not read the event payload from \/ \(GITHUB_EVENT_PATH\)/);
  expect(run.outputs).toMatchObject({ created: 'false', deleted: 'false' });
});
