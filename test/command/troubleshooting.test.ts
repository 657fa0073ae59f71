import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type GitHubOptions, startGitHub } from '../../tools/github/index.ts';
import * as events from '../../tools/runner/events.ts';
import { runAction } from '../../tools/runner/runner.ts';
import { type Service, type ServiceOptions, startService } from '../../tools/service/index.ts';

/** Every message that a heading of the document quotes must be one that the action writes. */
const document = readFileSync(join(dirname(dirname(import.meta.dirname)), 'docs/troubleshooting.md'), 'utf8');
const [, errors = ''] = document.split(/^## /m);
const quotes = [...errors.matchAll(/^### `(.*)`$/gm)].map(([, text = '']) => text);

interface Situation {
  action?: 'prune';
  /** Of the workflow's token. */
  permissions?: NonNullable<GitHubOptions['permissions']>;
  closed?: number;
  service?: ServiceOptions;
  before?: (service: Service) => unknown;
  inputs?: Record<string, string>;
  env?: Record<string, string>;
  event?: events.GitHubEvent;
}

const situations: Record<string, Situation> = {
  'a fork': { inputs: { api_key: '' }, event: events.pullRequest({ fork: 'somebody/octo-repo' }) },
  Dependabot: { inputs: { api_key: '' }, event: events.pullRequest({ author: 'dependabot[bot]' }) },
  'no key': { inputs: { api_key: '' } },
  'no branch': { inputs: { command: 'get' } },
  'an old input': { env: { INPUT_BRANCH: 'ci/tests' } },
  'a misspelled input': { env: { INPUT_EXPIRE_IN: '14d' } },
  'nothing to delete by': { inputs: { command: 'delete' } },
  'no role': { service: { roles: ['app'] }, inputs: { role: 'nobody' } },
  'no permission to write comments': {
    before: (service) => service.addBranch({ name: 'preview/pr-8' }),
    permissions: { pullRequests: 'read' },
    inputs: { comment: 'true' },
    closed: 7,
  },
  'a timeout': { service: { operationMs: 600_000 }, inputs: { timeout: '10s' } },
};

/** The errors and warnings of a step. */
async function messages({
  action,
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
      ...(action && { action }),
      event: event ?? events.pullRequest(),
      env: { ...github.env, ...env },
      inputs: { api_key: service.apiKey, project_id: service.projectId, api_host: service.baseUrl, ...inputs },
    });
    return [...run.annotations.error, ...run.annotations.warning].join('\n');
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
