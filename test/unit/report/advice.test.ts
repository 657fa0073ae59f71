import { describe, expect, it } from 'vitest';
import { MismatchError, OperationError } from '../../../src/api/errors.ts';
import { ApiError, type Failure, StoppedError } from '../../../src/http/errors.ts';
import { advise } from '../../../src/report/advice.ts';
import { emptyResult, type Result } from '../../../src/result.ts';

const inputs = { project_id: 'shiny-wind-028834', api_host: 'https://api.example/api/v2' };
const request = { goal: 'do it', method: 'POST', path: '/x' };
const api = (over: Partial<Failure>) =>
  new ApiError({
    request,
    failure: { kind: 'status', what: 'x', mayHaveActed: false, ...over },
    attempts: 1,
    mayHaveActed: false,
  });
const advice = (error: unknown, result: Partial<Result> = {}) =>
  advise(error, { inputs, result: { ...emptyResult(), ...result } });
const branch = { id: 'br-1' } as Result['branch'];

describe('what to do next', () => {
  it.each([
    ['a limit', api({ status: 422, code: 'BRANCHES_LIMIT_EXCEEDED' }), /`command: prune`.*`expires_in`/],
    [
      'a limit of roots',
      api({ status: 422, code: 'ROOT_BRANCHES_LIMIT_EXCEEDED' }),
      /root branch.*`branch_type: default`/,
    ],
    ['a rejected key', api({ status: 401 }), /rejects the key.*`api_key`/],
    ['a key without the right', api({ status: 403 }), /may not do this/],
    ['an unknown project', api({ status: 404 }), /`project_id` right \(shiny-wind-028834\)/],
    ['a plan', api({ status: 412 }), /plan.*`min_cu`, `max_cu` and `suspend_timeout`/],
    ['a lock', api({ status: 423 }), /busy.*`timeout`/],
    ['too many requests', api({ status: 429 }), /`timeout`/],
    ['trouble', api({ status: 502 }), /trouble.*again/],
    ['an unknown host', api({ kind: 'network', errno: 'ENOTFOUND' }), /`api_host` right \(https:\/\/api\.example/],
    ['a certificate', api({ kind: 'network', errno: 'SELF_SIGNED_CERT_IN_CHAIN' }), /NODE_EXTRA_CA_CERTS/],
    ['no way there', api({ kind: 'network', errno: 'ECONNREFUSED' }), /HTTPS_PROXY.*NO_PROXY/],
    ['no code at all', api({ kind: 'network' }), /reach https:\/\/api\.example/],
    ['a redirect', api({ kind: 'redirect', status: 302 }), /`api_host`/],
    ['no JSON', api({ kind: 'unreadable', status: 200 }), /`api_host`.*proxy/],
    ['an operation', new OperationError({ id: 'op-1' }), /running the step again/],
  ])('about %s', (_, error, said) => {
    expect(advice(error)).toMatch(said);
  });

  it('about a branch that went away is not about the project', () => {
    expect(advice(api({ status: 404 }), { branch })).toMatch(/deleted the branch meanwhile/);
  });

  it('about a time that is over names what to wait for', () => {
    const stopped = new StoppedError('timeout', 'over');
    expect(advice(stopped, { operationIds: ['a', 'b'] })).toMatch(/`command: wait` and `operation_ids: a,b`/);
    const ended = { id: 'a', action: 'create_branch', status: 'finished', failures_count: 0, total_duration_ms: 1 };
    expect(advice(stopped, { operationIds: ['a', 'b'], operations: [ended] })).toMatch(/`operation_ids: b`/);
    expect(advice(stopped, { operationIds: ['a'], operations: [ended] })).not.toMatch(/operation_ids/);
    expect(advice(stopped)).toMatch(/more `timeout`/);
    expect(advice(new StoppedError('cancelled', 'x'), { operationIds: ['a'] })).toBe('');
  });

  it('about a time that is over while branches are pruned says what became of them', () => {
    const stopped = new StoppedError('timeout', 'over');
    expect(advice(stopped, { pruned: [], operationIds: ['a'] })).toMatch(/^What was deleted until then is gone\. Run/);
    const pruned = ['x', 'y'].map((name) => ({ id: `br-${name}`, name, reason: 'r', outcome: 'unsure' }) as const);
    expect(advice(stopped, { pruned })).toMatch(
      /gone; whether "x", "y" too was not seen\. Run it again.*more `timeout`/,
    );
    const many = Array.from({ length: 12 }, (_, i) => ({ ...pruned[0], name: `b${i}` })) as Result['pruned'] & object;
    expect(advice(stopped, { pruned: many })).toMatch(/"b9" and 2 more too was not seen/);
    expect(advice(new StoppedError('cancelled', 'x'), { pruned })).toMatch(/was not seen\. Run it again.*left\.$/);
  });

  it('about a stop says where a request may have acted', () => {
    const stopped = new StoppedError('timeout', 'over', { mayHaveActed: true });
    expect(advice(stopped)).toMatch(/^Whether the service has done so was not seen\. Give it more `timeout`/);
    const cancelled = new StoppedError('cancelled', 'x', { mayHaveActed: true });
    expect(advice(cancelled)).toBe('Whether the service has done so was not seen.');
  });

  it('about a time that is over after a create has pruned is about the create', () => {
    const stopped = new StoppedError('timeout', 'over');
    const one = { id: 'br-2', name: 'x', reason: 'y', outcome: 'deleted' } as const;
    const made = { branch, created: true, pruned: [one] } as Partial<Result>;
    expect(advice(stopped, { ...made, operationIds: ['a', 'b'] })).toBe(
      'Wait on with `command: wait` and `operation_ids: a,b`, or give it more `timeout`.',
    );
    expect(advice(stopped, { ...made, operationIds: [] })).toMatch(/^Give it more `timeout`/);
  });

  it.each([
    api({ status: 409 }),
    api({ status: 422 }),
    new MismatchError('x'),
    new Error('x'),
    'text',
    undefined,
    null,
  ])('is not guessed (%#)', (error) => {
    expect(advice(error)).toBe('');
  });

  it('works before there are inputs', () => {
    const nothing = { inputs: undefined, result: emptyResult() };
    expect(advise(api({ status: 404 }), nothing)).toContain('`project_id` right, and');
  });
});
