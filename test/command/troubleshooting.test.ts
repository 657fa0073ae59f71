import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type GitHubOptions, startGitHub } from '../../tools/github/index.ts';
import * as events from '../../tools/runner/events.ts';
import { runAction } from '../../tools/runner/runner.ts';
import { type Service, type ServiceOptions, startService } from '../../tools/service/index.ts';

/** Every message that the document quotes must be one that the action writes. */
const document = readFileSync(join(dirname(dirname(import.meta.dirname)), 'docs/troubleshooting.md'), 'utf8');
const quotes = [...document.matchAll(/^```text\n(.*?)^```/gms)].map(([, text = '']) => plain(text));

/** Without line breaks, and without what differs between runs. */
function plain(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\bbr-[a-z]+-[a-z]+-[a-z0-9]+/g, 'BRANCH')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UUID')
    .replaceAll(/127\.0\.0\.1:\d+|\bapi\.example\.com\b/g, 'HOST')
    .replaceAll(/\/projects\/[a-z]+-[a-z]+-\d+/g, '/projects/PROJECT')
    .trim();
}

interface Situation {
  /** Of the workflow's token. */
  permissions?: NonNullable<GitHubOptions['permissions']>;
  closed?: number;
  service?: ServiceOptions;
  before?: (service: Service) => unknown;
  inputs?: Record<string, string>;
  env?: Record<string, string>;
  event?: events.GitHubEvent;
}

const branch = (name: string, parent?: string) => (service: Service) =>
  service.addBranch({ name, ...(parent !== undefined && { parent }) });
const withChild = async (service: Service) => {
  await branch('preview/pr-7')(service);
  await branch('tests/1', 'preview/pr-7')(service);
};
const ofPull = (number: string) => ({ 'github-commit-repo': 'octo-org/octo-repo', 'github-pr-number': number });
const stale: Situation = {
  event: events.schedule(),
  inputs: { command: 'prune' },
  before: async (service) => {
    await service.addBranch({ name: 'preview/pr-8', annotations: ofPull('8') });
    await service.addBranch({ name: 'preview/x' });
  },
};

const situations: Record<string, Situation> = {
  'a fork': { inputs: { api_key: '' }, event: events.pullRequest({ fork: 'somebody/octo-repo' }) },
  Dependabot: { inputs: { api_key: '' }, event: events.pullRequest({ author: 'dependabot[bot]' }) },
  'no key': { inputs: { api_key: '' } },
  'a wrong key': { inputs: { api_key: 'wrong' } },
  'a wrong project': { inputs: { project_id: 'no-such-project' } },
  'no room': { service: { branchLimit: 1 } },
  'a shared branch': {
    event: events.pullRequest({ number: 8 }),
    inputs: { branch_name: 'staging' },
    before: (service) => service.addBranch({ name: 'staging', annotations: ofPull('7') }),
  },
  'no branch': { inputs: { command: 'get' } },
  'an old input': { env: { INPUT_BRANCH: 'ci/tests' } },
  'a misspelled input': { env: { INPUT_EXPIRE_IN: '14d' } },
  'nothing to delete by': { inputs: { command: 'delete' } },
  'no role': { service: { roles: ['app'] }, inputs: { role: 'nobody' } },
  'the default branch': { inputs: { command: 'delete', branch_name: 'main' } },
  'children, deleting': { before: withChild, inputs: { command: 'delete', branch_name: 'preview/pr-7' } },
  'children, resetting': { before: withChild, inputs: { command: 'reset' } },
  'another parent': {
    before: async (service) => {
      await branch('preview/pr-7')(service);
      await branch('dev')(service);
    },
    inputs: { parent_branch: 'dev' },
  },
  'no permission to read pull requests': { ...stale, permissions: { pullRequests: 'none' } },
  'no permission to read git branches': {
    ...stale,
    closed: 8,
    permissions: { contents: 'none' },
    inputs: { command: 'prune', branch_pattern: 'preview/*' },
  },
  'a pull request that cannot be read': {
    ...stale,
    closed: 9,
    before: async (service) => {
      await stale.before?.(service);
      await service.addBranch({ name: 'preview/pr-9', annotations: ofPull('9') });
    },
  },
  'no pull request that can be read': stale,
  'a wrong clock': {
    ...stale,
    inputs: { command: 'prune', older_than: '30d' },
    before: (service) =>
      service.faults.add({
        path: /branches$/,
        status: 200,
        headers: { date: 'Thu, 01 Jan 2099 00:00:00 GMT' },
        body: { branches: [], annotations: {}, pagination: {} },
      }),
  },
  'no permission to write comments': {
    before: (service) => service.addBranch({ name: 'preview/pr-8' }),
    permissions: { pullRequests: 'read' },
    inputs: { comment: 'true' },
    closed: 7,
  },
  'a timeout': { service: { operationMs: 30_000 }, inputs: { timeout: '5s' } },
  'a schema gate': {
    before: async (service) => {
      service.setSchema('main', 'CREATE TABLE public.users (id integer, legacy text);\n');
      await branch('preview/pr-7')(service);
      service.setSchema('preview/pr-7', 'CREATE TABLE public.users (id integer);\n');
    },
    inputs: { command: 'diff', fail_on: 'destructive' },
  },
  'an unreachable service': { inputs: { api_host: 'http://127.0.0.1:9', timeout: '5s' } },
  'a certificate': { service: { tls: true } },
};

/** The errors and warnings of a step. */
async function messages({
  service: options,
  permissions = {},
  closed,
  before,
  inputs,
  event,
  env,
}: Situation): Promise<string> {
  const service = await startService({ compute: 'none', ...options });
  const github = await startGitHub({ permissions });
  try {
    if (closed !== undefined) github.state.addPull({ number: closed, state: 'closed' });
    await before?.(service);
    const run = await runAction({
      event: event ?? events.pullRequest(),
      env: { ...github.env, ...env },
      inputs: { api_key: service.apiKey, project_id: service.projectId, api_host: service.baseUrl, ...inputs },
    });
    return plain([...run.annotations.error, ...run.annotations.warning].join('\n'));
  } finally {
    await Promise.all([service.stop(), github.close()]);
  }
}

describe('docs/troubleshooting.md', () => {
  const all: string[] = [];

  it.each(Object.entries(situations))('has the message for %s', async (_, situation) => {
    const text = await messages(situation);
    all.push(text);
    expect({ text, quoted: quotes.some((quote) => text.includes(quote)) }).toEqual({ text, quoted: true });
  });

  it('quotes no other messages', () => {
    expect(all).toHaveLength(Object.keys(situations).length);
    expect(quotes.filter((quote) => !all.some((text) => text.includes(quote)))).toEqual([]);
  });
});
