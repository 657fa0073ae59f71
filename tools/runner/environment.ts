import { dirname, join } from 'node:path';
import type { GitHubEvent } from './events.ts';
import { REPOSITORY } from './repository.ts';

/** The folders and files of one job on a runner. */
export interface JobFolders {
  workspace: string;
  temp: string;
  tools: string;
  eventPath: string;
}

/** Where a runner that is installed in `home` has the folders of a job. */
export function foldersIn(home: string, workspace = join(home, 'work/repo/repo')): JobFolders {
  const temp = join(home, 'work/_temp');
  return { workspace, temp, tools: join(home, 'tools'), eventPath: join(temp, '_github_workflow/event.json') };
}

/** The variables that name the files into which a step writes its results; new ones for each step. */
export const commandFiles = [
  'GITHUB_OUTPUT',
  'GITHUB_ENV',
  'GITHUB_STATE',
  'GITHUB_STEP_SUMMARY',
  'GITHUB_PATH',
] as const;
export type CommandFiles = Record<(typeof commandFiles)[number], string>;

/** Each repository has its own. */
export function repositoryId(repository: string): string {
  if (repository === 'octo-org/octo-repo') return '1296269';
  return String(Array.from(repository).reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1_000_000_007, 7));
}

/** What GitHub tells every step of a run. In expressions, each is a property of `github`. */
export function githubVariables(event: GitHubEvent): Record<string, string> {
  const { GITHUB_REPOSITORY: repository = '' } = event.env;
  const [owner = ''] = repository.split('/');
  return {
    GITHUB_API_URL: 'https://api.github.com',
    GITHUB_GRAPHQL_URL: 'https://api.github.com/graphql',
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_BASE_REF: '',
    GITHUB_HEAD_REF: '',
    GITHUB_REF_PROTECTED: 'false',
    GITHUB_REPOSITORY_OWNER: owner,
    GITHUB_REPOSITORY_ID: repositoryId(repository),
    GITHUB_REPOSITORY_OWNER_ID: '9919',
    GITHUB_RETENTION_DAYS: '90',
    GITHUB_RUN_ID: '1658821493',
    GITHUB_RUN_NUMBER: '3',
    GITHUB_RUN_ATTEMPT: '1',
    GITHUB_WORKFLOW: 'Preview',
    GITHUB_WORKFLOW_REF: `${repository}/.github/workflows/preview.yml@${event.env.GITHUB_REF ?? ''}`,
    GITHUB_WORKFLOW_SHA: event.env.GITHUB_SHA ?? '',
    ...event.env,
  };
}

/** What the runner says about itself. In expressions, each is a property of `runner`. */
export function runnerVariables({ workspace, temp, tools }: JobFolders): Record<string, string> {
  return {
    RUNNER_ARCH: 'X64',
    RUNNER_ENVIRONMENT: 'github-hosted',
    RUNNER_NAME: 'GitHub Actions 2',
    RUNNER_OS: 'Linux',
    RUNNER_TEMP: temp,
    RUNNER_TOOL_CACHE: tools,
    RUNNER_WORKSPACE: dirname(workspace),
  };
}

/**
 * The whole environment of a step on a runner. It has nothing from the process that runs the tests: an action that relies on
 * `npm_*` variables, or on this machine's PATH, would break elsewhere.
 */
export function stepEnvironment(folders: JobFolders, files: CommandFiles, event: GitHubEvent): Record<string, string> {
  return {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: dirname(folders.temp),
    LANG: 'C.UTF-8',
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_ACTION: '__self',
    GITHUB_ACTION_REPOSITORY: REPOSITORY,
    GITHUB_ACTION_REF: 'v1',
    GITHUB_EVENT_PATH: folders.eventPath,
    GITHUB_JOB: 'database',
    GITHUB_WORKSPACE: folders.workspace,
    ...files,
    ...runnerVariables(folders),
    ...githubVariables(event),
  };
}
