import { describe, expect, it } from 'vitest';
import { deleteObject } from '../../../src/manage/requests.ts';
import { RefusedError } from '../../../src/service/errors.ts';
import type { Reply } from '../../support/mock-api.ts';
import { collection, kind, lost, missing, past, role, service } from './service.ts';

describe('a delete', () => {
  /** `found`: what a GET of the object returns, once an attempt may have deleted it. */
  const remove = (replies: Reply[], { name = 'role', found = missing }: { name?: string; found?: Reply } = {}) => {
    const mock = service({
      [`DELETE /${kind(name).segment}/app`]: replies,
      [`GET /${kind(name).segment}/app`]: [found],
    });
    return { ...mock, deleted: deleteObject({ ...collection(mock.api, name), id: 'app' }) };
  };

  it('tells whether the object existed', async () => {
    expect(await remove([role()]).deleted).toMatchObject({ deleted: true });
    expect(await remove([{ status: 204 }]).deleted).toMatchObject({ deleted: false });
    expect(await remove([missing]).deleted).toMatchObject({ deleted: false, unknown: true });
    expect(await remove([{ status: 204 }], { name: 'team' }).deleted).toMatchObject({ deleted: true });
  });

  it.each([[{ status: 204 }], [missing], [role()]] satisfies [Reply][])(
    'whose response was lost has deleted the object, whatever the next response is: %j',
    async (next) => {
      expect(await remove([lost, next]).deleted).toMatchObject({ deleted: true });
    },
  );

  it('is sent again if the object is the same one', async () => {
    const { deleted, trail } = remove([lost, role()], { found: role({ created_at: past }) });
    expect(await deleted).toMatchObject({ deleted: true });
    expect(trail()).toEqual(['DELETE /roles/app', 'GET /roles/app', 'DELETE /roles/app']);
  });

  it('is not sent again if somebody may have created the object again', async () => {
    const { deleted, trail } = remove([{ status: 500 }, role()], { found: role() });
    await expect(deleted).rejects.toThrow(RefusedError);
    await expect(deleted).rejects.toThrow(
      'An attempt to delete role "app" got no response. A role with this name exists, created at "2026-03-04T05:06:07Z"; it may be a new one, so the delete was not retried.',
    );
    expect(trail()).toEqual(['DELETE /roles/app', 'GET /roles/app']);
  });

  it('is sent again without a lookup if the service did nothing, or if the object has an ID', async () => {
    const locked = remove([{ status: 423 }, role()], { found: role() });
    expect(await locked.deleted).toMatchObject({ deleted: true });
    expect(locked.trail()).toEqual(['DELETE /roles/app', 'DELETE /roles/app']);
    const byId = remove([lost, { status: 200, body: {} }], { name: 'team' });
    expect(await byId.deleted).toMatchObject({ deleted: true });
    expect(byId.trail()).toEqual(['DELETE /teams/app', 'DELETE /teams/app']);
  });
});
