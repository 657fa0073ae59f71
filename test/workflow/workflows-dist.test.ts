import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { push } from '../../tools/runner/events.ts';
import { playWorkflow } from '../../tools/runner/workflow/play.ts';
import { serving } from '../support/serving.ts';
import { workflow } from '../support/workflow/own.ts';
import { type Script, scripts } from '../support/workflow/scripts.ts';

describe('dist.yml', () => {
  interface TriggeringRun {
    conclusion: string;
    event: string;
    head_branch: string;
    head_sha: string;
    id: number;
    actor: { login: string };
    head_repository: { full_name: string };
  }
  const dependabots: TriggeringRun = {
    conclusion: 'failure',
    event: 'pull_request',
    head_branch: 'dependabot/npm_and_yarn/pg-8.24.0',
    head_sha: 'a1',
    id: 17,
    actor: { login: 'dependabot[bot]' },
    head_repository: { full_name: 'octo-org/octo-repo' },
  };

  /** The scripts that run once the check of a pull request has ended. */
  async function scriptsAfter(run: Partial<TriggeringRun>): Promise<string[]> {
    const ran: string[] = [];
    const { env } = push();
    const payload = { action: 'completed', workflow_run: { ...dependabots, ...run } };
    await playWorkflow(workflow('dist'), {
      event: { name: 'workflow_run', payload, env: { ...env, GITHUB_EVENT_NAME: 'workflow_run' } },
      vars: {},
      secrets: {},
      inputs: {},
      script: (step) => {
        if (step.run !== undefined) ran.push(`${step.run} (${step.env.BRANCH})`);
        return undefined;
      },
    });
    return ran;
  }

  it("commits dist to Dependabot's branch", async () => {
    expect(await scriptsAfter({})).toEqual([
      'node tools/build/commit-dist.ts build/dist (dependabot/npm_and_yarn/pg-8.24.0)',
    ]);
  });

  it.each<[string, Partial<TriggeringRun>]>([
    ['a check that passed', { conclusion: 'success' }],
    ['a check of main', { event: 'push', head_branch: 'main' }],
    ['a pull request by someone else', { actor: { login: 'octocat' } }],
    ['a fork', { head_repository: { full_name: 'mallory/octo-repo' } }],
    ['another branch', { head_branch: 'main' }],
    ['an update of actions', { head_branch: 'dependabot/github_actions/actions-1a2b' }],
  ])('does nothing after %s', async (_, run) => {
    expect(await scriptsAfter(run)).toEqual([]);
  });
});

let temp = '';
beforeEach(() => {
  temp = mkdtempSync(join(tmpdir(), 'dist-'));
});
afterEach(() => rmSync(temp, { recursive: true, force: true }));

describe('tools/build/commit-dist.ts', () => {
  const before = [{ path: 'dist/index.js' }, { path: 'dist/75.index.js' }];

  async function commit(folder: string, errors?: object[]) {
    const requests: { url: string; body: string }[] = [];
    const respond: RequestListener = async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      requests.push({ url: request.url ?? '', body });
      response.end(JSON.stringify(request.url === '/graphql' ? { data: {}, ...(errors && { errors }) } : before));
    };
    return serving(respond, async (url) => {
      const done: Script[] = [];
      const env = {
        GITHUB_API_URL: url,
        GITHUB_REPOSITORY: 'o/r',
        GITHUB_TOKEN: 't',
        BRANCH: 'dependabot/x',
        HEAD: 'a1',
      };
      const step = {
        id: undefined,
        job: 'commit',
        name: '',
        uses: undefined,
        with: {},
        env: {},
        earlier: [],
        later: [],
        say: () => {},
      };
      await scripts({ env, done })({ ...step, run: `node tools/build/commit-dist.ts '${folder}'` }).catch(
        () => undefined,
      );
      return { requests, code: done[0]?.code, output: done[0]?.output ?? '' };
    });
  }

  it('commits the new files and deletes the old ones, only on top of the commit that was checked', async () => {
    writeFileSync(join(temp, 'index.js'), 'new');
    writeFileSync(join(temp, '80.index.js'), 'chunk');
    const { requests, code, output } = await commit(temp);
    expect({ code, output }).toEqual({ code: 0, output: 'Committed 2 files to dependabot/x\n' });
    expect(requests[0]?.url).toBe('/repos/o/r/contents/dist?ref=a1');
    const { input } = (JSON.parse(requests[1]?.body ?? '{}') as { variables: { input: object } }).variables;
    expect(input).toMatchObject({
      branch: { repositoryNameWithOwner: 'o/r', branchName: 'dependabot/x' },
      expectedHeadOid: 'a1',
      message: { body: '[dependabot skip]' },
      fileChanges: {
        additions: [
          { path: 'dist/80.index.js', contents: Buffer.from('chunk').toString('base64') },
          { path: 'dist/index.js', contents: Buffer.from('new').toString('base64') },
        ],
        deletions: [{ path: 'dist/75.index.js' }],
      },
    });
  });

  it.each<[string, (folder: string) => void]>([
    ['a folder', (folder) => mkdirSync(join(folder, 'more'))],
    ['a link', (folder) => symlinkSync('/etc/passwd', join(folder, 'passwd'))],
    ['an odd name', (folder) => writeFileSync(join(folder, '.gitattributes'), '')],
  ])('refuses %s, and sends nothing', async (_, add) => {
    writeFileSync(join(temp, 'index.js'), '');
    add(temp);
    const { requests, code, output } = await commit(temp);
    expect({ code, requests }).toEqual({ code: 1, requests: [] });
    expect(output).toContain('not a plain file');
  });

  it('fails if the branch has moved', async () => {
    writeFileSync(join(temp, 'index.js'), '');
    const { code, output } = await commit(temp, [{ message: 'Expected branch to point to "a1"' }]);
    expect({ code, output }).toEqual({ code: 1, output: 'Expected branch to point to "a1"\n' });
  });
});
