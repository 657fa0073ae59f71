import { oneLine } from '../text/inert.ts';

/** A request to GitHub that failed for good. */
export class GitHubError extends Error {
  override readonly name = 'GitHubError';
  /**
   * `denied`: the token may not do this. `missing`: the object does not exist, or the token may not see it. `transient`: no response, an
   * error of GitHub's, or a rate limit that outlasts the step.
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

/** What a request is for, and what it needs. */
export interface Purpose {
  /** What the request is for, as a clause after "Could not": `read pull requests`. */
  goal: string;
  /** What the token needs for it: `pull-requests: read`. */
  permission: string;
}

/** GitHub's response, as far as an error needs it. */
export interface ErrorResponse {
  status: number;
  /** GitHub's own message; may be empty. */
  message: string;
}

/** The error for an unsuccessful response. */
export function errorFor(purpose: Purpose, { status, message }: ErrorResponse): GitHubError {
  const { goal, permission } = purpose;
  const response = message ? `${status}, ${oneLine(message, 200)}` : String(status);
  const error = (kind: GitHubError['kind'], what: string) => new GitHubError({ kind, goal, what });
  if (status === 401) {
    return error(
      'denied',
      `GitHub rejected the token (${response}). Check that \`github_token\` is valid for this repository and has not expired.`,
    );
  }
  if (status === 403 && /\blocked\b/i.test(message)) return error('denied', `the conversation is locked (${response})`);
  if (status === 403) return error('denied', `the token lacks a permission (${response}). ${grant(permission)}`);
  const kind = status === 404 || status === 410 ? 'missing' : status >= 500 || status === 408 ? 'transient' : 'other';
  return error(kind, `GitHub responded with ${response}`);
}

/** How to give the token a permission. The YAML can be pasted into a job as it is. */
function grant(permission: string): string {
  return `Set \`permissions: { ${permission} }\` on the job, together with the other permissions that the job needs, or set \`github_token\` to a token with the same permissions. In runs for pull requests from forks, the job's own token is read-only all the same.`;
}

/** GitHub's documented minimum if it does not say how long a secondary limit lasts, in milliseconds. */
const unknownLimitMs = 60_000;

/**
 * How long to wait in milliseconds if the response is a rate limit (primary or secondary), else undefined.
 * https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api#exceeding-the-rate-limit
 */
export function rateLimitMs({ status, message }: ErrorResponse, headers: Headers, now: number): number | undefined {
  const retryAfter = Number(headers.get('retry-after') ?? Number.NaN) * 1_000;
  const exhausted = headers.get('x-ratelimit-remaining') === '0';
  // A secondary limit may come without any header that tells it from a missing permission.
  const isLimit = exhausted || retryAfter >= 0 || /rate limit|abuse detection/i.test(message);
  if (status !== 429 && !(status === 403 && isLimit)) return undefined;
  if (retryAfter >= 0) return retryAfter;
  const reset = Number(headers.get('x-ratelimit-reset')) * 1_000;
  return exhausted && reset > 0 ? Math.max(1_000, reset - now) : unknownLimitMs;
}
