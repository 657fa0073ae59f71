import { parseRetryAfter } from '../http/retry.ts';
import { oneLine } from '../text/inert.ts';

/** What GitHub answered, as far as it decides what happens next. */
export interface Refusal {
  status: number;
  message: string;
  headers: Record<string, string | number | undefined>;
}

/** GitHub asks for at least a minute where it does not say how long a secondary limit lasts, in milliseconds. */
const unsaidLimitMs = 60_000;

/**
 * How long to wait in milliseconds where the answer is a rate limit (primary or secondary), else undefined.
 * https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api#exceeding-the-rate-limit
 */
export function rateLimitMs(refusal: Refusal, options: { now: number; attempt: number }): number | undefined {
  const { status, message, headers } = refusal;
  const { now, attempt } = options;
  const header = (name: string) => (headers[name] === undefined ? undefined : String(headers[name]));
  const spent = header('x-ratelimit-remaining') === '0';
  const retryAfter = parseRetryAfter(header('retry-after'), now);
  const said = /rate limit|abuse detection/i.test(message);
  // GraphQL answers a spent limit with 200 and an error in the body, which comes here as its message.
  const limited =
    status === 429 || (status === 403 && (spent || retryAfter !== undefined || said)) || (status === 200 && said);
  if (!limited) return undefined;
  if (retryAfter !== undefined) return retryAfter;
  const reset = Number(header('x-ratelimit-reset'));
  if (spent && reset > 0) return Math.max(1_000, reset * 1_000 - now);
  return unsaidLimitMs * 2 ** (attempt - 1);
}

/** Whether an answer says that the token itself, or its permissions, do not allow what was asked for. */
export function isDenied(refusal: Pick<Refusal, 'status' | 'message'>): boolean {
  return refusal.status === 401 || refusal.status === 403;
}

/** Why GitHub refuses, and what to do about it. `permission` is what the request needs: `pull-requests: read`. */
export function denial(options: {
  goal: string;
  permission: string;
  refusal: Pick<Refusal, 'status' | 'message'>;
}): string {
  const { goal, permission, refusal } = options;
  const said = refusal.message ? `: ${oneLine(refusal.message, 200)}` : '';
  if (refusal.status === 401) {
    return `Could not ${goal}: GitHub rejects the token (401${said}). Is \`github_token\` a token of this repository that has not expired?`;
  }
  if (/\blocked\b/i.test(refusal.message))
    return `Could not ${goal}: the conversation is locked (${refusal.status}${said}).`;
  return `Could not ${goal}: the token may not do that (${refusal.status}${said}). Give the job \`permissions: ${permission}\`, or \`github_token\` a token that has it.`;
}
