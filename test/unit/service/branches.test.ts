import { describe, expect, it } from 'vitest';
import type { Client } from '../../../src/http/client.ts';
import {
  findBranch,
  findBranchByName,
  findWithChildren,
  getBranch,
  listNames,
  nameAndId,
  noSuchBranch,
  pagesOfBranches,
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
    const ids: string[] = [];
    for await (const { items } of pagesOfBranches({ api: mock.api, projectId, goal: 'list' }))
      ids.push(...items.map((branch) => branch.id));
    return { ids, cursors: cursors(mock.sent) };
  };

  it('come in an order in which they do not shift, if they have all branches', async () => {
    const mock = mockApi([page([])]);
    for await (const _ of pagesOfBranches({ api: mock.api, projectId, goal: 'list' }));
    expect(mock.sent[0]?.path).toBe('/api/v2/projects/p-1/branches?limit=1000&sort_by=created_at&sort_order=asc');
  });

  it('are all read', async () => {
    const mock = mockApi([page([])]);
    for await (const _ of pagesOfBranches({ api: mock.api, projectId, goal: 'list', search: 'a' }));
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
    for await (const { items } of pagesOfBranches({ api: mock.api, projectId, goal: 'list' }))
      expect(items.map((branch) => branch.metadata)).toEqual([{ 'github-run-id': '9', odd: '7' }, {}, {}]);
    expect.assertions(1);
  });

  it.each([
    ['an object', {}, true],
    ['missing', undefined, false],
    ['null', null, false],
    ['a list', [], false],
  ])('say whether they came with metadata, and when: it is %s', async (_, annotations, hasMetadata) => {
    const headers = { date: new Date(start + 60_000).toUTCString() };
    const { api } = mockApi([{ headers, body: { branches: [raw('br-1', 'a')], annotations } }]);
    for await (const read of pagesOfBranches({ api, projectId, goal: 'list' }))
      expect(read).toMatchObject({ hasMetadata, date: start + 60_000, items: [{ metadata: {} }] });
    expect.assertions(1);
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

  it('comes with the time at which the service returned it', async () => {
    const listed = page([raw('br-1', 'a')], undefined, { 'br-1': { value: { note: 'x' } } });
    const { api } = mockApi([{ ...listed, headers: { date: new Date(start).toUTCString() } }]);
    expect(await findBranchByName({ api, projectId, name: 'a' })).toMatchObject({ date: start });
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

describe('when a branch was read', () => {
  const branch = { ...raw('br-1', 'a'), default: false, protected: false };
  const listed = page([branch], undefined, { 'br-1': { value: { note: 'x' } } });
  const reads = {
    'a list': (api: Client) => findBranchByName({ api, projectId, name: 'a' }),
    'a list of all': (api: Client) => findWithChildren({ api, projectId, is: ({ id }) => id === 'br-1', goal: 'x' }),
    itself: (api: Client) => getBranch({ api, projectId, branchId: 'br-1' }),
  };
  const reply: Reply = { body: { ...(listed.body as object), branch } };

  it.each(Object.entries(reads))('is when the request was sent that got the response: %s', async (_, read) => {
    let attempts = 0;
    const { api, clock } = mockApi(() => {
      clock.pass(5_000);
      return ++attempts === 1 ? { status: 500 } : reply;
    });
    expect((await read(api))?.readAt).toBe(clock.now() - 5_000);
  });

  it.each(Object.entries(reads))('is not after the response was written: %s', async (_, read) => {
    const at = (ms: number) => ({ date: new Date(start + ms).toUTCString() });
    expect((await read(mockApi([{ ...reply, headers: at(-60_000) }]).api))?.readAt).toBe(start - 59_000);
    expect((await read(mockApi([{ ...reply, headers: at(-1_000) }]).api))?.readAt).toBe(start);
    expect((await read(mockApi([{ ...reply, headers: at(60_000) }]).api))?.readAt).toBe(start);
  });

  it('is when it was listed, if the branch itself only adds to the list', async () => {
    const { api, clock } = mockApi(() => {
      clock.pass(5_000);
      return { body: { branches: [raw('br-1', 'a')], branch: { ...branch, name: 'renamed' } } };
    });
    expect(await findBranchByName({ api, projectId, name: 'a' })).toMatchObject({
      readAt: start,
      branch: { name: 'a' },
    });
  });
});

describe('a branch by ID', () => {
  it('comes with its metadata, and the time at which the service returned it', async () => {
    const mock = mockApi([
      {
        headers: { date: new Date(start).toUTCString() },
        body: { branch: raw('br-1', 'x'), annotation: { value: { a: 'b' } } },
      },
    ]);
    expect(await getBranch({ api: mock.api, projectId, branchId: 'br-1' })).toMatchObject({
      branch: { id: 'br-1', name: 'x', metadata: { a: 'b' } },
      date: start,
    });
    expect(trail(mock.sent)).toEqual(['GET /branches/br-1']);
  });

  it('is read again within the propagation window', async () => {
    const { api } = mockApi([{ status: 404 }, { body: { branch: raw('br-1', 'x') } }]);
    const window = { statuses: [404], until: start + 5_000 };
    expect(await getBranch({ api, projectId, branchId: 'br-1', window })).toMatchObject({ branch: { id: 'br-1' } });
  });

  it('rejects another branch than the one requested by ID', async () => {
    const { api } = mockApi([{ body: { branch: raw('br-2', 'x') } }]);
    await expect(getBranch({ api, projectId, branchId: 'br-1' })).rejects.toThrow(
      'The service returned branch br-2 instead of branch br-1',
    );
  });
});

describe('the names of databases and roles', () => {
  it('are read again within the propagation window', async () => {
    const { api, sent } = mockApi([{ status: 422 }, { body: { roles: [{ name: 'app' }, { name: 'b' }] } }]);
    const window = { statuses: [422], until: start + 5_000 };
    expect(await listNames({ api, projectId, branchId: 'br-1', kind: 'roles', window })).toEqual(['app', 'b']);
    expect(trail(sent)).toEqual(['GET /branches/br-1/roles', 'GET /branches/br-1/roles']);
  });

  it('are rejected if they have another shape', async () => {
    const { api } = mockApi([{ body: { roles: [{ name: 7 }] } }]);
    await expect(listNames({ api, projectId, branchId: 'br-1', kind: 'roles' })).rejects.toThrow(
      'Could not list the roles of branch br-1: 200 with an unexpected body: roles[0].name is missing or not a string',
    );
  });
});

it('is named in messages with its ID, and a missing one with a hint', () => {
  expect(nameAndId({ id: 'br-1', name: 'a\nb' })).toBe('"a b" (br-1)');
  expect(noSuchBranch('"x"', '; did you mean "y"?').message).toBe('The project has no branch "x"; did you mean "y"?');
  expect(noSuchBranch('"x"').message).toBe('The project has no branch "x"');
});
