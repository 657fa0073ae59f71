import { readFileSync } from 'node:fs';
import { branchNameFromPullRequest, branchNameFromRef } from '../text/branch-name.ts';

export interface PullRequest {
  number: number;
  title: string;
  author: string;
  headRef: string;
  headSha: string;
  /** Whether it comes from another repository. GitHub gives such a run no secrets. */
  fork: boolean;
}

/** The event that started the workflow. */
export interface RunEvent {
  /** `pull_request`, `push`, … */
  name: string;
  /** `opened`, `closed`, …; empty if the event has no actions. */
  action: string;
  pullRequest?: PullRequest;
  /** The short git ref of the run: `main`, `feature/x`; for the event `delete`, the deleted ref. */
  ref: string;
  /** For the events `create` and `delete`: `branch` or `tag`. */
  refType: string;
  sha: string;
  actor: string;
  /** `owner/name`. */
  repository: string;
  runId: string;
  runAttempt: string;
  /** GitHub's URLs, without a trailing slash: `https://api.github.com`, `https://api.github.com/graphql`, `https://github.com`. */
  github: { api: string; graphql: string; server: string };
}

type Json = Record<string, unknown>;

/** Reads the event from the runner's environment and the payload file that it names. */
export function readEvent(env: NodeJS.ProcessEnv): RunEvent {
  return parseEvent({ env, payload: readPayload(env.GITHUB_EVENT_PATH) });
}

function readPayload(path: string | undefined): unknown {
  if (!path) return {};
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new Error(`Could not read the event's payload at GITHUB_EVENT_PATH (${path}): ${(error as Error).message}`);
  }
}

export function parseEvent(options: { env: NodeJS.ProcessEnv; payload: unknown }): RunEvent {
  const { env } = options;
  const payload = object(options.payload);
  const name = env.GITHUB_EVENT_NAME ?? '';
  const repository = env.GITHUB_REPOSITORY || text(object(payload.repository).full_name);
  const pullRequest = readPullRequest(payload, repository);
  const deleted = name === 'delete' ? text(payload.ref) : '';
  return {
    name,
    action: text(payload.action),
    ...(pullRequest ? { pullRequest } : {}),
    ref: shortRef(deleted || env.GITHUB_REF || text(payload.ref)),
    refType: text(payload.ref_type),
    sha: env.GITHUB_SHA ?? '',
    actor: env.GITHUB_ACTOR ?? '',
    repository,
    runId: env.GITHUB_RUN_ID ?? '',
    runAttempt: env.GITHUB_RUN_ATTEMPT ?? '',
    github: {
      api: baseUrl(env.GITHUB_API_URL, 'https://api.github.com'),
      graphql: baseUrl(env.GITHUB_GRAPHQL_URL, 'https://api.github.com/graphql'),
      server: baseUrl(env.GITHUB_SERVER_URL, 'https://github.com'),
    },
  };
}

function baseUrl(url: string | undefined, fallback: string): string {
  return (url || fallback).replace(/\/+$/, '');
}

function readPullRequest(payload: Json, repository: string): PullRequest | undefined {
  const from = object(payload.pull_request);
  if (isNumber(from.number)) {
    const head = object(from.head);
    return {
      number: from.number,
      title: text(from.title),
      author: text(object(from.user).login),
      headRef: text(head.ref),
      headSha: text(head.sha),
      // The head repository is null if the fork was deleted.
      fork: text(object(head.repo).full_name).toLowerCase() !== repository.toLowerCase(),
    };
  }
  // GitHub sends a comment on a pull request as one on an issue, without the head.
  const issue = object(payload.issue);
  if (!isNumber(issue.number) || !issue.pull_request) return undefined;
  return {
    number: issue.number,
    title: text(issue.title),
    author: text(object(issue.user).login),
    headRef: '',
    headSha: '',
    fork: false,
  };
}

/** The branch name that the event stands for; undefined if it has neither a pull request nor a ref. */
export function branchNameOf(event: RunEvent): string | undefined {
  if (event.pullRequest) return branchNameFromPullRequest(event.pullRequest.number);
  return event.ref === '' ? undefined : branchNameFromRef(event.ref);
}

export function isDependabot(event: RunEvent): boolean {
  return event.actor === 'dependabot[bot]' || event.pullRequest?.author === 'dependabot[bot]';
}

function shortRef(ref: string): string {
  return ref.replace(/^refs\/(heads|tags)\//, '').replace(/^refs\//, '');
}

function object(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function isNumber(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}
