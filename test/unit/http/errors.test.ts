import { describe, expect, it } from 'vitest';
import { ApiError, type Failure, StoppedError } from '../../../src/http/errors.ts';

const failed = (failure: Partial<Failure> = {}, attempts = 1, why?: string) =>
  new ApiError({
    ...{ goal: 'read it', path: '/x' },
    failure: { kind: 'status', what: '404, not found', mayHaveActed: false, ...failure },
    attempts,
    mayHaveActed: false,
    why,
  });

describe('the error of a request', () => {
  it.each([
    [failed(), 'Could not read it: 404, not found'],
    [failed({}, 0), 'Could not read it: 404, not found'],
    [failed({}, 2), 'Could not read it: 404, not found (2 attempts)'],
    [failed({ requestId: 'r-1' }), 'Could not read it: 404, not found (request id r-1)'],
    [failed({ requestId: 'r-1' }, 3), 'Could not read it: 404, not found (3 attempts, request id r-1)'],
    [failed({}, 1, 'no time'), 'Could not read it: 404, not found; no time'],
    [failed({}, 2, 'no time'), 'Could not read it: 404, not found (2 attempts); no time'],
  ])('is one sentence: %s', (error, message) => {
    expect(error.message).toBe(message);
  });

  it('has status, code and cause of the failure', () => {
    const cause = new Error('below');
    expect(failed({ status: 404, code: 'GONE', cause })).toMatchObject({ status: 404, code: 'GONE', cause });
    expect(failed().status).toBeUndefined();
    expect(failed().code).toBe('');
  });

  it('stays the same except for what is added to it', () => {
    const error = failed({ status: 404 });
    expect(error.because('no time')).toMatchObject({
      message: 'Could not read it: 404, not found; no time',
      attempts: 1,
      mayHaveActed: false,
    });
  });
});

describe('a stop', () => {
  const stop = new StoppedError('timeout', 'The time is over');

  it('says what was going on, and the outermost description wins', () => {
    expect(stop.message).toBe('The time is over');
    const during = stop.while('reading').while('waiting');
    expect(during).toMatchObject({ message: 'The time is over while waiting', reason: 'timeout' });
  });

  it('says whether the interrupted request may have taken effect', () => {
    expect(stop.mayHaveActed).toBe(false);
    const sent = stop.while('creating', { mayHaveActed: true });
    expect(sent.mayHaveActed).toBe(true);
    expect(sent.while('waiting').mayHaveActed).toBe(true);
    expect(sent.while('waiting', { mayHaveActed: false }).mayHaveActed).toBe(false);
  });

  it('says why the attempt before failed', () => {
    const during = stop.while('creating', { previous: '503, maintenance' }).while('waiting');
    expect(during.message).toBe('The time is over while waiting; the previous attempt failed: 503, maintenance');
  });
});
