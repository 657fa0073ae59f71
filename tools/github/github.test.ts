import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getOctokit } from '@actions/github';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type GitHub, type GitHubOptions, startGitHub } from './index.ts';

const TOKEN = 'ghs_tokenOfThisRun';
const REPOSITORY = { owner: 'octo-org', repo: 'octo-repo' };

let github: GitHub;
async function start(options: GitHubOptions = {}): Promise<void> {
  await github?.close();
  github = await startGitHub(options);
}
beforeEach(() => start());
afterEach(() => github.close());

function octokit(token = TOKEN) {
  return getOctokit(token, { baseUrl: github.url });
}

function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  return fetch(`${github.url}/repos/octo-org/octo-repo${path}`, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, 'user-agent': 'test', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

interface Message {
  message: string;
}

async function errorOf(response: Response): Promise<[number, string]> {
  return [response.status, ((await response.json()) as Message).message];
}

describe("responses match GitHub's published description", () => {
  const description = JSON.parse(readFileSync(join(import.meta.dirname, 'openapi.json'), 'utf8')) as {
    paths: Record<string, Record<string, { responses: Record<string, unknown> }>>;
  };
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(withNull(description) as object, 'github');

  /** OpenAPI 3.0 has `nullable`, for which JSON Schema uses a type. */
  function withNull(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(withNull);
    if (typeof value !== 'object' || value === null) return value;
    const all = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withNull(one)]));
    const { nullable, ...rest } = all;
    return nullable === true && !('type' in rest) ? { anyOf: [rest, { type: 'null' }] } : all;
  }

  async function conforms(response: Response, method: string, path: string, status: number): Promise<void> {
    expect(response.status).toBe(status);
    expect(Object.keys(description.paths[path]?.[method]?.responses ?? {})).toContain(String(status));
    if (status === 204) return expect(await response.text()).toBe('');
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const pointer = ['paths', path, method, 'responses', String(status)]
      .map((part) => part.replaceAll('/', '~1'))
      .join('/');
    const described = JSON.stringify(description.paths[path]?.[method]?.responses[status]);
    const schema = described.includes('#/components/responses')
      ? { $ref: `github${JSON.parse(described).$ref}/content/application~1json/schema` }
      : { $ref: `github#/${pointer}/content/application~1json/schema` };
    const validate = ajv.compile(schema);
    validate(await response.json());
    expect(validate.errors ?? []).toEqual([]);
  }

  beforeEach(() => {
    github.state.addPull({ number: 7, author: { login: 'dependabot[bot]', type: 'Bot' } });
    github.state.addPull({ number: 8, state: 'merged', fork: 'someone/octo-repo', head: 'fix' });
    github.state.addComment({ issue: 7, body: 'first', user: { login: 'octocat', type: 'User' } });
    github.state.addComment({ issue: 7, body: 'second' });
  });

  const comments = '/repos/{owner}/{repo}/issues/{issue_number}/comments';
  const comment = '/repos/{owner}/{repo}/issues/comments/{comment_id}';
  it.each([
    ['get', '/issues/7/comments', comments, 200],
    ['get', '/issues/9/comments', comments, 404],
    ['post', '/issues/7/comments', comments, 201, { body: 'new' }],
    ['post', '/issues/7/comments', comments, 422, { body: 'x'.repeat(65_537) }],
    ['post', '/issues/7/comments', comments, 422, { body: ' ' }],
    ['post', '/issues/9/comments', comments, 404, { body: 'new' }],
    ['patch', '/issues/comments/1002', comment, 200, { body: 'changed' }],
    ['get', '/pulls', '/repos/{owner}/{repo}/pulls', 200],
    ['get', '/pulls?state=all', '/repos/{owner}/{repo}/pulls', 200],
    ['get', '/pulls/7', '/repos/{owner}/{repo}/pulls/{pull_number}', 200],
    ['get', '/pulls/8', '/repos/{owner}/{repo}/pulls/{pull_number}', 200],
    ['get', '/pulls/9', '/repos/{owner}/{repo}/pulls/{pull_number}', 404],
    ['get', '/branches', '/repos/{owner}/{repo}/branches', 200],
  ] as const)('%s %s', async (method, path, template, status, body?: unknown) => {
    await conforms(await call(method.toUpperCase(), path, body), method, template, status);
  });
});

describe('comments', () => {
  beforeEach(() => github.state.addPull({ number: 7 }));
  const target = { ...REPOSITORY, issue_number: 7 };

  it("are created and changed by the workflow's user, and listed in linked pages", async () => {
    const { paginate, rest } = octokit();
    const body = '<!-- mark -->\r\n@team `::set-output name=a::b` \u202e <script>';
    const { data } = await rest.issues.createComment({ ...target, body });
    expect(data).toMatchObject({ body, user: { login: 'github-actions[bot]', type: 'Bot' } });
    expect(data.html_url).toBe(`https://github.com/octo-org/octo-repo/pull/7#issuecomment-${data.id}`);
    await rest.issues.updateComment({ ...REPOSITORY, comment_id: data.id, body: 'new' });
    github.state.addComment({ issue: 7, body: 'other' });
    github.state.addPull({ number: 8 });
    github.state.addComment({ issue: 8, body: 'elsewhere' });
    const all = await paginate(rest.issues.listComments, { ...target, per_page: 1 });
    expect(all.map((one) => one.body)).toEqual(['new', 'other']);
  });
});

it.each([
  [{ pullRequests: 'read' }, 'POST', '/issues/7/comments', 'issues=write; pull_requests=write'],
  [{ pullRequests: 'none' }, 'GET', '/pulls', 'pull_requests=read'],
  [{ contents: 'none' }, 'GET', '/branches/main', 'contents=read'],
] as const)('with %j, it refuses %s %s', async (permissions, method, path, accepted) => {
  await start({ permissions });
  github.state.addPull({ number: 7 });
  const response = await call(method, path, method === 'POST' ? { body: 'x' } : undefined);
  expect(await errorOf(response)).toEqual([403, 'Resource not accessible by integration']);
  expect(response.headers.get('x-accepted-github-permissions')).toBe(accepted);
});

describe('pull requests', () => {
  beforeEach(() => {
    github.state.addPull({ number: 1, state: 'closed' });
    github.state.addPull({ number: 2, head: 'feature/a' });
    github.state.addPull({ number: 3, state: 'merged', fork: 'someone/octo-repo', head: 'feature/a' });
    github.state.addBranch('feature/a');
  });
  const numbers = async (parameters: string) => {
    const response = await call('GET', `/pulls?${parameters}`);
    return ((await response.json()) as { number: number }[]).map((pull) => pull.number);
  };

  it('are listed by state, head and direction', async () => {
    expect(await numbers('')).toEqual([2]);
    expect(await numbers('state=closed')).toEqual([3, 1]);
    expect(await numbers('state=all&direction=asc')).toEqual([1, 2, 3]);
    expect(await numbers('state=all&head=someone:feature/a')).toEqual([3]);
    expect(await numbers('state=all&head=octo-org:feature/a')).toEqual([2]);
  });

  it('are listed in the order of their last update, and are those of their own repository', async () => {
    github.state.addPull({ number: 4, updatedAt: '2020-01-01T00:00:00Z' });
    github.addRepository('octo-org/other').addPull({ number: 9 });
    expect(await numbers('state=all&sort=updated&direction=desc')).toEqual([3, 2, 1, 4]);
  });
});
