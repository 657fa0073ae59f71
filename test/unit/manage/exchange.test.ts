import { describe, expect, it } from 'vitest';
import type { Context } from '../../../src/context.ts';
import { ApiError, type Failure } from '../../../src/http/errors.ts';
import { noteRefusal } from '../../../src/manage/exchange.ts';

/** What is kept of a refusal, and what is masked by then. */
function noted(failure: Partial<Failure>) {
  const masked: string[] = [];
  const kept: { body: string; status: number; masked: string[] }[] = [];
  const context = {
    mask: (secret: string) => void masked.push(secret),
    progress: ({ response }) => response && kept.push({ ...response, masked: [...masked] }),
  } as Pick<Context, 'mask' | 'progress'> as Context;
  const request = { goal: 'make the request', method: 'GET', path: '/things' };
  const whole: Failure = { kind: 'status', what: 'answered', mayHaveActed: false, ...failure };
  noteRefusal(context, new ApiError({ request, failure: whole, attempts: 1, mayHaveActed: false }));
  return kept;
}

describe('a refusal', () => {
  it('is kept as the service has said it', () => {
    const failure = { status: 409, code: 'TAKEN', message: 'exists', requestId: 'r-1' };
    const body = JSON.stringify({ request_id: 'r-1', code: 'TAKEN', message: 'exists' });
    expect(noted(failure)).toEqual([{ status: 409, body, masked: [] }]);
  });

  it('has the password of an address in it masked before it is kept', () => {
    const uri = 'postgresql://someone:pa%24%24word@host/db';
    const [kept] = noted({ status: 400, message: `cannot reach ${uri}` });
    expect(kept?.body).toContain(uri);
    expect(kept?.masked).toEqual(expect.arrayContaining([uri, 'pa%24%24word', 'pa$$word']));
  });

  it('is not made up where an answer cannot be read', () => {
    expect(noted({ kind: 'unreadable', status: 200 })).toEqual([]);
    expect(noted({ kind: 'network' })).toEqual([]);
  });
});
