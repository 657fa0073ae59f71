import { describe, expect, it } from 'vitest';
import { ApiError, type Failure, StoppedError } from '../../../src/http/errors.ts';
import { advise } from '../../../src/report/advice.ts';
import { emptyResult, type PrunedBranch, type Result } from '../../../src/result.ts';
import {
  BranchGoneError,
  MaskingError,
  MismatchError,
  OperationError,
  RenamedError,
} from '../../../src/service/errors.ts';

const inputs = { project_id: 'shiny-wind-028834', api_host: 'https://api.example/api/v2', on_limit: 'fail' } as const;
const api = (over: Partial<Failure>, path = '/x') =>
  new ApiError({
    request: { goal: 'do it', method: 'POST', path },
    failure: { kind: 'status', what: 'x', mayHaveActed: false, ...over },
    attempts: 1,
    mayHaveActed: false,
  });
const advice = (error: unknown, result: Partial<Result> = {}) =>
  advise(error, { command: 'create', inputs, result: { ...emptyResult(), ...result } });
const branch = { id: 'br-1' } as Result['branch'] & object;
const pruned = (outcome: PrunedBranch['outcome'], name: string): PrunedBranch => ({
  ...{ id: `br-${name}`, name, reason: 'r', outcome },
});

describe('advice', () => {
  it('about a limit suggests no pruning to a step that has pruned', () => {
    const error = api({ status: 422, code: 'BRANCHES_LIMIT_EXCEEDED' });
    const pruned = advise(error, {
      command: 'create',
      inputs: { ...inputs, on_limit: 'prune' },
      result: emptyResult(),
    });
    expect(pruned).toMatch(/^The project has no room .* Delete branches you no longer need, let branches expire/);
    const root = api({ status: 422, code: 'ROOT_BRANCHES_LIMIT_EXCEEDED' });
    expect(
      advise(root, { command: 'create', inputs: { ...inputs, on_limit: 'prune' }, result: emptyResult() }),
    ).toMatch(/ are root branches\. Delete root branches you no longer need, let them expire/);
  });

  it.each([
    ['a limit', api({ status: 422, code: 'BRANCHES_LIMIT_EXCEEDED' }), /`on_limit: prune`.*`expires_in`/],
    [
      'a limit of root branches',
      api({ status: 422, code: 'ROOT_BRANCHES_LIMIT_EXCEEDED' }),
      /root branch.*`branch_type: default`/,
    ],
    ['a rejected key', api({ status: 401 }), /rejected the key.*`api_key`/],
    [
      'a key without the permission',
      api({ status: 403 }),
      /not allowed.*project-scoped key has access only to its project/,
    ],
    [
      'an unknown project',
      api({ status: 404 }, '/projects/shiny-wind-028834/branches'),
      /`project_id` \(shiny-wind-028834\) is the project's ID, not its name, that `api_host` is correct, and/,
    ],
    ['an unknown object of the account', api({ status: 404 }, '/api_keys/1'), /^Check that `api_host` and any IDs/],
    ['the plan', api({ status: 412 }), /^The plan may not allow this\.$/],
    ['a lock', api({ status: 423 }), /locked.*`timeout`/],
    ['a rate limit', api({ status: 429 }), /rate-limiting.*`timeout`/],
    ['a failing service', api({ status: 502 }), /^The service is failing \(5xx\); run the step again\.$/],
    ['an unknown host', api({ kind: 'network', errno: 'ENOTFOUND' }), /`api_host` \(https:\/\/api\.example/],
    [
      'a certificate',
      api({ kind: 'network', errno: 'SELF_SIGNED_CERT_IN_CHAIN' }),
      /certificate of api\.example[^/]*\. .*NODE_EXTRA_CA_CERTS/,
    ],
    ['a refused connection', api({ kind: 'network', errno: 'ECONNREFUSED' }), /HTTPS_PROXY.*NO_PROXY/],
    ['a network failure without a code', api({ kind: 'network' }), /reach api\.example[^/]*\. If it needs a proxy/],
    ['a redirect', api({ kind: 'redirect', status: 302 }), /`api_host`/],
    ['an unreadable body', api({ kind: 'unreadable', status: 200 }), /`api_host`.*proxy/],
    [
      'a branch that was renamed while a request may still take effect',
      new BranchGoneError('x', { why: 'y', mayHaveActed: true }),
      /^Check the branch .* before you run the step again\.$/,
    ],
    ['an operation', new OperationError({ id: 'op-1' }), /^Check the operation .*run the step again\.$/],
    [
      'an unknown operation',
      new OperationError({ id: 'op-1', status: 'running' }, 'is unknown', { unknown: true }),
      /^Check the branch .*run the step again\.$/,
    ],
    [
      'an operation of which only the ID is known',
      new OperationError({ id: 'op-1' }, 'was not found', { unknown: true }),
      /^Check `operation_ids` and `project_id`; if both are right, check the branch/,
    ],
    [
      'a response about another branch',
      new MismatchError('x'),
      /^Check that `api_host`.*report this to the service\.$/,
    ],
  ])('about %s', (_, error, expected) => {
    expect(advice(error)).toMatch(expected);
  });

  it('about an unreachable service names the proxy that the requests go through', () => {
    for (const errno of ['ECONNREFUSED', 'ENOTFOUND', 'UND_ERR_CONNECT_TIMEOUT']) {
      const error = api({ kind: 'network', errno });
      const proxy = { name: 'HTTPS_PROXY', host: 'proxy.corp:3128' };
      expect(advise(error, { command: 'create', inputs, result: emptyResult(), proxy })).toBe(
        "The connection goes through the proxy proxy.corp:3128 (HTTPS_PROXY). Check that the proxy's address is right and that it is running, or add api.example to NO_PROXY if the runner can reach it directly.",
      );
    }
  });

  it('about a branch that is gone fits the command', () => {
    const about = (command: string, error: Error, branch_id?: string) =>
      advise(error, { command, inputs: { ...inputs, branch_id }, result: emptyResult() });
    const [gone, renamed] = [new BranchGoneError('x', { why: 'y' }), new RenamedError('x', { why: 'y' })];
    const again = 'Run the step again.';
    for (const error of [gone, renamed])
      for (const command of ['create', 'delete', 'rehearse']) expect(about(command, error)).toBe(again);
    for (const command of ['get', 'reset', 'diff', 'wait', 'create']) {
      expect(about(command, gone, 'br-1')).toBe('`command: create` with `branch_name` creates a new one.');
      expect(about(command, renamed, 'br-1')).toBe(again);
    }
    for (const command of ['get', 'reset', 'diff', 'wait']) {
      expect(about(command, gone)).toBe('`command: create` creates it again.');
      expect(about(command, renamed)).toMatch(/^To use it under its new name, set `branch_name`/);
    }
  });

  it('about a branch that is not found suggests that it has expired', () => {
    const expired = /^The branch may have expired or been deleted in the meantime\. Run the step again\.$/;
    expect(advice(api({ status: 404 }), { branch })).toMatch(expired);
    expect(advice(api({ status: 404 }, '/projects/p/branches/br-1/endpoints'))).toMatch(expired);
    expect(advice(api({ status: 404 }, '/projects/p/branches'))).not.toMatch(/expired/);
    const ofGet = { command: 'get', inputs, result: { ...emptyResult(), branch } };
    expect(advise(api({ status: 404 }), ofGet)).toMatch(/in the meantime\. If it still exists, .* create it first\.$/);
  });

  it('about a timeout names the operations to wait for', () => {
    const stopped = new StoppedError('timeout', 'Timed out');
    expect(advice(stopped, { operationIds: ['a', 'b'] })).toMatch(/`command: wait` and `operation_ids: a,b`/);
    const ended = { id: 'a', action: 'create_branch', status: 'finished', failures_count: 0, total_duration_ms: 1 };
    expect(advice(stopped, { operationIds: ['a', 'b'], operations: [ended] })).toMatch(/`operation_ids: b`/);
    expect(advice(stopped, { operationIds: ['a'], operations: [ended] })).not.toMatch(/operation_ids/);
    expect(advice(stopped)).toMatch(/^Raise `timeout`/);
    expect(advice(new StoppedError('cancelled', 'x'), { operationIds: ['a'] })).toBe('');
  });

  it.each([
    ['BRANCHES_LIMIT_EXCEEDED', 'branch'],
    ['ROOT_BRANCHES_LIMIT_EXCEEDED', 'root branch'],
  ])('about a timeout while waiting for room says how to make room: %s', (code, noun) => {
    const lastFailure: Failure = { kind: 'status', what: 'x', status: 422, code, mayHaveActed: false };
    const stopped = new StoppedError('timeout', 'Timed out', { lastFailure });
    const of = (on_limit: 'wait' | 'prune') =>
      advise(stopped, { command: 'create', inputs: { ...inputs, on_limit }, result: emptyResult() });
    expect(of('wait')).toBe(`Delete a ${noun}, set \`on_limit: prune\`, or raise \`timeout\`.`);
    expect(of('prune')).toMatch(/^Raise `timeout`/);
  });

  it('about a timeout during a prune says what happened to the branches', () => {
    const stopped = new StoppedError('timeout', 'Timed out', { mayHaveActed: true });
    const advice = (error: unknown, result: Partial<Result>) =>
      advise(error, { command: 'prune', inputs, result: { ...emptyResult(), ...result } });
    // It may have requested all deletions, and may only have waited for them.
    expect(advice(stopped, { pruned: [pruned('deleted', 'z')], operationIds: ['a'] })).toBe(
      'Requested the deletion of 1 branch so far. Run the step again to delete any that remain, or raise `timeout`.',
    );
    const unsure = [pruned('unsure', 'x'), pruned('unsure', 'y'), pruned('kept', 'z')];
    expect(advice(stopped, { pruned: unsure })).toMatch(
      /^Requested the deletion of 2 branches so far \(no response for "x", "y"\)\. Run the step again.*raise `timeout`/,
    );
    const many = Array.from({ length: 12 }, (_, i) => pruned('unsure', `b${i}`));
    expect(advice(stopped, { pruned: many })).toMatch(/\(no response for .*"b9" and 2 more\)/);
    expect(advice(new StoppedError('cancelled', 'x'), { pruned: unsure })).toMatch(/Run the step again.*remain\.$/);
  });

  it('about a timeout in a create that pruned first says what may have happened to both', () => {
    const stopped = new StoppedError('timeout', 'Timed out', { mayHaveActed: true });
    const room = 'Requested the deletion of 1 branch to make room. Run the step again';
    const result = { pruned: [pruned('deleted', 'z')], operationIds: ['a'] };
    expect(advice(stopped, result)).toBe(`The request may still have taken effect. ${room}, or raise \`timeout\`.`);
    expect(advice(new StoppedError('cancelled', 'x'), result)).toBe(`${room}.`);
    // The branch that is to be recreated is not the new one.
    expect(advice(stopped, { ...result, branch, replaced: branch })).toContain(room);
  });

  it('about a timeout or cancellation says if a request may have taken effect', () => {
    const stopped = new StoppedError('timeout', 'Timed out', { mayHaveActed: true });
    expect(advice(stopped)).toMatch(/^The request may still have taken effect\. Raise `timeout`/);
    const cancelled = new StoppedError('cancelled', 'x', { mayHaveActed: true });
    expect(advice(cancelled)).toBe('The request may still have taken effect.');
  });

  it('about a timeout in a create is about the create, even if it pruned first', () => {
    const stopped = new StoppedError('timeout', 'Timed out');
    const one = { id: 'br-2', name: 'x', reason: 'y', outcome: 'deleted' } as const;
    const result = { branch, created: true, pruned: [one] } as Partial<Result>;
    expect(advice(stopped, { ...result, operationIds: ['a', 'b'] })).toBe(
      'Continue with `command: wait` and `operation_ids: a,b`, or raise `timeout`.',
    );
    expect(advice(stopped, { ...result, operationIds: [] })).toMatch(/^Raise `timeout`/);
    // The next step would find neither the branch nor its operations.
    expect(advice(stopped, { ...result, operationIds: ['a'], endsWithJob: true })).toMatch(/^Raise `timeout`/);
  });

  it.each([
    api({ status: 409 }),
    api({ status: 422 }),
    new MismatchError('x', { createdId: 'br-1' }),
    new Error('x'),
    'text',
    undefined,
    null,
  ])('is empty if there is nothing to advise (%#)', (error) => {
    expect(advice(error)).toBe('');
  });

  it.each([
    ['create', 'Fix `masking_rules`. If the branch still exists, also set `if_exists: recreate` to replace it.'],
    ['rehearse', 'Fix `masking_rules`.'],
    [
      'wait',
      'Fix `masking_rules` in the step that creates the branch, and set `if_exists: recreate` there to replace it.',
    ],
  ])('about failed masking names inputs that %s reads', (command, expected) => {
    expect(advise(new MaskingError('x'), { command, inputs, result: emptyResult() })).toBe(expected);
  });

  it('works before the inputs are read', () => {
    const nothing = { command: 'create', inputs: undefined, result: emptyResult() };
    expect(advise(api({ status: 404 }), nothing)).toContain('`api_host`');
  });
});
