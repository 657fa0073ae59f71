import { describe, expect, it } from 'vitest';
import type { Client } from '../../../src/http/client.ts';
import {
  findBranch,
  findBranchByName,
  findWithChildren,
  getBranch,
  listBranches,
  listNames,
  nameAndId,
  noSuchBranch,
} from '../../../src/service/branches.ts';
import { mockApi, type Reply } from '../../support/mock-api.ts';
import { start, trail } from './samples.ts';

const projectId = 'p-1';
const raw = (id: string, name: string, over: object = {}) => ({
  id,
  name,
  project_id: projectId,
  current_state: 'ready',
  default: false,
  protected: false,
  created_at: '2026-03-04T05:06:07Z',
  ...over,
});
const page = (branches: object[], next?: string, metadata = {}): Reply => ({
  body: { branches, annotations: metadata, pagination: next === undefined ? {} : { next } },
});
const cursors = (sent: { path: string }[]) =>
  sent.map((one) => new URL(one.path, 'http://x').searchParams.get('cursor'));

describe('the pages of the branch list', () => {
  const all = async (replies: Reply[]) => {
    const mock = mockApi(replies);
    const { branches } = await listBranches({ api: mock.api, projectId, goal: 'list' });
    return { ids: branches.map((branch) => branch.id), cursors: cursors(mock.sent) };
  };

  it('come in an order in which they do not shift, if they have all branches', async () => {
    const mock = mockApi([page([])]);
    await listBranches({ api: mock.api, projectId, goal: 'list' });
    expect(mock.sent[0]?.path).toBe('/api/v2/projects/p-1/branches?limit=1000&sort_by=created_at&sort_order=asc');
  });

  it('are all read', async () => {
    const mock = mockApi([page([])]);
    await listBranches({ api: mock.api, projectId, goal: 'list', search: 'a' });
    expect(mock.sent[0]?.path).toBe('/api/v2/projects/p-1/branches?search=a&limit=1000');
    const read = await all([
      page([raw('br-1', 'a')], 'one'),
      page([raw('br-2', 'b')], 'two'),
      page([raw('br-3', 'c')]),
    ]);
    expect(read).toEqual({ ids: ['br-1', 'br-2', 'br-3'], cursors: [null, 'one', 'two'] });
  });

  it.each([
    ['a repeated cursor', [page([raw('br-1', 'a')], 'one'), page([raw('br-2', 'b')], 'one')], 2],
    [
      'two alternating cursors',
      [page([raw('br-1', 'a')], 'one'), page([raw('br-2', 'b')], 'two'), page([raw('br-3', 'c')], 'one')],
      3,
    ],
    ['an empty page without a cursor', [page([raw('br-1', 'a')], 'one'), page([])], 2],
    ['an empty cursor', [page([raw('br-1', 'a')], '')], 1],
  ])('end with %s', async (_, replies, requests) => {
    expect((await all(replies)).cursors).toHaveLength(requests);
  });

  it('include the metadata of each branch, as text', async () => {
    const mock = mockApi([
      page([raw('br-1', 'a'), raw('br-2', 'b'), raw('br-3', 'c')], undefined, {
        'br-1': { value: { 'github-run-id': '9', odd: 7 } },
        'br-3': null,
        'br-9': { value: { x: 'y' } },
      }),
    ]);
    const { branches } = await listBranches({ api: mock.api, projectId, goal: 'list' });
    expect(branches.map((branch) => branch.metadata)).toEqual([{ 'github-run-id': '9', odd: '7' }, {}, {}]);
  });

  it.each([
    ['an object', {}, true],
    ['missing', undefined, false],
    ['null', null, false],
    ['a list', [], false],
  ])('say whether they came with metadata, and when: it is %s', async (_, annotations, hasMetadata) => {
    const headers = { date: new Date(start + 60_000).toUTCString() };
    const { api } = mockApi([{ headers, body: { branches: [raw('br-1', 'a')], annotations } }]);
    const read = await listBranches({ api, projectId, goal: 'list' });
    expect(read).toMatchObject({ hasMetadata, date: start + 60_000, branches: [{ metadata: {} }] });
  });

  it.each([
    { branches: {} },
    { branches: [{ id: '../x', name: 'a' }] },
    { branches: [{ id: 'br-1', name: '' }] },
    [],
    null,
  ])('are rejected if they have another shape (%j)', async (body) => {
    await expect(all([{ body }])).rejects.toThrow('with an unexpected body');
  });
});

describe('a branch by name', () => {
  it('must match exactly', async () => {
    const metadata = { 'br-3': { value: { note: 'x' } } };
    const pages = [
      page([raw('br-1', 'a/b-2'), raw('br-2', 'A/B')], 'one'),
      page([raw('br-3', 'a/b')], undefined, metadata),
    ];
    const mock = mockApi(pages);
    const found = await findBranchByName({ api: mock.api, projectId, name: 'a/b' });
    expect(found?.branch.id).toBe('br-3');
    expect(mock.sent[0]?.path).toContain('search=a%2Fb');
    const none = mockApi([page([raw('br-1', 'a/b-2')])]);
    expect(await findBranchByName({ api: none.api, projectId, name: 'a/b' })).toBeUndefined();
  });

  it.each([
    undefined,
    null,
    {},
    { 'br-1': {} },
    { 'br-1': null },
    { 'br-1': { value: {} } },
    { 'br-9': { value: { a: 'b' } } },
  ])('is read itself if the list has no metadata of it: %j', async (annotations) => {
    const branch = raw('br-1', 'a');
    const mock = mockApi([
      { body: { branches: [branch], annotations } },
      { body: { branch, annotation: { value: { 'github-commit-repo': 'octo/api' } } } },
    ]);
    const found = await findBranchByName({ api: mock.api, projectId, name: 'a' });
    expect(found?.branch.metadata).toEqual({ 'github-commit-repo': 'octo/api' });
  });

  it('takes precedence over one by ID, on any page', async () => {
    const pages = [page([raw('br-1', 'x')], 'one'), page([raw('br-9', 'br-1')])];
    expect((await findBranch({ api: mockApi(pages).api, projectId, nameOrId: 'br-1' }))?.id).toBe('br-9');
    const only = [page([raw('br-1', 'x')], 'one'), page([raw('br-10', 'y')])];
    expect((await findBranch({ api: mockApi(only).api, projectId, nameOrId: 'br-1' }))?.id).toBe('br-1');
    expect(
      await findBranch({ api: mockApi([page([raw('br-10', 'y')])]).api, projectId, nameOrId: 'br-1' }),
    ).toBeUndefined();
  });
});

describe('a branch with its children', () => {
  it('is found in the list of all branches, to its last page', async () => {
    const metadata = { 'br-1': { value: { note: 'x' } } };
    const { api } = mockApi([
      page([raw('br-1', 'a'), raw('br-2', 'b', { parent_id: 'br-1' })], 'one', metadata),
      page([raw('br-3', 'c', { parent_id: 'br-1' }), raw('br-4', 'd', { parent_id: 'br-2' })]),
    ]);
    const found = await findWithChildren({ api, projectId, is: ({ name }) => name === 'a', goal: 'list' });
    expect(found?.branch).toMatchObject({ id: 'br-1', metadata: { note: 'x' } });
    expect(found?.children?.map(({ id }) => id)).toEqual(['br-2', 'br-3']);
    const none = mockApi([page([raw('br-1', 'a')])]);
    expect(await findWithChildren({ api: none.api, projectId, is: () => false, goal: 'list' })).toBeUndefined();
  });
});

describe('when a branch was read', () => {
  const branch = raw('br-1', 'a');
  const listed = page([branch], undefined, { 'br-1': { value: { note: 'x' } } });

  it.each<[string, (api: Client) => Promise<{ readAt: number } | undefined>]>([
    ['a list', (api) => findBranchByName({ api, projectId, name: 'a' })],
    ['a list of all', (api) => findWithChildren({ api, projectId, is: ({ id }) => id === 'br-1', goal: 'x' })],
    ['itself', (api) => getBranch({ api, projectId, branch: { id: 'br-1' } })],
  ])('is when the request was sent that got the response: %s', async (_, read) => {
    let attempts = 0;
    const { api, clock } = mockApi(() => {
      clock.pass(5_000);
      return ++attempts === 1 ? { status: 500 } : { body: { ...(listed.body as object), branch } };
    });
    expect((await read(api))?.readAt).toBe(clock.now() - 5_000);
  });
});

describe('a branch by ID', () => {
  it('comes with its metadata', async () => {
    const body = { branch: raw('br-1', 'x'), annotation: { value: { a: 'b' } } };
    const { api, sent } = mockApi([{ body }]);
    expect(await getBranch({ api, projectId, branch: { id: 'br-1' } })).toMatchObject({
      branch: { id: 'br-1', name: 'x', metadata: { a: 'b' } },
    });
    expect(trail(sent)).toEqual(['GET /branches/br-1']);
  });

  it('must be the one that was asked for', async () => {
    const { api } = mockApi([{ body: { branch: raw('br-2', 'x') } }]);
    await expect(getBranch({ api, projectId, branch: { id: 'br-1' } })).rejects.toThrow(
      'Could not read branch br-1: 200 with an unexpected body: it is about branch br-2',
    );
  });
});

it('lists the names of databases and roles', async () => {
  const { api, sent } = mockApi([
    { body: { roles: [{ name: 'app' }, { name: 'b' }] } },
    { body: { roles: [{ name: 7 }] } },
  ]);
  expect(await listNames({ api, projectId, branch: { id: 'br-1' } }, 'roles')).toEqual(['app', 'b']);
  expect(trail(sent)).toEqual(['GET /branches/br-1/roles']);
  await expect(listNames({ api, projectId, branch: { id: 'br-1' } }, 'roles')).rejects.toThrow(
    'Could not list the roles of branch br-1: 200 with an unexpected body: roles[0].name is missing or not a string',
  );
});

it('is named in messages with its ID, and a missing one with what to do', () => {
  expect(nameAndId({ id: 'br-1', name: 'a\nb' })).toBe('"a b" (br-1)');
  expect(noSuchBranch('"x"', 'Create it.').message).toBe('The project has no branch "x". Create it.');
});
