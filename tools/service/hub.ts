import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGitHub } from '../github/index.ts';
import { pullRequest } from '../runner/events.ts';
import type { Service } from './index.ts';

const TOKEN = 'ghs_tokenForTheStandIn';

/** A stand-in for GitHub's API with an open pull request, for steps that are run by hand. */
export async function startHub(): Promise<{ help: (service: Service) => string; stop: () => Promise<void> }> {
  const github = await startGitHub({ token: TOKEN });
  const { payload, env } = pullRequest({ number: 7 });
  const { pull_request: pull } = payload as { pull_request: { title: string; head: { ref: string } } };
  github.state.addPull({ number: 7, title: pull.title, head: pull.head.ref });
  github.state.addBranch(pull.head.ref);
  const folder = mkdtempSync(join(tmpdir(), 'event-'));
  const event = join(folder, 'event.json');
  writeFileSync(event, JSON.stringify(payload));
  const variables = Object.entries({ ...env, ...github.env, GITHUB_EVENT_PATH: event });
  const repository = `${github.url}/repos/${github.state.fullName}`;
  return {
    help: ({ baseUrl, projectId, apiKey }) => `
The stand-in for GitHub's API has pull request #7 of ${github.state.fullName} at ${github.url}.
Run the action for it, with a comment:

  export ${variables.map(([name, value]) => `${name}='${value}'`).join(' ')} INPUT_GITHUB_TOKEN=${TOKEN}
  INPUT_API_HOST=${baseUrl} INPUT_PROJECT_ID=${projectId} INPUT_API_KEY=${apiKey} INPUT_COMMENT=true \\
    GITHUB_OUTPUT=/dev/stdout GITHUB_STEP_SUMMARY=/dev/null node_modules/.bin/node dist/index.js

Read the comments, or close the pull request so that INPUT_COMMAND=prune deletes its branch:

  curl -s -H 'Authorization: Bearer ${TOKEN}' ${repository}/issues/7/comments
  curl -s -H 'Authorization: Bearer ${TOKEN}' -X PATCH -d '{"state": "closed"}' ${repository}/pulls/7
`,
    stop: async () => {
      rmSync(folder, { recursive: true, force: true });
      await github.close();
    },
  };
}
