import { describe, expect, it } from 'vitest';
import * as events from '../support/events.ts';
import { scenario, withScenario } from '../support/scenario.ts';

const scene = scenario();
let last = 400;
const fresh = () => ({ event: events.pullRequest({ number: ++last }) });

describe('bad input', () => {
  const never = async (inputs: Record<string, string>, event = events.pullRequest()) => {
    const run = await scene.fails({ event, inputs });
    expect(run.requests).toEqual([]);
    expect(run.outputs).toMatchObject({ skipped: 'false', created: 'false', deleted: 'false' });
    expect(run.env).toEqual({});
    return run;
  };

  it('is named all at once, in one message, before any request', async () => {
    const uri = 'postgresql://owner:hunter2secret@ep-1.host.example/neondb';
    const run = await never({
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
    const [head, ...faults] = run.message.split('\n');
    expect(head).toBe('10 inputs are not as they should be:');
    expect(faults.map((fault) => /^- ([\w ]+): got .+, takes .+$/.exec(fault)?.[1])).toEqual([
      'api_key',
      'project_id',
      'api_host',
      'command',
      'expires_in',
      'suspend_timeout',
      'ssl',
      'prisma',
      'timeout',
      'expires_at and expires_in',
    ]);
    expect(run.maskedLog()).not.toMatch(/hunter2secret|napi_first|napi_second/);
    expect(run.summary).not.toMatch(/hunter2secret|napi_first|napi_second/);
  });

  it('together: what excludes each other', async () => {
    const run = await never({
      expires_at: new Date(Date.now() + 86_400_000).toISOString(),
      expires_in: '2d',
      parent_lsn: '0/1',
      parent_timestamp: '2026-01-01T00:00:00Z',
      min_cu: '4',
      max_cu: '1',
    });
    expect(run.outputs.command).toBe('create');
    expect(run.message.split('\n').slice(1)).toEqual([
      '- expires_at and expires_in: got both, takes one of the two at most',
      '- parent_timestamp and parent_lsn: got both, takes one of the two at most',
      '- min_cu and max_cu: got 4 and 1, takes a min_cu that is not above max_cu',
    ]);
  });

  it.each([
    [
      { project_id: 'br-wispy-meadow-118737' },
      /project_id: got br-wispy-meadow-118737, a branch ID, takes the project's ID/,
    ],
    [{ project_id: '' }, /project_id: is empty/],
    [
      { branch_id: 'preview/pr-7' },
      /branch_id: got "preview\/pr-7", takes a branch's ID.*a name goes into branch_name/,
    ],
    [{ expires_in: '31d' }, /expires_in: got more than 30 days/],
    [{ expires_at: '2020-01-01T00:00:00Z' }, /which is past/],
    [{ masking_rules: '[{"password": "hunter2secret"' }, /masking_rules: got what is no JSON/],
    [
      { api_host: 'https://user:hunter2secret@api.example.com' },
      /api_host: got a URL with a user name or password \(not shown\)/,
    ],
    [{ branch_name: 'x'.repeat(257) }, /branch_name: got 257 characters/],
    [{ wait: 'maybe' }, /wait: got "maybe", takes true or false/],
  ])('%j', async (inputs, said) => {
    const run = await never(inputs);
    expect(run.message).toMatch(/^One input is not as it should be:\n- /);
    expect(run.message).toMatch(said);
    expect(run.message).not.toContain('hunter2secret');
  });

  it('of a stranger’s making cannot speak to the runner, nor to a reader of the summary', async () => {
    const value = 'x\n::add-mask::y\n##[add-mask]z <img src=x> @octocat';
    const run = await never({ if_exists: value, summary: 'true' });
    expect(run.masks.filter((mask) => ['y', 'z'].some((one) => mask.startsWith(one)))).toEqual([]);
    expect(run.summary).not.toContain('<img');
    const quiet = await never({ if_exists: value, summary: 'false' });
    expect(quiet.summary).toBe('');
  });
});

describe('a missing key', () => {
  const missing = { api_key: '' };
  const fork = events.pullRequest({ fork: 'someone/octo-repo' });
  const dependabot = events.pullRequest({ author: 'dependabot[bot]' });

  it.each([
    [
      'on a pull request from a fork',
      fork,
      /GitHub gives no secrets to pull requests from forks\..*`on_missing_key: skip`/,
    ],
    [
      'on one of Dependabot’s',
      dependabot,
      /GitHub gives Dependabot its own secrets only\..*Dependabot too.*`on_missing_key: skip`/,
    ],
    ['elsewhere', events.push(), /api_key: is empty, takes an API key of the service\. Is the secret named/],
  ])('%s is explained', async (_, event, said) => {
    const run = await scene.fails({ event, inputs: missing });
    expect(run.message).toMatch(said);
    expect(run.requests).toEqual([]);
  });

  it.each([
    [fork, 'create'],
    [dependabot, 'create'],
    [events.pullRequest({ fork: 'someone/octo-repo', action: 'closed' }), 'delete'],
  ])('ends the step well where that is asked for (%#)', async (event, command) => {
    const run = await scene.succeeds({
      event,
      inputs: { ...missing, on_missing_key: 'skip', export_env: 'true' },
      post: true,
    });
    expect(run.outputs).toEqual({ command, skipped: 'true', created: 'false', deleted: 'false' });
    expect(run.annotations.notice).toEqual([
      expect.stringMatching(/^There is no api_key, because GitHub gives .*; skipped/),
    ]);
    expect(run.summary).toContain('There is no api&#95;key'.replace('&#95;', '_'));
    expect(run.requests).toEqual([]);
    expect(run.env).toEqual({});
    expect(run.post).toMatchObject({ code: 0, stdout: '' });
  });

  it('writes no summary where none is wanted', async () => {
    const run = await scene.succeeds({ event: fork, inputs: { ...missing, on_missing_key: 'skip', summary: 'false' } });
    expect(run.summary).toBe('');
  });
});

describe('a refusal of the service', () => {
  it('of a key says what to look at, and shows no key', async () => {
    const run = await scene.fails({ ...fresh(), inputs: { api_key: 'napi_wrongwrongwrong' } });
    expect(run.message).toMatch(
      /^Could not create branch "preview\/pr-\d+": POST \/projects\/[\w-]+\/branches answered 401: supplied credentials do not pass authentication \[request id [\w-]+\]\. The service rejects the key\./,
    );
    expect(run.calls).toEqual(['POST /branches 401']);
  });

  it('of an unknown project names it', async () => {
    const run = await scene.fails({ ...fresh(), inputs: { project_id: 'no-such-project-1' } });
    expect(run.message).toMatch(/answered 404.*\[request id [\w-]+\]\. Is `project_id` right \(no-such-project-1\)/);
  });

  it.each([
    [
      {},
      { branchLimit: 1 },
      /BRANCHES_LIMIT_EXCEEDED: .*\. The project has no room for another branch\..*`command: prune`/,
    ],
    [
      { branch_type: 'schema-only' },
      { rootBranchLimit: 1 },
      /ROOT_BRANCHES_LIMIT_EXCEEDED: .*no room for another root branch/,
    ],
    [
      { min_cu: '8', max_cu: '8' },
      { plan: { maxCu: 2 } },
      /answered 412.*The project's plan does not allow this\..*`min_cu`, `max_cu`/,
    ],
  ])('for want of room or plan says what to do: %j', async (inputs, options, said) => {
    await withScenario(options, async (scene) => {
      const run = await scene.fails({ ...fresh(), inputs });
      expect(run.message).toMatch(said);
      expect(run.calls.filter((call) => call.startsWith('POST'))).toHaveLength(1);
      expect(run.outputs).toMatchObject({ created: 'false' });
      expect(run.outputs).not.toHaveProperty('branch_id');
    });
  });

  it('with a redirect to elsewhere is not followed', async () => {
    await withScenario({}, async (elsewhere) => {
      const fault = scene.service.faults.add({ redirect: `${elsewhere.service.baseUrl}/projects`, status: 307 });
      try {
        const run = await scene.fails(fresh());
        expect(run.message).toMatch(
          /answered 307, a redirect to another origin \("http:\/\/127\.0\.0\.1:\d+"\), which is not followed/,
        );
        expect(run.message).toContain('Is `api_host` the address of the API itself?');
        expect(elsewhere.service.requests).toEqual([]);
      } finally {
        fault.remove();
      }
    });
  });

  it('by a page says that something is in between', async () => {
    const fault = scene.service.faults.add({ html: 200 });
    try {
      const run = await scene.fails({ inputs: { command: 'get', branch_name: 'x' } });
      expect(run.message).toMatch(
        /answered 200 with a body that cannot be read.*Is `api_host` the base URL of the API\?/,
      );
    } finally {
      fault.remove();
    }
  });
});

describe('a service that is busy', () => {
  it.each([423, 429, 503])('(%i) is asked again, after as long as it says', async (status) => {
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
      expect(run.stdout).toMatch(
        new RegExp(`POST /projects/[\\w-]+/branches answered ${status}: busy; trying again in 1`),
      );
      expect(run.annotations).toMatchObject({ warning: [], error: [] });
    } finally {
      for (const fault of faults) fault.remove();
    }
  });

  it('for longer than the step has is not waited for', async () => {
    const fault = scene.service.faults.add({ method: 'POST', status: 503, headers: { 'retry-after': '3600' } });
    try {
      const run = await scene.fails(fresh());
      expect(run.message).toMatch(
        /answered 503: scripted 503; the next try would be in 1 h.*, after the time for the step is over/,
      );
      expect(run.durationMs).toBeLessThan(60_000);
    } finally {
      fault.remove();
    }
  });

  it('with its own operations is waited for', async () => {
    await withScenario({ operationMs: 300, lockProject: true }, async (scene) => {
      const [one, two] = await Promise.all([scene.play(fresh()), scene.play(fresh())]);
      expect([one.code, two.code]).toEqual([0, 0]);
      expect(scene.service.requests.some((request) => request.status === 423)).toBe(true);
    });
  });
});

it('what the service says cannot speak to the runner, nor live in the summary', async () => {
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

it('an event without a payload that can be read is a failure that says so', async () => {
  const run = await scene.fails({ env: { GITHUB_EVENT_PATH: '/nowhere/event.json' } });
  expect(run.message).toMatch(/^Could not read the event's payload at GITHUB_EVENT_PATH \(\/nowhere\/event\.json\)/);
  expect(run.outputs).toMatchObject({ created: 'false', deleted: 'false' });
});
