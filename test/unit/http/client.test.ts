import { describe, expect, it } from 'vitest';
import { StoppedError } from '../../../src/http/errors.ts';
import { mockApi, origin } from '../../support/mock-api.ts';
import { failure, get, ok, post } from '../../support/requests.ts';

const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

/** Whether an earlier attempt may have acted, as the reader of the response is told. */
const read = (_body: unknown, _status: number, mayHaveActed: boolean) => mayHaveActed;

describe('a request', () => {
  it('has the key, JSON headers, a unique ID and the query', async () => {
    const { api, sent } = mockApi([ok]);
    const response = await post(api, { query: { search: 'a/b & c', limit: 5, pooled: true, cursor: undefined } });
    expect(response).toMatchObject({ status: 200, value: { a: 1 } });
    await get(api);
    expect(sent).toMatchObject([
      { method: 'POST', path: '/api/v2/things/1?search=a%2Fb+%26+c&limit=5&pooled=true', body: { name: 'a' } },
      { method: 'GET', path: '/api/v2/things/1', body: undefined },
    ]);
    for (const { headers } of sent) {
      expect(headers).toMatchObject({
        accept: 'application/json',
        'accept-encoding': 'identity',
        authorization: 'Bearer napi_secretkey',
        'content-type': 'application/json',
        'user-agent': 'database-branch-action',
      });
    }
    const ids = sent.map(({ headers }) => headers['x-request-id']);
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("returns the service's time", async () => {
    const { api } = mockApi([
      { ...ok, headers: { date: 'Wed, 04 Mar 2026 05:06:07 GMT' } },
      { ...ok, headers: { date: 'soon' } },
      ok,
    ]);
    expect((await get(api)).date).toBe(Date.parse('2026-03-04T05:06:07Z'));
    expect((await get(api)).date).toBeUndefined();
    expect((await get(api)).date).toBeUndefined();
  });

  it('never goes to another origin, whatever the path', async () => {
    for (const baseUrl of [`${origin}/api/v2`, origin]) {
      const { api, sent } = mockApi([ok], { baseUrl });
      for (const path of ['.evil.test/x', '@elsewhere.test/x', '//elsewhere.test/x', '/\\elsewhere.test', ':8443/x'])
        await get(api, { path }).catch((error: unknown) => expect(String(error)).toMatch(/leaves|Invalid URL/));
      expect(sent.filter((one) => one.origin !== origin)).toEqual([]);
    }
  });

  it('masks every secret in the response before the response is read', async () => {
    const uri = 'postgresql://app:p%40ss@host/db';
    const { api, masked } = mockApi([{ body: { connection_uri: uri, roles: [{ password: 'pw-1' }] } }]);
    await get(api, {
      read: () => {
        expect(masked).toEqual(expect.arrayContaining([uri, 'p%40ss', 'p@ss', 'pw-1']));
      },
    });
    expect.assertions(1);
  });
});

describe('an error response', () => {
  it('becomes one sentence with everything that the service said', async () => {
    const { api } = mockApi([
      {
        status: 422,
        body: { request_id: 'req-1', code: 'BRANCHES_LIMIT_EXCEEDED', message: 'branches limit\n::error::x' },
      },
    ]);
    const error = await failure(post(api));
    expect(error.message).toBe(
      'Could not make it: 422 BRANCHES_LIMIT_EXCEEDED, branches limit ::error::x (request id req-1)',
    );
    expect(error).toMatchObject({ status: 422, code: 'BRANCHES_LIMIT_EXCEEDED', attempts: 1, mayHaveActed: false });
  });
});

describe('a transient error', () => {
  it.each([423, 429, 503])('%i is retried for every method', async (status) => {
    for (const method of ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const) {
      const { api, sent, clock, retries } = mockApi([{ status }, { status }, ok]);
      expect(await get(api, { method, read })).toMatchObject({ value: false });
      expect(sent).toHaveLength(3);
      expect(clock.pauses).toHaveLength(2);
      expect(clock.pauses[1]).toBeGreaterThan(clock.pauses[0] as number);
      expect(retries[0]).toMatch(new RegExp(`^${method} /things/1: ${status}; retrying in `));
    }
  });

  it('is retried without a limit on attempts, only on time', async () => {
    const { api, sent, clock } = mockApi((_, nth) => (nth <= 40 ? { status: 503 } : ok));
    await get(api);
    expect(sent).toHaveLength(41);
    // Exponential, with a cap.
    expect(Math.max(...clock.pauses)).toBe(15_000);
    expect(clock.pauses[39]).toBe(15_000);
  });
});

describe('Retry-After', () => {
  it("as a date is read by the service's clock, which may be hours off", async () => {
    const headers = { 'retry-after': 'Wed, 04 Mar 2026 09:00:07 GMT', date: 'Wed, 04 Mar 2026 09:00:00 GMT' };
    const { api, clock } = mockApi([{ status: 429, headers }, ok]);
    await get(api);
    expect(clock.pauses[0]).toBeGreaterThanOrEqual(7_000);
    expect(clock.pauses[0]).toBeLessThan(9_000);
  });

  it("beyond the step's timeout fails the request at once, with the cause", async () => {
    const { api, sent, clock } = mockApi([{ status: 429, headers: { 'retry-after': '3600' } }, ok], {
      timeoutMs: 600_000,
    });
    const error = await failure(get(api));
    expect(error.message).toMatch(/: 429; gave up: the next attempt would exceed `timeout`$/);
    expect({ sent: sent.length, pauses: clock.pauses }).toEqual({ sent: 1, pauses: [] });
  });
});

describe("the step's timeout", () => {
  it('ends the retries with the last error of the service', async () => {
    const { api, clock } = mockApi([{ status: 503, body: { message: 'maintenance' } }], { timeoutMs: 5_000 });
    const error = await failure(get(api));
    expect(error.message).toMatch(
      /: 503, maintenance \(\d attempts\); gave up: the next attempt would exceed `timeout`$/,
    );
    expect(clock.pauses.reduce((sum, one) => sum + one, 0)).toBeLessThan(5_000);
  });

  it('ends a delay', async () => {
    const { api, clock, stop } = mockApi([{ status: 503 }]);
    clock.onSleep = () => stop();
    const error: unknown = await get(api).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StoppedError);
    const message = 'The time is over while trying to read it; the previous attempt failed: 503';
    expect(error).toMatchObject({ reason: 'timeout', message });
  });

  it('names the last error of the service if it interrupts a later request', async () => {
    let requests = 0;
    const { api, stop } = mockApi(() => {
      if (++requests === 3) stop();
      return requests === 3 ? ok : { status: 503, body: { message: `maintenance ${requests}` } };
    });
    await expect(get(api)).rejects.toMatchObject({
      message: 'The time is over while trying to read it; the previous attempt failed: 503, maintenance 2',
    });
  });

  it('prevents requests once it has passed', async () => {
    const { api, stop, sent } = mockApi([ok]);
    stop();
    await expect(get(api)).rejects.toBeInstanceOf(StoppedError);
    await expect(get(api, { method: 'DELETE' })).rejects.toMatchObject({ name: 'StoppedError', mayHaveActed: false });
    expect(sent).toHaveLength(0);
  });

  it('says whether the request that it interrupts may have acted', async () => {
    const under = mockApi(() => {
      under.stop();
      return ok;
    });
    await expect(get(under.api, { method: 'DELETE' })).rejects.toMatchObject({
      name: 'StoppedError',
      mayHaveActed: true,
    });
    const read = mockApi(() => {
      read.stop();
      return ok;
    });
    await expect(get(read.api)).rejects.toMatchObject({ name: 'StoppedError', mayHaveActed: false });
  });

  it.each([
    { status: 504, mayHaveActed: true },
    { status: 423, mayHaveActed: false },
  ])('says during a delay whether earlier attempts may have acted: $status', async ({ status, mayHaveActed }) => {
    const { api, clock, stop } = mockApi([{ status }]);
    clock.onSleep = () => stop();
    await expect(get(api, { method: 'DELETE' })).rejects.toMatchObject({ name: 'StoppedError', mayHaveActed });
  });
});

describe('a network error', () => {
  it('is retried for every method if the request was never sent', async () => {
    const { api, sent } = mockApi([{ error: refused }, { error: refused }, ok]);
    expect(await post(api, { read })).toMatchObject({ value: false });
    expect(sent).toHaveLength(3);
  });

  it('is retried for idempotent requests if the response was lost', async () => {
    for (const method of ['GET', 'DELETE'] as const) {
      const { api, sent } = mockApi([{ error: reset }, ok]);
      expect(await get(api, { method, read })).toMatchObject({ value: method === 'DELETE' });
      expect(sent).toHaveLength(2);
    }
    const error = await failure(post(mockApi([{ error: reset }]).api));
    expect(error.message).toBe('Could not make it: no response from api.local.test: read ECONNRESET');
    expect(error).toMatchObject({ mayHaveActed: true, attempts: 1, failure: { kind: 'network', errno: 'ECONNRESET' } });
  });
});

it('traces each attempt on one line, without key or body', async () => {
  const mock = mockApi((_, nth) => {
    mock.clock.pass(40);
    return nth === 1 ? { status: 503 } : ok;
  });
  await post(mock.api, { path: '/things/1\n2', body: { password: 'hunter22' } });
  expect(mock.traces).toEqual(['POST /things/1 2: 503 (40ms)', 'POST /things/1 2: 200 (40ms)']);
});
