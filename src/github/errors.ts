/** A request to GitHub that failed for good. */
export class GitHubError extends Error {
  override readonly name = 'GitHubError';
  /**
   * `denied`: the token may not do this. `missing`: the object does not exist. `transient`: no response, an error of GitHub's, or
   * a rate limit that outlasts the step.
   */
  readonly kind: 'denied' | 'missing' | 'transient' | 'other';
  /** What came back, and what to do about it: the message without the goal. */
  readonly what: string;

  /** `goal` is a clause after "Could not". */
  constructor(options: { kind: GitHubError['kind']; goal: string; what: string; cause?: unknown }) {
    const { kind, goal, what, cause } = options;
    super(`Could not ${goal}: ${what}`, { cause });
    this.kind = kind;
    this.what = what;
  }

  /** Whether other requests with this token would fail too. */
  get isPermanent(): boolean {
    return this.kind === 'denied' || this.kind === 'missing';
  }
}
