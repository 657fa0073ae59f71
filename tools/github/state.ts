import { commitId } from '../runner/events.ts';

export interface Author {
  login: string;
  type: 'Bot' | 'User';
}

export interface Comment {
  id: number;
  /** number of the issue or pull request */
  issue: number;
  user: Author;
  body: string;
  createdAt: string;
  updatedAt: string;
}

export interface Pull {
  number: number;
  state: 'open' | 'closed' | 'merged';
  title: string;
  head: string;
  base: string;
  /** `owner/name` of the fork with the head branch */
  fork: string | undefined;
  author: Author;
  closedAt: string | undefined;
  updatedAt: string;
  locked: boolean;
}

/** The author of everything that a workflow writes with its own token. */
const WORKFLOW_BOT: Author = { login: 'github-actions[bot]', type: 'Bot' };

const DEFAULT_BRANCH = 'main';

/** A repository. Tests read it, and change it between requests. */
export class RepositoryState {
  readonly fullName: string;
  readonly id: number;
  readonly comments: Comment[] = [];
  readonly pulls = new Map<number, Pull>();
  /** name → commit */
  readonly branches = new Map<string, string>();
  readonly tags = new Set<string>();
  /** the token's user: the author of comments */
  viewer: Author = WORKFLOW_BOT;
  private nextComment = 1001;
  private readonly now: () => number;

  constructor(fullName: string, { now = Date.now, id = 1296269 }: { now?: () => number; id?: number } = {}) {
    this.fullName = fullName;
    this.id = id;
    this.now = now;
    this.addBranch(DEFAULT_BRANCH);
  }

  addPull({ number, ...rest }: Partial<Pull> & { number: number }): Pull {
    const state = rest.state ?? 'open';
    const pull: Pull = {
      number,
      title: `Change ${number}`,
      head: `feature/${number}`,
      base: DEFAULT_BRANCH,
      fork: undefined,
      author: { login: 'octocat', type: 'User' },
      closedAt: state === 'open' ? undefined : this.time(),
      updatedAt: rest.closedAt ?? this.time(),
      locked: false,
      ...rest,
      state,
    };
    this.pulls.set(number, pull);
    return pull;
  }

  setPullState(pull: Pull, state: 'open' | 'closed'): void {
    pull.state = state;
    pull.closedAt = state === 'open' ? undefined : this.time();
    pull.updatedAt = this.time();
  }

  addBranch(name: string): void {
    this.branches.set(name, commitId(this.fullName, name));
  }

  deleteBranch(name: string): void {
    this.branches.delete(name);
  }

  addComment(comment: { issue: number; body: string; user?: Author }): Comment {
    const time = this.time();
    const added = { user: this.viewer, ...comment, id: this.nextComment++, createdAt: time, updatedAt: time };
    this.comments.push(added);
    return added;
  }

  updateComment(comment: Comment, body: string): void {
    Object.assign(comment, { body, updatedAt: this.time() });
  }

  /** Times on GitHub have whole seconds. */
  private time(): string {
    return `${new Date(this.now()).toISOString().slice(0, 19)}Z`;
  }
}
