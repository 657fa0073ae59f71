import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/http/errors.ts';
import { type Kind, kindOf } from '../../../src/manage/kinds.ts';
import { listObjects } from '../../../src/manage/requests.ts';
import { mockApi, type Reply } from '../../support/mock-api.ts';

function kind(name: string): Kind {
  const found = kindOf(name);
  if (!found) throw new Error(`Unknown kind ${name}`);
  return found;
}

const owners = { projectId: 'p', branchId: 'br-1' };

async function list(name: string, bodies: unknown[]) {
  const mock = mockApi(bodies.map((body): Reply => ({ body })));
  const listed = await listObjects({ api: mock.api, kind: kind(name), owners });
  return { ...listed, paths: mock.sent.map((one) => one.path.replace('/api/v2', '')) };
}

describe('a list', () => {
  it('of branches is paged by `next`', async () => {
    const { items, paths } = await list('branches', [
      { branches: [{ id: 1 }, { id: 2 }], pagination: { next: 'c d' } },
      { branches: [{ id: 3 }], pagination: { sort_by: 'name' } },
    ]);
    expect(items).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
    expect(paths).toEqual(['/projects/p/branches?limit=1000', '/projects/p/branches?limit=1000&cursor=c+d']);
  });

  it.each(['projects', 'operations'])('of %s is paged by `cursor`, up to an empty page', async (name) => {
    const { items, paths } = await list(name, [
      { [name]: [1], pagination: { cursor: 'a' } },
      { [name]: [2], pagination: { cursor: 'b' } },
      { [name]: [], pagination: { cursor: 'b' } },
    ]);
    expect(items).toEqual([1, 2]);
    expect(paths.map((path) => new URLSearchParams(path.split('?')[1]).get('cursor'))).toEqual([null, 'a', 'b']);
  });

  it('may have a million entries on one page', async () => {
    const page = Array.from({ length: 1_000_000 }, (_, index) => index);
    const { items } = await list('branches', [{ branches: page, unavailable_branch_ids: page }]);
    expect(items).toHaveLength(1_000_000);
  });

  it.each([
    ['api_keys', [{ id: 1 }]],
    ['roles', { roles: [{ id: 1 }] }],
    ['databases', { databases: [{ id: 1 }] }],
    ['endpoints', { endpoints: [{ id: 1 }] }],
    // unpublished: by its name, unwrapped, or the only list
    ['teams', { teams: [{ id: 1 }], others: [] }],
    ['teams', [{ id: 1 }]],
    ['teams', { items: [{ id: 1 }], total: 1 }],
    ['snapshots', { snapshots: [{ id: 1 }] }],
  ])('of %s is found in %j', async (name, body) => {
    expect((await list(name, [body])).items).toEqual([{ id: 1 }]);
  });

  it('sets no page size if none is published', async () => {
    expect((await list('teams', [[]])).paths).toEqual(['/teams']);
  });

  it('names the objects that the service could not list', async () => {
    const body = { projects: [{ id: 'a' }], unavailable_project_ids: ['b', 'c'] };
    expect((await list('projects', [body])).unavailable).toEqual(['b', 'c']);
  });

  it('ends when a cursor repeats', async () => {
    const page = { branches: [1], pagination: { next: 'same' } };
    expect((await list('branches', [page, page, page])).paths).toHaveLength(2);
  });

  it.each([
    ['roles', { databases: [] }, 'roles is not a list'],
    ['roles', {}, 'roles is not a list'],
    ['roles', 'text', 'the response is not a list of roles'],
    ['teams', { a: [], b: [] }, 'teams is not a list'],
    ['teams', null, 'the response is not a list of teams'],
  ])('of %s fails if the response is %j', async (name, body, why) => {
    await expect(list(name, [body])).rejects.toThrow(ApiError);
    await expect(list(name, [body])).rejects.toThrow(`: 200 with an unexpected body: ${why}`);
  });
});
