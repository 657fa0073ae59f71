export interface PullRequestState {
  /** Neither closed nor merged. */
  open: boolean;
  /** Milliseconds since the epoch; undefined if it is open, or if GitHub gives no readable time. */
  closedAt: number | undefined;
}

/** What to read. Refs are short: `feature/x`. */
export interface StateQuery {
  pullRequests: number[];
  /** Refs that may be the head of an open pull request. */
  headRefs: string[];
  /** Refs that may be git branches. */
  gitRefs: string[];
}

/** What GitHub says. What could not be read is missing. */
export interface States {
  pullRequests: Map<number, PullRequestState>;
  /** The number of an open pull request with this head ref, or 0 if there is none. */
  openByHead: Map<string, number>;
  /** Whether the git branch exists. */
  gitRefs: Map<string, boolean>;
  /** Whether anything could be read. */
  responded: boolean;
  /** Why something could not be read. */
  problem?: string;
}
