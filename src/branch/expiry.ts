import { longestExpiryMs, toSeconds } from '../step/values.ts';

/** How far the runner's clock may be ahead of the service's, which rejects an expiry more than 30 days ahead by its own clock. */
const clockSlackMs = 60_000;

/** The time at which the service deletes the branch, from either input: RFC 3339 with whole seconds. */
export function expiryOf(
  inputs: { expires_at?: number | undefined; expires_in?: number | undefined },
  now: number,
): string | undefined {
  const ms = inputs.expires_in === undefined ? undefined : Math.min(inputs.expires_in, longestExpiryMs - clockSlackMs);
  const at = inputs.expires_at ?? (ms === undefined ? undefined : now + ms);
  return at === undefined ? undefined : toSeconds(at);
}
