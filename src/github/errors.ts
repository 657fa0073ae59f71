/** A request to GitHub that failed for good. Its message is a whole sentence that says what to do, where that is known. */
export class GitHubError extends Error {
  override readonly name = 'GitHubError';
  /**
   * `denied`: the token may not do this, which will not change by itself. `missing`: what was asked for is not there.
   * `passing`: no answer, a fault of GitHub's, or a rate limit that outlasts the step.
   */
  readonly kind: 'denied' | 'missing' | 'passing' | 'other';

  constructor(kind: GitHubError['kind'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
