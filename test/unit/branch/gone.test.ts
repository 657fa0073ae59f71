import { describe, expect, it } from 'vitest';
import { goneError } from '../../../src/branch/ready.ts';
import { sameBranch, sight } from '../../../src/branch/sighting.ts';
import { ApiError } from '../../../src/http/errors.ts';
import type { CommandName } from '../../../src/inputs/commands.ts';
import { BranchGoneError, MaskingError, OperationError } from '../../../src/service/errors.ts';
import { branch as readBranch } from '../../../src/service/types.ts';
import { Account } from '../../support/account.ts';
import { step } from '../../support/step.ts';

const branchOf = (fields: object = {}) => readBranch({ id: 'br-1', name: 'mine', ...fields }, 'branch');

function failed(status: number): ApiError {
  const request = { goal: 'list the roles', method: 'GET', path: '/roles' };
  const failure = { kind: 'status', status, what: String(status), mayHaveActed: false } as const;
  return new ApiError({ request, failure, attempts: 1, mayHaveActed: false });
}

const operationFailed = new OperationError({ id: 'op-1', action: 'start_compute', status: 'cancelled' });

describe('an error while a branch is used', () => {
  async function ask(error: unknown, account = new Account(), options: { created?: boolean } = {}) {
    const made = step({ command: 'create', account });
    return {
      ...made,
      gone: await goneError(sight(made.context, { branch: branchOf(), date: undefined, readAt: 0 }, options), error),
    };
  }

  it.each([
    ['a 404', failed(404), ' (404)'],
    ['a failed operation', operationFailed, ': Operation start_compute (op-1) ended with status "cancelled"'],
    ['failed masking', new MaskingError('Masking failed'), ': Masking failed'],
  ])('means that the branch was deleted if it is %s and the branch no longer exists', async (_, error, why) => {
    const { gone } = await ask(error);
    expect(gone).toBeInstanceOf(BranchGoneError);
    expect(gone?.message).toBe(`Branch "mine" (br-1) was deleted in the meantime${why}`);
  });

  it.each([
    ['a 404', failed(404)],
    ['a failed operation', operationFailed],
  ])('stands for itself if it is %s and the branch still exists', async (_, error) => {
    const account = new Account();
    account.add({ id: 'br-1', name: 'mine' });
    expect((await ask(error, account)).gone).toBeUndefined();
  });

  it.each([
    ['another status', failed(422)],
    ['no response of the service', new Error('no')],
  ])('stands for itself, without another request, if it is %s', async (_, error) => {
    const { gone, sent } = await ask(error);
    expect(gone).toBeUndefined();
    expect(sent).toEqual([]);
  });

  it('stands for itself if nobody knows whether the branch still exists', async () => {
    expect((await ask(failed(404), new Account().on('GET /branches/*', { status: 403 }))).gone).toBeUndefined();
  });

  it.each<[string, unknown, number]>([
    ['is retried after a failed operation', operationFailed, 2],
    ['is believed after a 404, which was retried before', failed(404), 1],
  ])('of a new branch: a 404 of the branch itself %s', async (_, error, reads) => {
    const account = new Account();
    account.add({ id: 'br-1', name: 'mine' });
    account.on('GET /branches/*', { status: 404 });
    const { calls, gone } = await ask(error, account, { created: true });
    expect(calls()).toHaveLength(reads);
    expect(gone === undefined).toBe(reads === 2);
  });
});

describe('a branch that was renamed', () => {
  const now = branchOf({ name: 'kept' });
  const byId = { branch_id: 'br-cool-moon-1' };
  const byName = { branch_name: 'mine' };

  it.each<[CommandName, Record<string, string>]>([
    ['create', {}],
    ['reset', byName],
    ['get', { ...byId, ...byName }],
    ['wait', { ...byName, operation_ids: '[]' }],
  ])('is no longer the one that the step is about (%s %j)', (command, inputs) => {
    const { context } = step({ command, inputs });
    expect(() => sameBranch(context, branchOf(), now)).toThrow(
      'Branch "mine" (br-1) was renamed to "kept" in the meantime',
    );
  });

  it.each<[CommandName, Record<string, string>]>([
    ['create', byId],
    ['wait', { operation_ids: '[]' }],
    ['wait', { ...byId, operation_ids: '[]' }],
  ])('still is the one that the step is about if it was given by ID (%s %j)', (command, inputs) => {
    const { context } = step({ command, inputs });
    expect(sameBranch(context, branchOf(), now)).toBe(now);
  });
});

it('a branch that has changed otherwise is the same one', () => {
  const now = branchOf({ protected: true });
  expect(sameBranch(step({ command: 'create' }).context, branchOf(), now)).toBe(now);
});
