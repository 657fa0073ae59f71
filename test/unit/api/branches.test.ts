import { describe, expect, it } from 'vitest';
import { findBranch, findBranchByName, getBranch, pagesOfBranches } from '../../../src/api/branches.ts';
import { createAttempt, createIdKey, type NewBranch } from '../../../src/api/create.ts';
import { createEndpoint, readWriteEndpoint } from '../../../src/api/endpoints.ts';
import type { Branch, Endpoint } from '../../../src/api/types.ts';
import { branchWindow } from '../../../src/http/propagation-window.ts';
import { FakeClock } from '../../support/clock.ts';
import { mockApi, type Reply } from '../../support/mock-api.ts';

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

  it('are all read', async () => {
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
    ['an empty page with a cursor', [page([raw('br-1', 'a')], 'one'), page([], 'two')], 2],
    ['an empty cursor', [page([raw('br-1', 'a')], '')], 1],
  ])('end with %s', async (_, replies, requests) => {
    expect((await all(replies)).cursors).toHaveLength(requests);
  });

  it('include the metadata of each branch, if it is a string', async () => {
    const mock = mockApi([
      page([raw('br-1', 'a'), raw('br-2', 'b'), raw('br-3', 'c')], undefined, {
        'br-1': { value: { 'github-run-id': '9', odd: 7 } },
        'br-3': null,
        'br-9': { value: { x: 'y' } },
      }),
    ]);
    for await (const { items } of pagesOfBranches({ api: mock.api, projectId, goal: 'list' }))
      expect(items.map((branch) => branch.metadata)).toEqual([{ 'github-run-id': '9' }, {}, {}]);
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
    const mock = mockApi([page([raw('br-1', 'a/b-2'), raw('br-2', 'A/B')], 'one'), page([raw('br-3', 'a/b')])]);
    const found = await findBranchByName({ api: mock.api, projectId, name: 'a/b' });
    expect(found?.branch.id).toBe('br-3');
    expect(mock.sent[0]?.path).toContain('search=a%2Fb');
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

it('rejects another branch than the one requested by ID', async () => {
  const { api } = mockApi([{ body: { branch: raw('br-2', 'x') } }]);
  await expect(getBranch({ api, projectId, branchId: 'br-1' })).rejects.toThrow(
    'Asked for branch br-1, but the service returned branch br-2',
  );
});

describe('the propagation window of a branch', () => {
  const created = Date.parse('2026-03-04T05:06:07Z');
  const branch = { ...raw('br-1', 'x'), metadata: {} } as Branch;
  const isOpen = (now: number, date?: number, created = false) =>
    branchWindow({ branch, clock: new FakeClock(now), date, created }) !== undefined;

  it('is open for seconds, by the service’s clock if the response has a date', () => {
    expect(isOpen(created + 5_000)).toBe(true);
    expect(isOpen(created + 60_000)).toBe(false);
    // The runner's clock may be an hour fast or slow.
    expect(isOpen(created + 3_600_000, created + 5_000)).toBe(true);
    expect(isOpen(created - 3_600_000, created + 60_000)).toBe(false);
    expect(isOpen(created + 60_000, undefined, true)).toBe(true);
  });
});

const branch = { ...raw('br-1', 'preview/pr-7'), metadata: {} } as Branch;
const endpoint = (over: Partial<Endpoint> = {}): Endpoint => ({
  id: 'ep-1',
  branch_id: 'br-1',
  host: 'ep-1.local.test',
  type: 'read_write',
  current_state: 'active',
  ...over,
});

describe('the endpoint of a branch', () => {
  it('is the read-write one', () => {
    const reader = endpoint({ id: 'ep-2', type: 'read_only' });
    expect(readWriteEndpoint([reader, endpoint()], branch)?.id).toBe('ep-1');
    expect(readWriteEndpoint([reader], branch)).toBeUndefined();
    expect(readWriteEndpoint([], branch)).toBeUndefined();
  });

  it('must not belong to another branch', () => {
    expect(() => readWriteEndpoint([endpoint(), endpoint({ id: 'ep-3', branch_id: 'br-2' })], branch)).toThrow(
      'the service returned endpoint ep-3 of branch br-2',
    );
  });

  const create = (replies: Reply[]) => {
    const mock = mockApi(replies);
    return { mock, run: () => createEndpoint({ api: mock.api, projectId, branch }) };
  };
  const list = (...endpoints: Endpoint[]): Reply => ({ body: { endpoints } });

  it.each([400, 409, 422])('is reused if somebody else created it first (%i)', async (status) => {
    const { run } = create([{ status }, list(endpoint())]);
    expect(await run()).toMatchObject({ endpoint: { id: 'ep-1' }, operations: [] });
  });

  it('fails with the error of the service if it cannot be created', async () => {
    await expect(create([{ status: 422, body: { message: 'no compute left' } }, list()]).run()).rejects.toThrow(
      'no compute left',
    );
    await expect(create([{ status: 403 }]).run()).rejects.toThrow(': 403');
  });

  it('is rejected if the response is about another branch', async () => {
    const wrong = { body: { endpoint: endpoint({ branch_id: 'br-2' }), operations: [] } };
    await expect(create([wrong]).run()).rejects.toThrow('of branch br-2');
  });

  it('is looked up after a lost response, before the create is sent again', async () => {
    const { mock, run } = create([{ status: 500 }, list(endpoint())]);
    expect(await run()).toMatchObject({ endpoint: { id: 'ep-1' } });
    expect(mock.sent.map((one) => one.method)).toEqual(['POST', 'GET']);
  });
});

describe('creating a branch', () => {
  const wanted: NewBranch = {
    name: 'preview/pr-7',
    parentId: undefined,
    parentTimestamp: undefined,
    parentLsn: undefined,
    schemaOnly: false,
    protected: false,
    expiresAt: undefined,
    suspendTimeout: undefined,
    minCu: undefined,
    maxCu: undefined,
    maskingRules: undefined,
    metadata: { 'github-run-id': '9' },
    createId: 'c-1',
  };
  const make = async (replies: Reply[]) => {
    const mock = mockApi(replies);
    const attempt = createAttempt({ api: mock.api, projectId, branch: wanted });
    const creation = await attempt.send();
    return {
      creation: { ...creation, lost: attempt.lost },
      methods: mock.sent.map((one) => one.method).join(' '),
      sent: mock.sent,
    };
  };
  const response: Reply = {
    status: 201,
    body: { branch: raw('br-1', 'preview/pr-7'), endpoints: [endpoint()], operations: [] },
  };
  const taken: Reply = { status: 409, body: { code: 'BRANCH_ALREADY_EXISTS' } };
  const lost: Reply = { status: 500 };
  const annotated = (id: string) =>
    page([raw('br-1', 'preview/pr-7')], undefined, { 'br-1': { value: { [createIdKey]: id } } });
  const ours = annotated('c-1');
  const theirs = annotated('c-2');
  const unlisted = page([]);

  it('sends only what is set', async () => {
    const { sent } = await make([response]);
    expect(sent[0]?.body).toEqual({
      branch: { name: 'preview/pr-7' },
      endpoints: [{ type: 'read_write' }],
      annotation_value: { 'github-run-id': '9', 'database-branch-create-id': 'c-1' },
    });
  });

  it.each([
    ['created', [response], 'POST', { outcome: 'created' }],
    ['name taken', [taken], 'POST', { outcome: 'conflict', lost: false }],
    ['lost, then found with our ID', [lost, ours], 'POST GET', { outcome: 'found', branch: { id: 'br-1' } }],
    ['lost, then found with another ID', [lost, theirs], 'POST GET', { outcome: 'conflict', lost: true }],
    ['lost, not listed, created', [lost, unlisted, response], 'POST GET POST', { outcome: 'created' }],
    [
      'lost, not listed, name taken, found with our ID',
      [lost, unlisted, taken, ours],
      'POST GET POST GET',
      { outcome: 'found', branch: { id: 'br-1' } },
    ],
    [
      'lost, not listed, name taken, still not listed',
      [lost, unlisted, taken, unlisted],
      'POST GET POST GET',
      { outcome: 'conflict', lost: true },
    ],
  ] satisfies [string, Reply[], string, object][])('%s', async (_, replies, methods, creation) => {
    const result = await make(replies);
    expect(result.creation).toMatchObject(creation);
    expect(result.methods).toBe(methods);
  });

  it('is not retried after a permanent error', async () => {
    await expect(make([{ status: 422, body: { code: 'BRANCHES_LIMIT_EXCEEDED', message: 'full' } }])).rejects.toThrow(
      ': 422 BRANCHES_LIMIT_EXCEEDED, full',
    );
  });
});
