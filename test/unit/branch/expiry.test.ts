import { expect, it } from 'vitest';
import { expiryOf } from '../../../src/branch/expiry.ts';

const now = Date.parse('2026-11-21T08:00:00.700Z');
const day = 86_400_000;

it('is the given time, or the duration from now, in whole seconds', () => {
  expect(expiryOf({ expires_at: now, expires_in: undefined }, 0)).toBe('2026-11-21T08:00:00Z');
  expect(expiryOf({ expires_at: undefined, expires_in: day }, now)).toBe('2026-11-22T08:00:00Z');
  expect(expiryOf({ expires_at: undefined, expires_in: undefined }, now)).toBeUndefined();
});

it('is at most 30 days ahead even for a service whose clock is slightly slow', () => {
  const at = Date.parse(expiryOf({ expires_at: undefined, expires_in: 30 * day }, now) ?? '');
  expect(at).toBeLessThanOrEqual(now + 30 * day - 60_000);
  expect(at).toBeGreaterThan(now + 30 * day - 62_000);
});
