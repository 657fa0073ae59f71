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
  locked: boolean;
}

/** A workflow run; `attempt` is the latest one. */
export interface WorkflowRun {
  id: number;
  status: 'queued' | 'in_progress' | 'completed';
  attempt: number;
}

/** The author of everything that a workflow writes with its own token. */
const WORKFLOW_BOT: Author = { login: 'github-actions[bot]', type: 'Bot' };

export const DEFAULT_BRANCH = 'main';

/** The stand-in's repository. Tests read it, and change it between requests. */
export class RepositoryState {
  readonly fullName: string;
  readonly id = 1296269;
  readonly comments: Comment[] = [];
  readonly pulls = new Map<number, Pull>();
  readonly runs = new Map<number, WorkflowRun>();
  /** full name (`refs/heads/…`) → commit */
  readonly refs = new Map<string, string>();
  /** the token's user: the author of comments, and GraphQL's viewer */
  viewer: Author = WORKFLOW_BOT;
  private nextComment = 1001;
  private readonly now: () => number;

  constructor(fullName: string, now: () => number = Date.now) {
    this.fullName = fullName;
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
  }

  addRun(run: Partial<WorkflowRun> & { id: number }): WorkflowRun {
    const added: WorkflowRun = { status: 'completed', attempt: 1, ...run };
    this.runs.set(added.id, added);
    return added;
  }

  addBranch(name: string): void {
    this.refs.set(`refs/heads/${name}`, commitId(this.fullName, name));
  }

  addTag(name: string): void {
    this.refs.set(`refs/tags/${name}`, commitId(this.fullName, 'tag', name));
  }

  deleteBranch(name: string): void {
    this.refs.delete(`refs/heads/${name}`);
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

  /** Refs whose full name has this prefix, in alphabetical order. */
  refsBelow(prefix: string): [name: string, commit: string][] {
    return [...this.refs].filter(([name]) => name.startsWith(prefix)).sort(([a], [b]) => (a < b ? -1 : 1));
  }

  /** Times on GitHub have whole seconds. */
  private time(): string {
    return `${new Date(this.now()).toISOString().slice(0, 19)}Z`;
  }
}
