import { describe, expect, it } from 'vitest';
import { StoppedError } from '../../../src/http/errors.ts';
import { mockApi } from '../../support/mock-api.ts';
import { get, ok, post } from '../../support/requests.ts';

describe('a delay between requests', () => {
  it('ends with the step, and says what was going on', async () => {
    const { api, clock, stop } = mockApi([]);
    await api.sleep(300);
    expect(clock.pauses).toEqual([300]);
    stop();
    await expect(api.sleep(300)).rejects.toMatchObject({ name: 'StoppedError', message: 'The time is over' });
    await expect(api.sleep(300, 'waiting until x')).rejects.toThrow('The time is over while waiting until x');
    expect(clock.pauses).toEqual([300]);
  });

  it('is not begun if the step would end with it', async () => {
    const at = async (timeoutMs: number) => {
      const { api, clock } = mockApi([{ status: 503 }, ok], { timeoutMs });
      await get(api).catch(() => {});
      return clock.pauses;
    };
    expect(await at(500)).toEqual([]);
    expect(await at(501)).toEqual([500]);
  });

  it('works without `onRetry`', async () => {
    const quiet = mockApi([{ status: 503 }, ok], { onRetry: undefined as never, onTrace: undefined as never });
    await post(quiet.api);
    expect(quiet.clock.pauses).toEqual([500]);
  });
});

it('says before each attempt whether an earlier one may have acted', async () => {
  const seen: boolean[] = [];
  const { api } = mockApi([{ status: 423 }, { status: 502 }, ok]);
  const beforeAttempt = async (mayHaveActed: boolean) => void seen.push(mayHaveActed);
  await get(api, { method: 'DELETE', beforeAttempt });
  expect(seen).toEqual([false, false, true]);
});

it('says whether an earlier attempt may have acted if `beforeAttempt` is interrupted', async () => {
  const { api } = mockApi([{ status: 502 }, ok]);
  let calls = 0;
  const beforeAttempt = async () => {
    if (++calls === 2) throw new StoppedError('cancelled', 'The step was cancelled');
  };
  await expect(get(api, { method: 'DELETE', beforeAttempt })).rejects.toMatchObject({
    message: 'The step was cancelled while trying to read it; the previous attempt failed: 502',
    mayHaveActed: true,
  });
});

it('masks by the names of fields', async () => {
  const { api, masked } = mockApi([{ body: { token: 'abcd-1234', token_name: 'abcd-5678' } }]);
  await get(api);
  expect(masked).toContain('abcd-1234');
  expect(masked).not.toContain('abcd-5678');
});
