import type { Failure } from '../http/errors.ts';

export class GitHubError extends Error {
  override readonly name = 'GitHubError';
  /** `denied`: the token may not do this. `missing`: the object does not exist, or the token may not see it. */
  readonly kind: 'denied' | 'missing' | 'other';

  /** `goal` is a clause after "Could not", `what` says what came back, and what to do about it. */
  constructor({ kind, goal, what }: { kind: GitHubError['kind']; goal: string; what: string }) {
    super(`Could not ${goal}: ${what}`);
    this.kind = kind;
  }

  /** Whether other requests with this token would fail too. */
  get isPermanent(): boolean {
    return this.kind !== 'other';
  }
}

export interface Purpose {
  /** What the request is for, as a clause after "Could not": `read pull requests`. */
  goal: string;
  /** What the token needs for it: `pull-requests: read`. */
  permission: string;
}

/** The error for a request that is given up; `why` says why, if it otherwise would have been sent again. */
export function errorFor(purpose: Purpose, failure: Failure, why?: string): GitHubError {
  const { goal, permission } = purpose;
  const { status, what, retryAfterMs } = failure;
  const error = (kind: GitHubError['kind'], next = '') =>
    new GitHubError({ kind, goal, what: `${what}${why ? `; ${why}` : ''}${next && `. ${next}`}` });
  if (status === 401) {
    return error('denied', 'Check that `github_token` is valid for this repository and has not expired.');
  }
  if (status === 403 && retryAfterMs === undefined) {
    // The YAML can be pasted into a job as it is.
    return error(
      'denied',
      `If the token lacks a permission, set \`permissions: { ${permission} }\` on the job, together with the others that it needs, or set \`github_token\` to a token that has it. In runs for pull requests from forks, the job's own token is read-only all the same.`,
    );
  }
  if (status === 404 || status === 410) return error('missing', 'Check that it exists, and that the token may see it.');
  return error('other', 'Run the step again later.');
}

/** GitHub's documented minimum if it does not say how long a secondary limit lasts, in milliseconds. */
const unknownLimitMs = 60_000;

/**
 * How long to wait in milliseconds if the response is a rate limit (primary or secondary), else undefined.
 * https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api#exceeding-the-rate-limit
 */
export function rateLimitMs(
  { status, message }: { status: number; message: string },
  headers: Record<string, string | undefined>,
  now: number,
): number | undefined {
  const retryAfter = Number(headers['retry-after'] ?? Number.NaN) * 1_000;
  const exhausted = headers['x-ratelimit-remaining'] === '0';
  // A secondary limit may come without any header that tells it from a missing permission.
  const isLimit = exhausted || retryAfter >= 0 || /rate limit|abuse detection/i.test(message);
  if (status !== 429 && !(status === 403 && isLimit)) return undefined;
  if (retryAfter >= 0) return Math.max(1_000, retryAfter);
  const reset = Number(headers['x-ratelimit-reset']) * 1_000;
  return exhausted && reset > 0 ? Math.max(1_000, reset - now) : unknownLimitMs;
}
