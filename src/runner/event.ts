import { readFileSync } from 'node:fs';
import { branchNameFromPullRequest, branchNameFromRef } from '../text/branch-name.ts';

export interface PullRequest {
  number: number;
  title: string;
  author: string;
  headRef: string;
  headSha: string;
  /** Whether it comes from another repository, so that the run has no secrets. */
  fork: boolean;
}

/** What the event that started the workflow says, as far as it matters here. */
export interface RunEvent {
  /** `pull_request`, `push`, … */
  name: string;
  /** `opened`, `closed`, …; empty where the event has none. */
  action: string;
  pullRequest?: PullRequest;
  /** The short git ref the run is about: `main`, `feature/x`; for event `delete`, the ref that was deleted. */
  ref: string;
  /** For events `create` and `delete`: `branch` or `tag`. */
  refType: string;
  sha: string;
  actor: string;
  /** `owner/name`. */
  repository: string;
  runId: string;
  runAttempt: string;
  /** Where GitHub is, without a slash at the end: `https://api.github.com`, `https://api.github.com/graphql`, `https://github.com`. */
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
      api: address(env.GITHUB_API_URL, 'https://api.github.com'),
      graphql: address(env.GITHUB_GRAPHQL_URL, 'https://api.github.com/graphql'),
      server: address(env.GITHUB_SERVER_URL, 'https://github.com'),
    },
  };
}

function address(url: string | undefined, fallback: string): string {
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
      // The head repository is null once a fork has been deleted.
      fork: text(object(head.repo).full_name).toLowerCase() !== repository.toLowerCase(),
    };
  }
  // A comment on a pull request comes as an issue's, and says nothing of the head.
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

/** The name for the branch that the run is about, from the event alone; undefined where the event names nothing. */
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
