import { describe, expect, it } from 'vitest';
import { ApiError, UncertainError } from '../../../src/http/errors.ts';
import { failIfLost, resendAfterLookup } from '../../../src/http/lost-response.ts';
import { object, string } from '../../../src/http/shape.ts';
import { mockApi, type Reply } from '../../support/mock-api.ts';

const read = (body: unknown) => string(object(body, 'the response').name, 'name');
const lost: Reply = { error: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) };
const made: Reply = { body: { name: 'made' } };

/** A change that is looked up with `GET /look`, which returns 404 if it was not made. */
function change(replies: Reply[], options: { timeoutMs?: number } = {}) {
  const mock = mockApi(replies, options);
  const { api } = mock;
  const run = () =>
    resendAfterLookup({
      api,
      send: () => api.request({ goal: 'make it', method: 'POST', path: '/make', body: {}, read }),
      lookUp: async () => {
        try {
          return (await api.request({ goal: 'look', method: 'GET', path: '/look', read })).value;
        } catch (error) {
          if (error instanceof ApiError && error.status === 404) return undefined;
          throw error;
        }
      },
    });
  const trail = () => mock.sent.map((one) => one.path.replace('/api/v2', ''));
  return { ...mock, run, trail };
}

const nothing: Reply = { status: 404 };
const found: Reply = { body: { name: 'found' } };

describe('a request that must not act twice', () => {
  it('is sent once if the response arrives', async () => {
    const { run, trail } = change([made]);
    expect(await run()).toEqual({ value: 'made', from: 'response', mayHaveActedBefore: false });
    expect(trail()).toEqual(['/make']);
  });

  it.each([
    ['lost', lost],
    ['cut off', { text: '{"name' }],
    ['empty', {}],
    ['a 500', { status: 500 }],
    ['a 502', { status: 502, text: '<html>' }],
    ['a 504', { status: 504 }],
    ['a 408', { status: 408 }],
  ] satisfies [string, Reply][])(
    'is looked up if its response is %s, and not sent again if it has acted',
    async (_, reply) => {
      const { run, trail } = change([reply, found]);
      expect(await run()).toEqual({ value: 'found', from: 'lookup', mayHaveActedBefore: true });
      expect(trail()).toEqual(['/make', '/look']);
    },
  );

  it('is sent again after a delay if the lookup finds nothing', async () => {
    const { run, trail, clock } = change([lost, nothing, lost, nothing, made]);
    expect(await run()).toEqual({ value: 'made', from: 'response', mayHaveActedBefore: true });
    expect(trail()).toEqual(['/make', '/look', '/make', '/look', '/make']);
    expect(clock.pauses).toEqual([500, 1_000]);
  });

  it('is sent again as long as there is time', async () => {
    const { run, trail } = change([...Array.from({ length: 5 }, () => [lost, nothing]).flat(), made]);
    expect(await run()).toMatchObject({ value: 'made' });
    expect(trail()).toHaveLength(11);
  });

  it('is sent again without a lookup if it cannot have acted', async () => {
    const { run, trail } = change([{ status: 423 }, { status: 503 }, { status: 429 }, made]);
    expect(await run()).toMatchObject({ value: 'made', from: 'response', mayHaveActedBefore: false });
    expect(trail()).toEqual(['/make', '/make', '/make', '/make']);
  });

  it('fails with the last error, which says that an earlier attempt may have acted', async () => {
    const refused: Reply = { status: 409, body: { code: 'TAKEN' } };
    const first = await change([refused])
      .run()
      .catch((error: unknown) => error);
    expect(first).toMatchObject({ status: 409, mayHaveActed: false });
    const second = await change([lost, nothing, refused])
      .run()
      .catch((error: unknown) => error);
    expect(second).toMatchObject({ status: 409, code: 'TAKEN', mayHaveActed: true, attempts: 2 });
  });

  it('waits for Retry-After before it is sent again', async () => {
    const { run, clock } = change([{ status: 500, headers: { 'retry-after': '9' } }, nothing, made]);
    await run();
    expect(clock.pauses[0]).toBeGreaterThanOrEqual(9_000);
  });

  it('gives up after three unreadable responses, each followed by a lookup', async () => {
    const { run, trail } = change([{ text: '{' }, nothing, { text: '{' }, nothing, { text: '{' }, nothing]);
    await expect(run()).rejects.toThrow('with an unexpected body');
    expect(trail()).toEqual(['/make', '/look', '/make', '/look', '/make', '/look']);
  });

  it('fails with its own error if the next attempt would be too late', async () => {
    const { run, trail } = change([lost, nothing], { timeoutMs: 400 });
    await expect(run()).rejects.toThrow(
      /^Could not make it: .*ECONNRESET[^;]*; gave up, because the next attempt would be in 500ms/,
    );
    expect(trail()).toEqual(['/make', '/look']);
  });

  it('fails at once with an error that is not about the response', async () => {
    const bug = new TypeError('a bug');
    const { api } = mockApi([]);
    const lookUp = () => Promise.reject(new Error('not looked up'));
    await expect(resendAfterLookup({ api, send: () => Promise.reject(bug), lookUp })).rejects.toBe(bug);
  });

  it('may have acted before if an attempt of its own was lost', async () => {
    const { api } = mockApi([{ status: 500 }, made]);
    const send = () => api.request({ goal: 'drop it', method: 'DELETE', path: '/make', read });
    expect(await resendAfterLookup({ api, send, lookUp: async () => undefined })).toMatchObject({
      from: 'response',
      mayHaveActedBefore: true,
    });
  });

  it('is not sent again if the lookup itself fails', async () => {
    const { run, trail } = change([lost, { status: 403 }]);
    await expect(run()).rejects.toThrow('Could not look: 403');
    expect(trail()).toEqual(['/make', '/look']);
  });
});

describe('a request that must not act twice and cannot be looked up', () => {
  const send = (reply: Reply) => {
    const { api, sent } = mockApi([reply]);
    const request = () => api.request({ goal: 'make it', method: 'POST', path: '/make', body: {}, read });
    return { sent, result: failIfLost('check it', request) };
  };

  it('fails with advice if its response is lost, and is not sent again', async () => {
    const { sent, result } = send(lost);
    await expect(result).rejects.toThrow(/^Could not make it: .*so it was not retried: check it before you run/);
    await expect(result).rejects.toBeInstanceOf(UncertainError);
    expect(sent).toHaveLength(1);
  });

  it('returns its value, or fails with its own error', async () => {
    expect(await send(made).result).toMatchObject({ value: 'made' });
    await expect(send({ status: 409 }).result).rejects.toBeInstanceOf(ApiError);
    const bug = new TypeError('a bug');
    await expect(failIfLost('check it', () => Promise.reject(bug))).rejects.toBe(bug);
  });
});
