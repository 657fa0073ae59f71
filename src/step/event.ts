import { existsSync, readFileSync } from 'node:fs';
import { optionalObject, text } from '../http/shape.ts';
import { branchNameFromPullRequest, branchNameFromRef } from '../text/branch-name.ts';
import type { Json } from '../text/json.ts';

export interface RunEvent {
  /** `pull_request`, `push`, … */
  name: string;
  /** `opened`, `closed`, …; empty if the event has no actions. */
  action: string;
  pullRequest?: PullRequest;
  /** Whether it ends what a branch stands for: a pull request was closed, or a ref deleted. */
  ends: boolean;
  /** Whether nothing ever ends what it is about: a merge group, or the default git branch. */
  endless: boolean;
  /** The git ref that the event is about, such as `refs/heads/feature/x`; empty if it is about none, as a schedule is. */
  fullRef: string;
  /** The same without `refs/heads/` or `refs/tags/`. */
  ref: string;
  sha: string;
  actor: string;
  /** `owner/name`. */
  repository: string;
  /**
   * Stays the same if the repository is renamed or transferred; empty if the runner does not say. See `repositoryIdIn`.
   */
  repositoryId: string;
  runId: string;
  runAttempt: string;
  /**
   * GitHub's URLs, without a trailing slash: `https://api.github.com`, `https://github.com`. `api` is empty if the runner of another forge
   * does not name it: the token goes nowhere else.
   */
  github: { api: string; server: string };
}

/** Reads the event from the runner's environment and the payload file that it names. */
export function readEvent(env: NodeJS.ProcessEnv): RunEvent {
  return parseEvent({ env, payload: readPayload(env.GITHUB_EVENT_PATH) });
}

function readPayload(path: string | undefined): unknown {
  // A later step may have cleaned up before the post step.
  if (!path || !existsSync(path)) return {};
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new Error(`Could not read the event payload from ${path} (GITHUB_EVENT_PATH): ${(error as Error).message}`);
  }
}

export function parseEvent(options: { env: NodeJS.ProcessEnv; payload: unknown }): RunEvent {
  const { env } = options;
  const payload = optionalObject(options.payload);
  const name = env.GITHUB_EVENT_NAME ?? '';
  const repository = env.GITHUB_REPOSITORY || text(optionalObject(payload.repository).full_name);
  const action = text(payload.action);
  const pullRequest = readPullRequest({ name, payload, repository });
  const fullRef = readRef({ name, payload, repository, runRef: env.GITHUB_REF ?? '' });
  const server = baseUrl(env.GITHUB_SERVER_URL, 'https://github.com');
  const isGitHub = server === 'https://github.com' && !env.GITEA_ACTIONS && !env.FORGEJO_ACTIONS;
  const own = optionalObject(payload.repository);
  return {
    name,
    action,
    pullRequest,
    ends: isEnd({ name, action, payload }),
    endless: !pullRequest && isEndless({ name, payload, fullRef }),
    fullRef,
    ref: shortRef(fullRef),
    sha: text(optionalObject(payload.workflow_run).head_sha) || (env.GITHUB_SHA ?? ''),
    actor: env.GITHUB_ACTOR ?? '',
    repository,
    // Gitea's runner sets no variable.
    repositoryId: repositoryIdIn({ ...own, id: Number(env.GITHUB_REPOSITORY_ID) || own.id }, server),
    runId: env.GITHUB_RUN_ID ?? '',
    runAttempt: env.GITHUB_RUN_ATTEMPT ?? '',
    github: { api: baseUrl(env.GITHUB_API_URL, isGitHub ? 'https://api.github.com' : ''), server },
  };
}

/**
 * The ID of a repository as payloads and GitHub's API describe it; empty if they don't. `5` on GitHub; elsewhere with the server, as in
 * `git.example/5`, because every server counts from 1.
 */
export function repositoryIdIn({ id }: Json, server: string): string {
  if (typeof id !== 'number') return '';
  return server === 'https://github.com' ? String(id) : `${server.replace(/^https?:\/\//i, '').toLowerCase()}/${id}`;
}

function baseUrl(url: string | undefined, fallback: string): string {
  return (url || fallback).replace(/\/+$/, '');
}

/**
 * The ref that the event is about. For most events it is not the run's own, which is then the default git branch: so it is for a pull request
 * without a number, which some local runners invent.
 */
function readRef({ name, payload, repository, runRef }: EventSource & { runRef: string }): string {
  const given = text(payload.ref);
  const kind = payload.ref_type === 'tag' ? 'tags' : 'heads';
  // Gitea's payload has the full ref.
  const asFullRef = (ref: string) => (ref === '' || ref.startsWith('refs/') ? ref : `refs/${kind}/${ref}`);
  switch (name) {
    case 'delete':
      return asFullRef(given);
    case 'push':
      return payload.deleted === true ? given : runRef;
    case 'workflow_run': {
      const run = optionalObject(payload.workflow_run);
      return isSame(optionalObject(run.head_repository).full_name, repository) ? asFullRef(text(run.head_branch)) : '';
    }
    default:
      return refEvents.test(name) ? runRef : '';
  }
}

function isEndless({ name, payload, fullRef }: { name: string; payload: Json; fullRef: string }): boolean {
  const main = text(optionalObject(payload.repository).default_branch);
  return name === 'merge_group' || (main !== '' && fullRef === `refs/heads/${main}`);
}

function isEnd({ name, action, payload }: Pick<RunEvent, 'name' | 'action'> & { payload: Json }): boolean {
  if (name === 'push') return payload.deleted === true;
  return name === 'delete' || (/^pull_request(_target)?$/.test(name) && action === 'closed');
}

/** Events whose run is on the git ref that they are about. */
const refEvents = /^(create|release|workflow_dispatch|merge_group)$/;
const pullRequestEvents = /^pull_request(_target|_review|_review_comment)?$/;

/** The branch name that the event stands for; undefined if it has neither a pull request nor a ref. */
export function branchNameOf({ pullRequest, fullRef }: RunEvent): string | undefined {
  if (pullRequest) return branchNameFromPullRequest(pullRequest.number);
  return fullRef === '' ? undefined : branchNameFromRef(fullRef);
}

/** Whether the run has no secrets and a token that only reads, as GitHub's default is for pull requests from forks. */
export function isForFork({ name, pullRequest }: RunEvent): boolean {
  return pullRequest?.fork === true && /^pull_request(_review|_review_comment)?$/.test(name);
}

/** Whether the run has only Dependabot's secrets: not if a person started it, though for Dependabot's pull request. */
export function isDependabot({ name, actor }: RunEvent): boolean {
  return actor === 'dependabot[bot]' && name !== 'pull_request_target';
}

function shortRef(ref: string): string {
  return ref.replace(/^refs\/(heads|tags)\//, '').replace(/^refs\//, '');
}

interface PullRequest {
  number: number;
  title: string;
  author: string;
  headRef: string;
  /** The owner of the repository that it comes from; empty if that is gone or not said. */
  headOwner: string;
  headSha: string;
  open: boolean;
  /** Whether it comes from another repository. GitHub gives such a run no secrets. */
  fork: boolean;
}

function readPullRequest({ name, payload, repository }: EventSource): PullRequest | undefined {
  if (/^(workflow_run|check_suite|check_run)$/.test(name))
    return triggeringPullRequest(optionalObject(payload[name]), optionalObject(payload.repository));
  if (!pullRequestEvents.test(name) && name !== 'issue_comment') return undefined;
  const from = optionalObject(payload.pull_request);
  // The head repository is null if the fork was deleted.
  const isFork = !isSame(optionalObject(optionalObject(from.head).repo).full_name, repository);
  // GitHub sends a comment on a pull request as one on an issue, without the head.
  const issue = optionalObject(payload.issue);
  return pullRequestIn(from, isFork) ?? (issue.pull_request ? pullRequestIn(issue, false) : undefined);
}

/** The pull request that an object of a payload describes, as far as it does; undefined if it has no number. */
function pullRequestIn(from: Json, fork: boolean): PullRequest | undefined {
  const { number, title, user, state } = from;
  const head = optionalObject(from.head);
  if (!isNumber(number)) return undefined;
  return {
    number,
    title: text(title),
    author: text(optionalObject(user).login),
    headRef: text(head.ref),
    headOwner: text(optionalObject(optionalObject(head.repo).owner).login),
    headSha: text(head.sha),
    open: state !== 'closed',
    fork,
  };
}

/** The pull request of the run or check that the event is about, if there is exactly one. GitHub lists only open ones. */
function triggeringPullRequest(run: Json, { id }: Json): PullRequest | undefined {
  const repositoryOf = (side: unknown) => optionalObject(optionalObject(side).repo).id;
  const listed = Array.isArray(run.pull_requests) ? run.pull_requests.map(optionalObject) : [];
  // The list has pull requests to other repositories too, such as from a fork to its upstream. They have numbers of their own.
  const toThis = listed.filter(({ base }) => id !== undefined && repositoryOf(base) === id);
  const [only] = toThis;
  return only && toThis.length === 1 ? pullRequestIn(only, repositoryOf(only.head) !== id) : undefined;
}

interface EventSource {
  /** `pull_request`, `push`, … */
  name: string;
  payload: Json;
  /** `owner/name`. */
  repository: string;
}

function isNumber(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

/** Names of repositories are case-insensitive. */
function isSame(fullName: unknown, repository: string): boolean {
  return text(fullName).toLowerCase() === repository.toLowerCase();
}
