import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import type { WebhookDefinition } from '@octokit/webhooks-examples';
import type {
  CreateEvent,
  DeleteEvent,
  IssueCommentEvent,
  MergeGroupEvent,
  PullRequestEvent,
  PushEvent,
  Repository,
  User,
  WebhookEventName,
  WorkflowDispatchEvent,
} from '@octokit/webhooks-types';
import { repositoryId } from './environment.ts';

/** An event that starts a workflow: its name, its payload, and the `GITHUB_*` variables that GitHub sets for it. */
export interface GitHubEvent {
  name: string;
  payload: object;
  env: Record<string, string>;
}

interface Common {
  /** `owner/name` */
  repository?: string;
  /** the user who caused it; `dependabot[bot]` is a bot */
  author?: string;
}

const DEFAULT_REPOSITORY = 'octo-org/octo-repo';
const DEFAULT_BRANCH = 'main';

const definitions = createRequire(import.meta.url)('@octokit/webhooks-examples') as WebhookDefinition[];

/** A copy of the first published example of an event that matches. */
function example<T>(name: WebhookEventName, fits: (payload: T) => boolean = () => true): T {
  const examples = (definitions.find((definition) => definition.name === name)?.examples ?? []) as T[];
  const found = examples.find(fits);
  if (!found) throw new Error(`@octokit/webhooks-examples has no such ${name}`);
  return structuredClone(found);
}

/** A commit ID that depends on the words alone. */
export function commitId(...words: (string | number)[]): string {
  return createHash('sha1').update(words.join(' ')).digest('hex');
}

/** The payload with the name of another repository everywhere, also in URLs. */
function inRepository<T extends { repository: Repository; sender: User }>(
  payload: T,
  { repository, author }: Common,
): T {
  const fullName = repository ?? DEFAULT_REPOSITORY;
  const text = JSON.stringify(payload).replaceAll(payload.repository.full_name, fullName);
  const moved = JSON.parse(text) as T;
  const [owner = '', name = ''] = fullName.split('/');
  const id = Number(repositoryId(fullName));
  Object.assign(moved.repository, { id, name, full_name: fullName, default_branch: DEFAULT_BRANCH });
  moved.repository.owner.login = owner;
  Object.assign(moved.sender, user(author));
  return moved;
}

function user(login = 'octocat'): Pick<User, 'login' | 'id' | 'type' | 'html_url'> {
  const bot = login.endsWith('[bot]');
  const slug = login.replace('[bot]', '');
  return {
    login,
    id: login === 'dependabot[bot]' ? 49699333 : Number.parseInt(commitId(login).slice(0, 6), 16),
    type: bot ? 'Bot' : 'User',
    html_url: bot ? `https://github.com/apps/${slug}` : `https://github.com/${slug}`,
  };
}

function event(name: string, payload: object, common: Common, at: { ref: string; sha: string }): GitHubEvent {
  const actor = user(common.author);
  const [, kind = '', refName = ''] = /^refs\/(heads|tags|pull)\/(.+)$/s.exec(at.ref) ?? [];
  return {
    name,
    payload,
    env: {
      GITHUB_EVENT_NAME: name,
      GITHUB_REPOSITORY: common.repository ?? DEFAULT_REPOSITORY,
      GITHUB_ACTOR: actor.login,
      GITHUB_ACTOR_ID: String(actor.id),
      GITHUB_TRIGGERING_ACTOR: actor.login,
      GITHUB_REF: at.ref,
      GITHUB_REF_NAME: refName,
      GITHUB_REF_TYPE: kind === 'tags' ? 'tag' : 'branch',
      GITHUB_SHA: at.sha,
    },
  };
}

export interface PullRequestOptions extends Common {
  action?:
    | ('opened' | 'synchronize' | 'reopened' | 'closed' | 'labeled' | 'unlabeled' | 'edited')
    | ('ready_for_review' | 'converted_to_draft');
  number?: number;
  title?: string;
  /** the head branch */
  head?: string;
  base?: string;
  /** `owner/name` of the fork with the head branch */
  fork?: string;
  /** for `closed` */
  merged?: boolean;
  /** the event `pull_request_target`, which runs in the base's context */
  target?: boolean;
  /** for `labeled` and `unlabeled` */
  label?: string;
  /** whether the pull request was closed before; after `closed` it is in any case */
  closed?: boolean;
  /** the labels of the pull request, with the new one if it is `labeled` */
  labels?: string[];
}

export function pullRequest(options: PullRequestOptions = {}): GitHubEvent {
  const {
    action = 'opened',
    number = 7,
    head = 'feature/login',
    base = DEFAULT_BRANCH,
    fork,
    merged = false,
  } = options;
  const repository = options.repository ?? DEFAULT_REPOSITORY;
  const similar = action === 'edited' ? 'synchronize' : action;
  const payload = inRepository(
    example<PullRequestEvent>('pull_request', (one) => one.action === similar),
    options,
  );
  const closedAt = action === 'closed' || options.closed ? '2026-03-04T05:06:07Z' : null;
  const headSha = commitId(repository, number, head);
  const merge = commitId('merge', repository, number);
  const { pull_request: pull } = payload;
  // The example's type does not allow for other actions such as `labeled`.
  Object.assign(payload, { action, number }, options.label === undefined ? {} : { label: { name: options.label } });
  Object.assign(pull, {
    number,
    title: options.title ?? pull.title,
    state: closedAt ? 'closed' : 'open',
    closed_at: closedAt,
    merged_at: merged ? closedAt : null,
    merged,
    merge_commit_sha: merge,
    html_url: `https://github.com/${repository}/pull/${number}`,
    url: `https://api.github.com/repos/${repository}/pulls/${number}`,
    user: { ...pull.user, ...user(options.author) },
    labels: (options.labels ?? [action === 'unlabeled' ? [] : (options.label ?? [])].flat()).map((name) => ({ name })),
  });
  const headRepository = fork ?? repository;
  const [headOwner = '', headName = ''] = headRepository.split('/');
  pull.head = {
    ...pull.head,
    ref: head,
    sha: headSha,
    label: `${headOwner}:${head}`,
    user: { ...pull.head.user, ...user(headOwner) },
    repo: {
      ...payload.repository,
      name: headName,
      full_name: headRepository,
      fork: fork !== undefined,
      id: fork === undefined ? payload.repository.id : payload.repository.id + 1,
      owner: { ...payload.repository.owner, ...user(headOwner) },
      html_url: `https://github.com/${headRepository}`,
    },
  };
  pull.base = { ...pull.base, ref: base, sha: commitId(repository, base), repo: payload.repository };

  const intoBase = { ref: `refs/heads/${base}`, sha: merged ? merge : commitId(repository, base) };
  const proposed = { ref: `refs/pull/${number}/merge`, sha: merge };
  const name = options.target ? 'pull_request_target' : 'pull_request';
  // After a merge, the workflow runs on the base branch.
  const made = event(name, payload, options, options.target || (closedAt && merged) ? intoBase : proposed);
  Object.assign(made.env, { GITHUB_HEAD_REF: head, GITHUB_BASE_REF: base });
  return made;
}

/** `ref` is a full ref: `refs/heads/…` or `refs/tags/…`. */
export function push(options: Common & { ref?: string } = {}): GitHubEvent {
  const { ref = 'refs/heads/main' } = options;
  const payload = inRepository(
    example<PushEvent>('push', (one) => one.ref === 'refs/heads/master'),
    options,
  );
  const sha = commitId(payload.repository.full_name, ref);
  Object.assign(payload, { ref, after: sha });
  return event('push', payload, options, { ref, sha });
}

interface RefOptions extends Common {
  /** short: `feature/login` */
  ref?: string;
  refType?: 'branch' | 'tag';
}

export function create({ ref = 'feature/login', refType = 'branch', ...common }: RefOptions = {}): GitHubEvent {
  const payload = inRepository(example<CreateEvent>('create'), common);
  Object.assign(payload, { ref, ref_type: refType, master_branch: DEFAULT_BRANCH });
  const full = `refs/${refType === 'tag' ? 'tags' : 'heads'}/${ref}`;
  return event('create', payload, common, { ref: full, sha: commitId(payload.repository.full_name, full) });
}

/** The event `delete` runs on the default branch. Only the payload names the deleted ref. */
export function deleteRef({ ref = 'feature/login', refType = 'branch', ...common }: RefOptions = {}): GitHubEvent {
  const payload = inRepository(example<DeleteEvent>('delete'), common);
  Object.assign(payload, { ref, ref_type: refType });
  return event('delete', payload, common, onDefaultBranch(payload.repository));
}

export function workflowDispatch(
  options: Common & { ref?: string; inputs?: Record<string, string> } = {},
): GitHubEvent {
  const { ref = `refs/heads/${DEFAULT_BRANCH}`, inputs = {} } = options;
  const payload = inRepository(example<WorkflowDispatchEvent>('workflow_dispatch'), options);
  Object.assign(payload, { ref, inputs });
  return event('workflow_dispatch', payload, options, { ref, sha: commitId(payload.repository.full_name, ref) });
}

/** A comment on a pull request. It runs on the default branch. */
export function issueComment(options: Common & { number?: number; closed?: boolean } = {}): GitHubEvent {
  const { number = 7, closed = false } = options;
  const payload = inRepository(
    example<IssueCommentEvent>('issue_comment', (one) => one.action === 'created'),
    options,
  );
  const url = `https://api.github.com/repos/${payload.repository.full_name}/pulls/${number}`;
  Object.assign(payload.issue, { number, state: closed ? 'closed' : 'open', pull_request: { url } });
  return event('issue_comment', payload, options, onDefaultBranch(payload.repository));
}

export function mergeGroup(options: Common & { number?: number; base?: string | undefined } = {}): GitHubEvent {
  const { number = 7, base: target = DEFAULT_BRANCH, ...common } = options;
  const payload = inRepository(example<MergeGroupEvent & { sender: User }>('merge_group'), common);
  const group = payload.merge_group;
  const base = commitId(payload.repository.full_name, target);
  group.head_ref = `refs/heads/gh-readonly-queue/${target}/pr-${number}-${base}`;
  Object.assign(group, { base_ref: `refs/heads/${target}`, base_sha: base });
  return event('merge_group', payload, common, { ref: group.head_ref, sha: group.head_sha });
}

/** There is no webhook for a schedule: the payload has the cron line, the workflow and the repository. */
export function schedule(common: Common = {}): GitHubEvent {
  const { repository } = inRepository(example<WorkflowDispatchEvent>('workflow_dispatch'), common);
  const payload = { schedule: '17 3 * * *', workflow: '.github/workflows/prune.yml', repository };
  return event('schedule', payload, common, onDefaultBranch(repository));
}

function onDefaultBranch(repository: Repository): { ref: string; sha: string } {
  const ref = `refs/heads/${DEFAULT_BRANCH}`;
  return { ref, sha: commitId(repository.full_name, ref) };
}
