import { describe, expect, it } from 'vitest';
import { unlessNotFound } from '../../../src/http/errors.ts';
import type { Recover } from '../../../src/http/request.ts';
import { object, string } from '../../../src/http/shape.ts';
import { mockApi, type Reply } from '../../support/mock-api.ts';

const read = (body: unknown) => string(object(body, 'the response').name, 'name');
const lost: Reply = { error: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) };
const made: Reply = { body: { name: 'made' } };

/** A change that is looked up with `GET /look`, which returns 404 if it was not made. */
function change(replies: Reply[], options: { timeoutMs?: number } = {}) {
  const mock = mockApi(replies, options);
  const { api } = mock;
  const recover: Recover<string> = async (error) => {
    if (!error.failure.mayHaveActed) return undefined;
    const made = await unlessNotFound(api.request({ goal: 'look', method: 'GET', path: '/look', read }));
    return made ? { done: made.value } : 'resend';
  };
  const run = () => api.request({ goal: 'make it', method: 'POST', path: '/make', body: {}, recover, read });
  const trail = () => mock.sent.map((one) => one.path.replace('/api/v2', ''));
  return { ...mock, run, trail };
}

const nothing: Reply = { status: 404 };
const found: Reply = { body: { name: 'found' } };

describe('a request that must not act twice', () => {
  it.each([
    ['lost', lost],
    ['cut off', { text: '{"name' }],
    ['a 502', { status: 502, text: '<html>' }],
    ['a 408', { status: 408 }],
  ] satisfies [string, Reply][])(
    'is looked up if its response is %s, and not sent again if it has acted',
    async (_, reply) => {
      const { run, trail } = change([reply, found]);
      expect(await run()).toMatchObject({ value: 'found' });
      expect(trail()).toEqual(['/make', '/look']);
    },
  );

  it('says that it may have happened, whatever ends the lookup', async () => {
    const refused = change([{ status: 502 }, { status: 403, body: { message: 'no' } }]);
    await expect(refused.run()).rejects.toMatchObject({
      message: 'Could not make it: 502; could not look: 403, no',
      mayHaveActed: true,
    });
    const stopped = change([{ status: 502 }, { status: 500 }]);
    stopped.clock.onSleep = () => stopped.stop();
    await expect(stopped.run()).rejects.toMatchObject({
      message: 'The time is over while trying to make it; the previous attempt failed: 502',
      mayHaveActed: true,
    });
  });

  it('is sent again after a delay if the lookup finds nothing', async () => {
    const { run, trail, clock } = change([lost, nothing, lost, nothing, made]);
    expect(await run()).toMatchObject({ value: 'made' });
    expect(trail()).toEqual(['/make', '/look', '/make', '/look', '/make']);
    expect(clock.pauses).toEqual([500, 1_000]);
  });

  it('is sent again without a lookup if it cannot have acted', async () => {
    const { run, trail } = change([{ status: 423 }, { status: 503 }, { status: 429 }, made]);
    expect(await run()).toMatchObject({ value: 'made' });
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
      /^Could not make it: .*ECONNRESET[^;]*; gave up: the next attempt would exceed `timeout`/,
    );
    expect(trail()).toEqual(['/make', '/look']);
  });

  it('says whether it may have acted if the step ends during the delay', async () => {
    const { run, clock, stop } = change([lost, nothing]);
    clock.onSleep = () => stop();
    await expect(run()).rejects.toMatchObject({
      message: expect.stringMatching(
        /^The time is over while trying to make it; the previous attempt failed: .*ECONNRESET/,
      ),
      mayHaveActed: true,
    });
  });
});

describe('a policy of the caller', () => {
  const send = (recover: Recover<string>, replies: Reply[], timeoutMs?: number) => {
    const mock = mockApi(replies, timeoutMs === undefined ? {} : { timeoutMs });
    const result = mock.api.request({ goal: 'make it', method: 'POST', path: '/make', body: {}, recover, read });
    return { ...mock, result };
  };
  const refused: Reply = { status: 422 };

  it('is not asked about what is retried anyway, nor about what was not sent', async () => {
    const asked: number[] = [];
    const recover: Recover<string> = async ({ status = 0 }) => {
      asked.push(status);
      return undefined;
    };
    await send(recover, [{ status: 423 }, { status: 503 }, made]).result;
    await expect(send(recover, [{ status: 403 }]).result).rejects.toMatchObject({ status: 403 });
    expect(asked).toEqual([403]);
  });

  it('ends the request with what it throws', async () => {
    const error = new Error('kept');
    await expect(send(() => Promise.reject(error), [refused]).result).rejects.toBe(error);
  });
});
