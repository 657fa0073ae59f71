import { describe, expect, it } from 'vitest';
import type { Context } from '../../../src/context.ts';
import { ApiError, type Failure, UncertainError } from '../../../src/http/errors.ts';
import { sendAndRecord } from '../../../src/manage/exchange.ts';
import { LookupError } from '../../../src/manage/requests.ts';

function apiError(failure: Partial<Failure>): ApiError {
  const request = { goal: 'complete GET /things', method: 'GET', path: '/things' };
  const whole: Failure = { kind: 'status', what: '404', mayHaveActed: false, ...failure };
  return new ApiError({ request, failure: whole, attempts: 1, mayHaveActed: false });
}

/** Sends a request that fails: what it throws, and what is recorded, each with what was masked by then. */
async function fail(failure: Error) {
  const masked: string[] = [];
  const recorded: { body: string; status: number; masked: string[] }[] = [];
  const context = {
    mask: (secret: string) => void masked.push(secret),
    progress: ({ response }) => response && recorded.push({ ...response, masked: [...masked] }),
  } as Pick<Context, 'mask' | 'progress'> as Context;
  const thrown = await sendAndRecord(context, {
    send: () => Promise.reject(failure),
    explain: (error) => new Error(`explained: ${error.message}`),
  }).catch((error: unknown) => error);
  return { recorded, thrown };
}

describe('a failed request', () => {
  it('is recorded as the service returned it, and explained', async () => {
    const { recorded, thrown } = await fail(
      apiError({ status: 409, code: 'TAKEN', message: 'exists', requestId: 'r-1' }),
    );
    const body = JSON.stringify({ request_id: 'r-1', code: 'TAKEN', message: 'exists' });
    expect(recorded).toEqual([{ status: 409, body, masked: [] }]);
    expect(thrown).toMatchObject({ message: expect.stringMatching(/^explained: Could not complete GET/) });
  });

  it('is recorded but not explained if it may have taken effect', async () => {
    const error = new UncertainError(apiError({ status: 500 }), 'check');
    const { recorded, thrown } = await fail(error);
    expect(recorded).toMatchObject([{ status: 500 }]);
    expect(thrown).toBe(error);
  });

  it('is not recorded if a lookup failed instead, or anything else', async () => {
    const lookup = apiError({ status: 403 });
    expect(await fail(new LookupError(lookup))).toEqual({ recorded: [], thrown: lookup });
    const other = new Error('other');
    expect(await fail(other)).toEqual({ recorded: [], thrown: other });
  });

  it('is recorded without the password of a connection URI, which is not masked elsewhere', async () => {
    const uri = 'postgresql://someone:pa%24%24word@host/db';
    const [recorded] = (await fail(apiError({ status: 400, message: `cannot reach ${uri}` }))).recorded;
    expect(recorded?.body).toContain('cannot reach postgresql://***@host/db');
    // Whoever causes an error would otherwise decide what is blanked in the log.
    expect(recorded?.masked).toEqual([]);
  });

  it('without a readable response is not recorded', async () => {
    expect((await fail(apiError({ kind: 'unreadable', status: 200 }))).recorded).toEqual([]);
    expect((await fail(apiError({ kind: 'network' }))).recorded).toEqual([]);
  });
});
