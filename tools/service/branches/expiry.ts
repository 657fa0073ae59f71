import type { Branch } from '@neon/sdk/raw';
import { badRequest, unprocessable } from '../http/errors.ts';
import type { State } from '../state.ts';
import { timestamp } from '../time.ts';

const DAY_MS = 86_400_000;
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;

/** An expiry, without fractions of a second. Throws unless it is an RFC 3339 time, is at most 30 days ahead, and the branch may have one. */
export function parseExpiry(
  state: State,
  value: string | undefined,
  branch: { default: boolean; protected: boolean; children?: boolean },
): string | undefined {
  if (value === undefined) return undefined;
  const at = Date.parse(value);
  if (!RFC_3339.test(value) || Number.isNaN(at)) throw badRequest('"expires_at" is not an RFC 3339 time');
  const now = state.now();
  if (at <= now) throw unprocessable('"expires_at" is not in the future');
  if (at > now + 30 * DAY_MS) throw unprocessable('"expires_at" is more than 30 days ahead');
  if (branch.default) throw unprocessable('the default branch cannot have an expiry');
  if (branch.protected) throw unprocessable('a protected branch cannot have an expiry');
  if (branch.children) throw unprocessable('a branch with children cannot have an expiry');
  return timestamp(at);
}

/** The fields of a branch that show its expiry. A reset applies `ttl_interval_seconds` again. */
export function expiryFields(
  expiresAt: string | undefined,
  now: number,
): Pick<Branch, 'expires_at' | 'ttl_interval_seconds'> {
  if (expiresAt === undefined) return {};
  return { expires_at: expiresAt, ttl_interval_seconds: Math.round((Date.parse(expiresAt) - now) / 1000) };
}
