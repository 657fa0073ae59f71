import { describe, expect, it } from 'vitest';
import { object, string } from '../../../src/http/shape.ts';
import { mockApi, origin, type Reply } from '../../support/mock-api.ts';
import { failure, get, ok, post } from '../../support/requests.ts';

describe('an unreadable response', () => {
  const read = (body: unknown) => string(object(body, 'the response').name, 'name');

  it.each([
    ['cut off', { text: '{"name": "x' }, 'not JSON, or truncated'],
    ['empty', { text: ' ' }, 'the response is not an object'],
    ['an HTML page', { text: '<html>hello' }, 'not JSON'],
    ['of another shape', { body: { name: 7 } }, 'name is missing or not a string'],
    ['null', { body: null }, 'the response is not an object'],
  ] satisfies [string, Reply, string][])('fails after three attempts: %s', async (_, reply, said) => {
    const { api, sent } = mockApi([reply]);
    const error = await failure(get(api, { read }));
    expect(error.message).toContain(`200 with an unexpected body: ${said}`);
    expect(error).toMatchObject({ attempts: 3, mayHaveActed: false, failure: { kind: 'unreadable' } });
    expect(sent).toHaveLength(3);

    expect(await get(mockApi([reply, { body: { name: 'x' } }]).api, { read })).toMatchObject({ value: 'x' });
  });

  it('gets three attempts even after other transient errors', async () => {
    const { api, sent } = mockApi((_, nth) =>
      nth <= 3 ? { status: 502 } : nth <= 5 ? { text: '{' } : { body: { name: 'x' } },
    );
    expect(await get(api, { read })).toMatchObject({ value: 'x' });
    expect(sent).toHaveLength(6);
  });

  it('is not retried for a change, which the caller has to look up', async () => {
    const { api, sent } = mockApi([{ text: '{' }]);
    expect(await failure(post(api, { read }))).toMatchObject({ mayHaveActed: true, attempts: 1 });
    expect(sent).toHaveLength(1);
  });

  it('does not appear in the error message', async () => {
    const { api } = mockApi([{ text: '{"password": "hunter22", "name": ' }]);
    expect((await failure(get(api, { read }))).message).not.toContain('hunter22');
  });
});

describe('a redirect', () => {
  const to = (location: string, status = 307): Reply => ({ status, headers: { location } });
  const methods = ['GET', 'POST', 'DELETE'] as const;

  it.each([301, 302, 303, 307, 308])('with %i is not followed within the origin', async (status) => {
    for (const method of methods) {
      const { api, sent } = mockApi([to('/api/v2/other', status), ok]);
      const error = await failure(get(api, { method }));
      expect(error.message).toBe(`Could not read it: ${status}, a redirect to "/api/v2/other", which is not followed`);
      expect(error.mayHaveActed).toBe(false);
      expect(sent).toHaveLength(1);
    }
  });

  it.each([
    'https://elsewhere.test/api',
    '//elsewhere.test/api',
    'http://api.local.test/api',
    'https://api.local.test:8443/',
  ])('to another origin (%s) is not followed, and the key is not sent there', async (location) => {
    for (const method of methods) {
      const { api, sent } = mockApi([to(location), ok]);
      const error = await failure(get(api, { method }));
      expect(error.message).toContain(`a redirect to "${location}", which is not followed`);
      expect(sent.map((one) => one.origin)).toEqual([origin]);
    }
  });

  it('is shown without the query of its target; the log hides the password', async () => {
    const { api } = mockApi([to('https://user:pass@elsewhere.test/login?token=abc#def')]);
    expect((await failure(get(api))).message).toContain(
      'a redirect to "https://user:pass@elsewhere.test/login", which',
    );
  });
});
