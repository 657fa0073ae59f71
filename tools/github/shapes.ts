import { Buffer } from 'node:buffer';
import { pullRequest } from '../runner/events.ts';
import type { Author, Comment, Pull, RepositoryState } from './state.ts';

/** Bodies of responses. A unit test compares them with GitHub's published description. */
export class Shapes {
  private readonly api: string;
  private readonly state: RepositoryState;

  /** `api` is the base URL for links. */
  constructor(api: string, state: RepositoryState) {
    this.api = api;
    this.state = state;
  }

  comment({ id, issue, user, body, createdAt, updatedAt }: Comment) {
    const url = this.repository(`/issues/comments/${id}`);
    return {
      url,
      html_url: this.page(`/pull/${issue}#issuecomment-${id}`),
      issue_url: this.repository(`/issues/${issue}`),
      id,
      node_id: nodeId('IssueComment', id),
      user: this.user(user),
      created_at: createdAt,
      updated_at: updatedAt,
      body,
      author_association: user.type === 'Bot' ? 'NONE' : 'CONTRIBUTOR',
      reactions: { url: `${url}/reactions`, ...NO_REACTIONS },
      performed_via_github_app: null,
    };
  }

  pullSimple(pull: Pull) {
    const event = pullRequest({
      repository: this.state.fullName,
      number: pull.number,
      title: pull.title,
      head: pull.head,
      base: pull.base,
      author: pull.author.login,
      ...(pull.fork === undefined ? {} : { fork: pull.fork }),
    });
    const { pull_request: example } = event.payload as {
      pull_request: { head: { repo: object }; base: { repo: object } };
    };
    const repository = { has_pages: false, disabled: false, forks: 0, open_issues: 0, watchers: 0 };
    return {
      ...example,
      state: pull.state === 'open' ? 'open' : 'closed',
      locked: pull.locked,
      closed_at: pull.closedAt ?? null,
      updated_at: pull.updatedAt,
      merged_at: pull.state === 'merged' ? (pull.closedAt ?? null) : null,
      user: this.user(pull.author),
      head: { ...example.head, repo: { ...example.head.repo, ...repository } },
      base: { ...example.base, repo: { ...example.base.repo, ...repository } },
      auto_merge: null,
    };
  }

  pull(pull: Pull) {
    return { ...this.pullSimple(pull), merged: pull.state === 'merged', merged_by: null };
  }

  repositoryItself() {
    const { fullName, id } = this.state;
    return { id, full_name: fullName, default_branch: 'main' };
  }

  branch(name: string, commit: string) {
    return { name, commit: { sha: commit, url: this.repository(`/commits/${commit}`) }, protected: false };
  }

  private user({ login, type }: Author) {
    const url = `${this.api}/users/${encodeURIComponent(login)}`;
    const page = type === 'Bot' ? `apps/${login.replace('[bot]', '')}` : login;
    return {
      login,
      id: login === 'github-actions[bot]' ? 41898282 : 583231,
      node_id: nodeId(type, login),
      avatar_url: 'https://avatars.githubusercontent.com/in/15368?v=4',
      gravatar_id: '',
      url,
      html_url: `https://github.com/${page}`,
      followers_url: `${url}/followers`,
      following_url: `${url}/following{/other_user}`,
      gists_url: `${url}/gists{/gist_id}`,
      starred_url: `${url}/starred{/owner}{/repo}`,
      subscriptions_url: `${url}/subscriptions`,
      organizations_url: `${url}/orgs`,
      repos_url: `${url}/repos`,
      events_url: `${url}/events{/privacy}`,
      received_events_url: `${url}/received_events`,
      type,
      site_admin: false,
    };
  }

  private repository(path: string): string {
    return `${this.api}/repos/${this.state.fullName}${path}`;
  }

  private page(path: string): string {
    return `https://github.com/${this.state.fullName}${path}`;
  }
}

const NO_REACTIONS = {
  total_count: 0,
  '+1': 0,
  '-1': 0,
  laugh: 0,
  hooray: 0,
  confused: 0,
  heart: 0,
  rocket: 0,
  eyes: 0,
};

function nodeId(kind: string, key: string | number): string {
  return Buffer.from(`${kind}:${key}`).toString('base64');
}
