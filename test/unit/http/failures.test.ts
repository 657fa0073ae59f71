import { describe, expect, it } from 'vitest';
import { networkFailure, statusFailure, unreadableFailure } from '../../../src/http/failures.ts';
import { ShapeError } from '../../../src/text/json.ts';

const coded = (code: string, message = 'it broke') => Object.assign(new Error(message), { code });

describe('an error response', () => {
  const failure = (over: Partial<Parameters<typeof statusFailure>[0]> = {}) =>
    statusFailure({ status: 400, text: undefined, headers: {}, ...over }, 0);
  const withMessage = (message: unknown) => failure({ text: JSON.stringify({ message }) });

  it('is its status alone if its body cannot be read', () => {
    expect(failure()).toEqual({ kind: 'status', status: 400, what: '400', mayHaveActed: false });
    expect(failure({ text: '7' })).toEqual(failure());
    expect(failure({ text: 'null' })).toEqual(failure());
    expect(failure({ text: '{}' })).toEqual(failure());
  });

  it.each([
    ['not valid.', '400, not valid'],
    ['please wait...', '400, please wait...'],
    ['v1.2 is old', '400, v1.2 is old'],
    ['', '400'],
    [7, '400'],
  ])('has the message %j as a part of a sentence', (message, what) => {
    expect(withMessage(message).what).toBe(what);
  });

  it('has code, message and request ID apart from each other too', () => {
    const text = JSON.stringify({ code: 'TAKEN', message: 'in use.', request_id: 'r-1' });
    expect(failure({ text, headers: { 'x-request-id': 'other' } })).toMatchObject({
      what: '400 TAKEN, in use',
      code: 'TAKEN',
      message: 'in use.',
      requestId: 'r-1',
    });
  });

  it('has the first `Retry-After` if it was sent more than once', () => {
    expect(failure({ headers: { 'retry-after': '3, 60' } })).toMatchObject({ retryAfterMs: 3_000 });
  });

  it('has a short request ID, and no code of a page', () => {
    expect(failure({ headers: { 'x-request-id': 'a\n'.repeat(200) } }).requestId).toHaveLength(80);
    expect(failure({ text: '<html>' }).what).toBe('400');
  });

  it.each([
    [500, true],
    [408, true],
    [499, false],
    [503, false],
  ])('to a change with %i may have taken effect: %s', (status, mayHaveActed) => {
    expect(failure({ status }).mayHaveActed).toBe(mayHaveActed);
  });
});

describe('a response that cannot be read', () => {
  it('has the reason', () => {
    expect(unreadableFailure(201, new ShapeError('id is missing'))).toMatchObject({
      kind: 'unreadable',
      status: 201,
      what: '201 with an unexpected body: id is missing',
      mayHaveActed: true,
    });
  });

  it('is not a failure of the request if the error is not about the response', () => {
    const error = new TypeError('a bug');
    expect(() => unreadableFailure(200, error)).toThrow(error);
  });
});

describe('a request without a response', () => {
  const failure = (error: unknown) => networkFailure(error, { host: 'h' });

  it.each([
    ['ECONNREFUSED', false],
    ['ENOTFOUND', false],
    ['EAI_AGAIN', false],
    ['ECONNRESET', true],
    ['EPIPE', true],
    ['UND_ERR_SOCKET', true],
    ['UND_ERR_CONNECT_TIMEOUT', false],
    ['UND_ERR_PRX_CONN', false],
    ['UND_ERR_PRX_TLS', false],
    ['UND_ERR_HEADERS_TIMEOUT', true],
    ['UND_ERR_BODY_TIMEOUT', true],
    ['ETIMEDOUT', true],
    ['EPROTO', false],
    ['ERR_SSL_WRONG_VERSION_NUMBER', false],
    ['CERT_HAS_EXPIRED', false],
    ['ERR_TLS_CERT_ALTNAME_INVALID', false],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', false],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', false],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', false],
  ])('says what happened (%s), and whether it may have taken effect: %s', (code, mayHaveActed) => {
    const error = new TypeError('fetch failed', { cause: coded(code) });
    const what = `no response from h: it broke (${code})`;
    expect(failure(error)).toMatchObject({ kind: 'network', what, errno: code, mayHaveActed, cause: error });
  });

  it('says that the proxy did not open a tunnel', () => {
    const cause = coded('UND_ERR_ABORTED', 'Proxy response (407) !== 200 when HTTP Tunneling');
    const what = 'no response from h: Proxy response (407) !== 200 when HTTP Tunneling (UND_ERR_ABORTED)';
    expect(failure(new Error('failed', { cause }))).toMatchObject({ what, mayHaveActed: false });
  });

  it.each([
    ['an unknown code', coded('EODD', 'odd\nthing'), 'odd thing (EODD)', 'EODD'],
    ['its code in the message', coded('EODD', 'read EODD'), 'read EODD', 'EODD'],
    ['no code', new Error('odd thing'), 'odd thing', undefined],
    ['a code that is a number', Object.assign(new Error('odd thing'), { code: 7 }), 'odd thing', undefined],
    ['no error', 'odd\nthing', 'odd thing', undefined],
    ['several errors', new AggregateError([coded('EPIPE'), coded('EODD')]), 'it broke (EPIPE)', 'EPIPE'],
  ])('says what is known if it has %s', (_, error, words, errno) => {
    const { what, errno: code } = failure(error);
    expect({ what, code }).toEqual({ what: `no response from h: ${words}`, code: errno });
    expect(failure(error).mayHaveActed).toBe(true);
  });

  it('says how long it took if that was too long', () => {
    expect(networkFailure(coded('ECONNREFUSED'), { host: 'h', timeoutMs: 1_000 })).toMatchObject({
      what: 'no complete response from h within 1s',
      mayHaveActed: true,
    });
  });
});
