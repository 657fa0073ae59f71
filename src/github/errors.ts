import { parseRetryAfter } from '../http/failures.ts';
import { oneLine } from '../text/inert.ts';

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

/** The error for a response that is a success, but not what was asked for. */
export function unreadable({ goal }: { goal: string }, what: string): GitHubError {
  return new GitHubError({ kind: 'other', goal, what });
}

/** An unsuccessful response of GitHub. */
export interface ErrorResponse {
  status: number;
  message: string;
  headers: Record<string, string | number | undefined>;
  /** Whether its body says that it is a rate limit, whatever the status. */
  rateLimited?: boolean;
}

/** GitHub's documented minimum if it does not say how long a secondary limit lasts, in milliseconds. */
const unknownLimitMs = 60_000;

/**
 * How long to wait in milliseconds if the response is a rate limit (primary or secondary), else undefined.
 * https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api#exceeding-the-rate-limit
 */
export function rateLimitMs(response: ErrorResponse, options: { now: number; attempt: number }): number | undefined {
  const { status, message, headers, rateLimited = false } = response;
  const { now, attempt } = options;
  const header = (name: string) => (headers[name] === undefined ? undefined : String(headers[name]));
  const exhausted = header('x-ratelimit-remaining') === '0';
  const retryAfter = parseRetryAfter(header('retry-after'), now);
  // A secondary limit may come without any header that tells it from a missing permission.
  const isLimit403 = exhausted || retryAfter !== undefined || /rate limit|abuse detection/i.test(message);
  if (!rateLimited && status !== 429 && !(status === 403 && isLimit403)) return undefined;
  if (retryAfter !== undefined) return retryAfter;
  const reset = Number(header('x-ratelimit-reset'));
  if (exhausted && reset > 0) return Math.max(1_000, reset * 1_000 - now);
  return unknownLimitMs * 2 ** (attempt - 1);
}

/** Why GitHub denies the request, and what to do about it. `permission` is what it needs: `pull-requests: read`. */
export function denial(
  response: Pick<ErrorResponse, 'status' | 'message'>,
  {
    permission,
    ifDenied = grant(permission, 'a token with the same permissions'),
  }: { permission: string; ifDenied?: string },
): string {
  const { status } = response;
  const what = response.message ? `${status}, ${oneLine(response.message, 200)}` : String(status);
  if (status === 401) {
    return `GitHub rejected the token (${what}). Check that \`github_token\` is valid for this repository and has not expired.`;
  }
  if (/\blocked\b/i.test(response.message)) return `the conversation is locked (${what})`;
  return `the token lacks a permission (${what}). ${ifDenied}`;
}

/** How to give the token a permission. The YAML can be pasted into a job as it is. */
export function grant(permission: string, token: string): string {
  return `Set \`permissions: { ${permission} }\` on the job, together with the other permissions that the job needs, or set \`github_token\` to ${token}.`;
}
