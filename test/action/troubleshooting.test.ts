import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Service, type ServiceOptions, startService } from '../service/index.ts';
import * as events from '../support/events.ts';
import { type GitHubOptions, startGitHub } from '../support/github.ts';
import { runAction } from '../support/runner.ts';

/** Every text that the document quotes has to be one that the action really says. */
const document = readFileSync(join(dirname(dirname(import.meta.dirname)), 'docs/troubleshooting.md'), 'utf8');
const quotes = [...document.matchAll(/^```text\n(.*?)^```/gms)].map(([, text = '']) => plain(text));

/** Without line breaks, and without what differs from run to run. */
function plain(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\bbr-[a-z]+-[a-z]+-[a-z0-9]+/g, 'BRANCH')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UUID')
    .replaceAll(/\/projects\/[a-z]+-[a-z]+-\d+/g, '/projects/PROJECT')
    .trim();
}

interface Situation {
  /** what a workflow's token may do */
  permissions?: NonNullable<GitHubOptions['permissions']>;
  closed?: number;
  service?: ServiceOptions;
  before?: (service: Service) => unknown;
  inputs?: Record<string, string>;
  event?: events.GitHubEvent;
}

const branch = (name: string, parent?: string) => (service: Service) =>
  service.addBranch({ name, ...(parent !== undefined && { parent }) });
const withChild = async (service: Service) => {
  await branch('preview/pr-7')(service);
  await branch('tests/1', 'preview/pr-7')(service);
};
const refuse = (status: number) => (service: Service) =>
  service.faults.add({ method: 'POST', status, body: { request_id: '', code: '', message: 'no' } });

const leftBehind: Situation = {
  event: events.schedule(),
  inputs: { command: 'prune' },
  before: async (service) => {
    const repository = { 'github-commit-repo': 'octo-org/octo-repo' };
    await service.addBranch({ name: 'preview/pr-8', annotations: { ...repository, 'github-pr-number': '8' } });
    await service.addBranch({ name: 'preview/x' });
  },
};

const situations: Record<string, Situation> = {
  'a fork': { inputs: { api_key: '' }, event: events.pullRequest({ fork: 'somebody/octo-repo' }) },
  Dependabot: { inputs: { api_key: '' }, event: events.pullRequest({ author: 'dependabot[bot]' }) },
  'no key': { inputs: { api_key: '' } },
  'a wrong key': { inputs: { api_key: 'wrong' } },
  'no rights': { before: refuse(403) },
  'a wrong project': { inputs: { project_id: 'no-such-project' } },
  'no room': { service: { branchLimit: 1 } },
  'a small plan': { service: { plan: { suspendTimeout: false } }, inputs: { suspend_timeout: '60' } },
  'a busy project': { before: refuse(423), inputs: { timeout: '1s' } },
  'too many requests': { before: refuse(429), inputs: { timeout: '1s' } },
  trouble: { before: refuse(503), inputs: { timeout: '1s' } },
  'faults of inputs': { inputs: { api_host: 'http://example.com', command: 'creat', expires_in: '2 weeks' } },
  'a schedule': { event: events.schedule() },
  'no branch': { inputs: { command: 'get' } },
  'no role': { service: { roles: ['app'] }, inputs: { role: 'nobody' } },
  'the default branch': { inputs: { command: 'delete', branch_name: 'main' } },
  'children, deleting': { before: withChild, inputs: { command: 'delete' } },
  'children, resetting': { before: withChild, inputs: { command: 'reset' } },
  'a name that is taken': { before: branch('preview/pr-7'), inputs: { if_exists: 'fail' } },
  'another parent': {
    before: async (service) => {
      await branch('preview/pr-7')(service);
      await branch('dev')(service);
    },
    inputs: { parent_branch: 'dev' },
  },
  'no endpoint': {
    before: (service) => service.addBranch({ name: 'preview/pr-7', endpoint: false }),
    inputs: { command: 'get' },
  },
  'no right to read pull requests': { ...leftBehind, permissions: { pullRequests: 'none' } },
  'no right to read git branches': {
    ...leftBehind,
    permissions: { contents: 'none' },
    inputs: { command: 'prune', branch_pattern: 'preview/*' },
  },
  'a pull request that cannot be read': leftBehind,
  'a branch that stays': {
    ...leftBehind,
    closed: 8,
    before: async (service) => {
      await leftBehind.before?.(service);
      service.faults.add({ method: 'DELETE', status: 409, body: { request_id: '', code: '', message: 'no' } });
    },
  },
  'no right to write comments': {
    before: (service) => service.addBranch({ name: 'preview/pr-8' }),
    permissions: { pullRequests: 'read' },
    inputs: { comment: 'true' },
    closed: 7,
  },
  'no time': { service: { operationMs: 30_000 }, inputs: { timeout: '2s' } },
  'a failed operation': {
    before: (service) =>
      service.faults.operation({ action: 'start_compute', outcome: 'error', message: 'no capacity' }),
  },
  'no service': { inputs: { api_host: 'http://127.0.0.1:9', timeout: '1s' } },
  'a certificate': { service: { tls: true } },
  'a redirect': { before: (service) => service.faults.add({ redirect: 'https://login.example.com/' }) },
  'a page': { before: (service) => service.faults.add({ html: 200 }) },
};

/** What the step says in annotations. */
async function said({ service: options, permissions = {}, closed, before, inputs, event }: Situation): Promise<string> {
  const service = await startService({ compute: 'none', ...options });
  const github = await startGitHub({ permissions });
  try {
    if (closed !== undefined) github.state.addPull({ number: closed, state: 'closed' });
    await before?.(service);
    const run = await runAction({
      event: event ?? events.pullRequest(),
      env: { ...github.env },
      inputs: { api_key: service.apiKey, project_id: service.projectId, api_host: service.baseUrl, ...inputs },
    });
    return plain([...run.annotations.error, ...run.annotations.warning].join('\n'));
  } finally {
    await Promise.all([service.stop(), github.close()]);
  }
}

describe('docs/troubleshooting.md', () => {
  const heard: string[] = [];

  it.each(Object.entries(situations))('has the text for %s', async (_, situation) => {
    const text = await said(situation);
    heard.push(text);
    expect({ text, quoted: quotes.some((quote) => text.includes(quote)) }).toEqual({ text, quoted: true });
  });

  it('quotes nothing that is never said', () => {
    expect(heard).toHaveLength(Object.keys(situations).length);
    expect(quotes.filter((quote) => !heard.some((text) => text.includes(quote)))).toEqual([]);
  });
});
