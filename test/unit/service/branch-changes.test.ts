import { describe, expect, it } from 'vitest';
import type { RetryWindow } from '../../../src/http/request.ts';
import { expiryChange, protection } from '../../../src/service/branch-changes.ts';
import type { Branch } from '../../../src/service/types.ts';
import { mockApi, type Reply } from '../../support/mock-api.ts';
import { seen } from '../../support/seen.ts';
import { at, branch, lost, operation, trail } from './samples.ts';

const shown = (over: Partial<Branch> = {}): Reply => ({ body: { branch: branch(over) } });
const changed = (over: Partial<Branch> = {}): Reply => ({ body: { branch: branch(over), operations: [operation()] } });
const day = 86_400_000;

describe('the expiry of a branch', () => {
  const play = (replies: Reply[], options: { window?: RetryWindow } = {}) => {
    const mock = mockApi(replies);
    const about = seen({ api: mock.api, branch: branch(), ...options });
    return { ...mock, run: () => about.change(expiryChange(about, '2026-03-05T05:06:07Z')) };
  };

  it('is set in one request', async () => {
    const { run, sent } = play([changed({ expires_at: at(day) })]);
    expect(await run()).toMatchObject({ branch: { id: 'br-1', expires_at: at(day) }, operations: [{ id: 'op-1' }] });
    expect(trail(sent)).toEqual(['PATCH /branches/br-1']);
    expect(sent[0]?.body).toEqual({ branch: { expires_at: '2026-03-05T05:06:07Z' } });
  });

  it('fails with what was tried', async () => {
    const expected = 'Could not set the expiry of branch "preview/pr-7" to 2026-03-05T05:06:07Z: 403';
    await expect(play([{ status: 403 }]).run()).rejects.toThrow(expected);
    await expect(play([changed({ id: 'br-2' })]).run()).rejects.toThrow(
      'The request was to set the expiry of branch br-1, but the response is about branch br-2',
    );
  });

  it('is not sent again after a lost response if it was set', async () => {
    const now = { expires_at: '2026-03-05T06:06:07+01:00' };
    const { run, sent } = play([lost, shown(now)]);
    expect(await run()).toMatchObject({ branch: { id: 'br-1', ...now }, operations: [] });
    expect(trail(sent)).toEqual(['PATCH /branches/br-1', 'GET /branches/br-1']);
  });

  it.each<[string, Partial<Branch>]>([
    ['has none', {}],
    ['has another', { expires_at: at(2 * day) }],
    ['has one that is not a time', { expires_at: 'never' }],
  ])('is sent again after a lost response if the branch %s', async (_, now) => {
    const { run, sent } = play([lost, shown(now), changed()]);
    expect(await run()).toMatchObject({ operations: [{ id: 'op-1' }] });
    expect(sent.map((one) => one.method)).toEqual(['PATCH', 'GET', 'PATCH']);
  });
});

describe('protecting a branch', () => {
  const play = (replies: Reply[], options: { window?: RetryWindow } = {}) => {
    const mock = mockApi(replies);
    const about = seen({ api: mock.api, branch: branch(), ...options });
    return { ...mock, run: () => about.change(protection(about)) };
  };
  const protectedNow = { protected: true };

  it('takes one request', async () => {
    const { run, sent } = play([changed(protectedNow)]);
    expect(await run()).toMatchObject({ branch: protectedNow, operations: [{ id: 'op-1' }] });
    expect(trail(sent)).toEqual(['PATCH /branches/br-1']);
    expect(sent[0]?.body).toEqual({ branch: protectedNow });
  });

  it('fails with what was tried', async () => {
    await expect(play([{ status: 403 }]).run()).rejects.toThrow('Could not protect branch "preview/pr-7": 403');
    await expect(play([changed({ id: 'br-2' })]).run()).rejects.toThrow('The request was to protect branch br-1');
  });

  it('is retried after a lost response only if the branch is not protected', async () => {
    const done = play([lost, shown(protectedNow)]);
    expect(await done.run()).toMatchObject({ branch: protectedNow, operations: [] });
    expect(trail(done.sent)).toEqual(['PATCH /branches/br-1', 'GET /branches/br-1']);
    const again = play([lost, shown(), changed(protectedNow)]);
    expect(await again.run()).toMatchObject({ operations: [{ id: 'op-1' }] });
    expect(again.sent).toHaveLength(3);
  });
});
