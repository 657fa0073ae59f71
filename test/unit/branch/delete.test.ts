import { describe, expect, it } from 'vitest';
import { deletion } from '../../../src/branch/delete.ts';
import { sight } from '../../../src/branch/sighting.ts';
import type { Context } from '../../../src/context.ts';
import { branch as readBranch } from '../../../src/service/types.ts';
import { mockApi, type Reply } from '../../support/mock-api.ts';

const raw = { id: 'br-1', name: 'preview/pr-7', created_at: '2026-01-01T00:00:00Z' };
const gone: Reply = { body: { branch: raw, operations: [] } };
const refused: Reply = { status: 422, body: { code: '', message: 'no' } };
const list = (...branches: object[]): Reply => ({ body: { branches } });

function send(replies: Reply[]) {
  const { api, sent } = mockApi(replies);
  const context = { api, inputs: { project_id: 'p' } } as Context;
  const seen = sight(context, { branch: readBranch(raw, 'branch'), date: undefined, readAt: context.api.clock.now() });
  return { done: seen.change(deletion(seen, { hard: false })), methods: () => sent.map(({ method }) => method) };
}

describe('a deletion', () => {
  it.each([
    [200, true],
    [202, true],
    [204, false],
    [404, false],
    [410, false],
  ])('with a %d response has deleted the branch: %s', async (status, deleted) => {
    expect((await send([{ ...gone, status }]).done).deleted).toBe(deleted);
  });

  it.each(['default', 'protected'])('is not retried if the branch became %s in the meantime', async (guard) => {
    const { done, methods } = send([refused, list({ ...raw, [guard]: true }), gone]);
    await expect(done).rejects.toThrow(`${guard} branch and is never deleted`);
    expect(methods()).toEqual(['DELETE', 'GET']);
  });

  it('is not retried if the branch has children', async () => {
    const { done, methods } = send([refused, list(raw, { ...raw, id: 'br-2', parent_id: 'br-1' }), gone]);
    await expect(done).rejects.toThrow('has a child branch');
    expect(methods()).toEqual(['DELETE', 'GET']);
  });

  it.each([404, 410])('does not count as done if listing the children fails with %d', async (status) => {
    const { done, methods } = send([refused, { status }]);
    await expect(done).rejects.toThrow('Could not list the children');
    expect(methods()).toEqual(['DELETE', 'GET']);
  });

  it('has deleted the branch if its response was lost, the retry failed, and the branch no longer exists', async () => {
    const lost: Reply = { error: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) };
    expect((await send([lost, refused, list(), { status: 404 }]).done).deleted).toBe(true);
  });

  it('has not deleted a branch that disappears after a refusal', async () => {
    expect((await send([refused, list(), { status: 404 }]).done).deleted).toBe(false);
  });

  it('is retried if nothing explains the error', async () => {
    const { done, methods } = send([refused, list(raw), gone]);
    expect(await done).toEqual({ deleted: true, operations: [] });
    expect(methods()).toEqual(['DELETE', 'GET', 'DELETE']);
  });
});
