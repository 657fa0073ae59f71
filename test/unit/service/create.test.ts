import { describe, expect, it } from 'vitest';
import { createAttempt, createIdKey, type NewBranch } from '../../../src/service/create.ts';
import { mockApi, type Reply } from '../../support/mock-api.ts';
import { at, branch, endpoint, lost, operation, trail } from './samples.ts';

const projectId = 'p-1';
const page = (id?: string): Reply => ({
  body: {
    branches: id === undefined ? [] : [branch()],
    annotations: { 'br-1': { value: { [createIdKey]: id } } },
  },
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
  const make = async (replies: Reply[], over: Partial<NewBranch> = {}) => {
    const mock = mockApi(replies);
    const attempt = createAttempt({ api: mock.api, projectId, branch: { ...wanted, ...over } });
    const creation = await attempt.send();
    return {
      creation: { ...creation, lost: attempt.lost },
      methods: mock.sent.map((one) => one.method).join(' '),
      sent: mock.sent,
    };
  };
  const connection = {
    connection_uri: 'postgresql://app:pw-1234@ep-1.local.test/neondb',
    connection_parameters: { database: 'neondb', role: 'app', pooler_host: 'ep-1-pooler.local.test' },
  };
  const response: Reply = {
    status: 201,
    body: {
      branch: branch(),
      endpoints: [endpoint()],
      operations: [operation()],
      roles: [{ name: 'app' }],
      databases: [{ name: 'neondb' }],
      connection_uris: [connection],
    },
  };
  const taken: Reply = { status: 409, body: { code: 'BRANCH_ALREADY_EXISTS' } };
  const ours = page('c-1');
  const theirs = page('c-2');
  const unlisted = page();

  it('sends only what is set', async () => {
    const { sent } = await make([response]);
    expect(trail(sent)).toEqual(['POST /branches']);
    expect(sent[0]?.body).toEqual({
      branch: { name: 'preview/pr-7' },
      endpoints: [{ type: 'read_write' }],
      annotation_value: { 'github-run-id': '9', 'database-branch-create-id': 'c-1' },
    });
  });

  it('sends every setting', async () => {
    const { sent } = await make([response], {
      parentId: 'br-main',
      parentTimestamp: at(-9_000),
      schemaOnly: true,
      protected: true,
      expiresAt: at(9_000),
      suspendTimeout: 60,
      minCu: 0.25,
      maxCu: 2,
    });
    expect(sent[0]?.body).toMatchObject({
      branch: {
        name: 'preview/pr-7',
        parent_id: 'br-main',
        parent_timestamp: at(-9_000),
        init_source: 'schema-only',
        protected: true,
        expires_at: at(9_000),
      },
      endpoints: [
        {
          type: 'read_write',
          suspend_timeout_seconds: 60,
          autoscaling_limit_min_cu: 0.25,
          autoscaling_limit_max_cu: 2,
        },
      ],
    });
    const byLsn = await make([response], { parentLsn: '0/1' });
    expect(byLsn.sent[0]?.body).toMatchObject({ branch: { parent_lsn: '0/1' } });
  });

  it('is another request if the branch is to be anonymized', async () => {
    const { sent } = await make([response], { maskingRules: [{ column_name: 'email' }] });
    expect(trail(sent)).toEqual(['POST /branch_anonymized']);
    expect(sent[0]?.body).toEqual({
      branch_create: { branch: { name: 'preview/pr-7' }, endpoints: [{ type: 'read_write' }] },
      masking_rules: [{ column_name: 'email' }],
      start_anonymization: true,
      annotation_value: {
        'github-run-id': '9',
        'database-branch-create-id': 'c-1',
        'database-branch-masked': 'true',
      },
    });
  });

  it('returns all that the service says about the new branch', async () => {
    expect((await make([response])).creation).toEqual({
      outcome: 'created',
      lost: false,
      response: {
        branch: branch(),
        endpoints: [endpoint()],
        operations: [operation()],
        roles: ['app'],
        databases: ['neondb'],
        connectionUris: [
          {
            uri: connection.connection_uri,
            database: 'neondb',
            role: 'app',
            poolerHost: 'ep-1-pooler.local.test',
          },
        ],
      },
    });
    // Everything except the branch may be missing.
    expect((await make([{ body: { branch: branch() } }])).creation).toMatchObject({
      response: { endpoints: [], operations: [], roles: [], databases: [], connectionUris: [] },
    });
  });

  it('fails if the service creates it under another name, with its ID', async () => {
    const wrong = { body: { branch: branch({ id: 'br-9', name: 'preview' }) } };
    await expect(make([wrong])).rejects.toMatchObject({
      createdId: 'br-9',
      message: expect.stringMatching(/^Asked for a branch named "preview\/pr-7", but .* created "preview" \(br-9\)/),
    });
  });

  it('knows its branch by the create ID alone', () => {
    const { isOurs, branch: asked } = createAttempt({ api: mockApi([]).api, projectId, branch: wanted });
    expect(asked).toBe(wanted);
    expect(isOurs(branch({ id: 'br-9', name: 'renamed', metadata: { [createIdKey]: 'c-1' } }))).toBe(true);
    expect(isOurs(branch({ metadata: { [createIdKey]: 'c-2' } }))).toBe(false);
    expect(isOurs(branch())).toBe(false);
  });

  it.each([
    ['created', [response], 'POST', { outcome: 'created' }],
    ['name taken', [taken], 'POST', { outcome: 'conflict', lost: false, refusal: { status: 409 } }],
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

  it.each([409, 412, 422])('is found even if the next request fails with %i because of it', async (status) => {
    const { creation, methods } = await make([lost, unlisted, { status }, ours]);
    expect(creation).toMatchObject({ outcome: 'found', branch: { id: 'br-1' }, lost: true });
    expect(methods).toBe('POST GET POST GET');
  });

  it.each([
    ['no room', [lost, unlisted, { status: 422 }, theirs], 422, 'POST GET POST GET'],
    ['no permission', [lost, unlisted, { status: 403 }], 403, 'POST GET POST'],
    ['a lookup that fails', [lost, { status: 409 }], 409, 'POST GET'],
  ] satisfies [string, Reply[], number, string][])(
    'fails after a lost response: %s',
    async (_, replies, status, methods) => {
      const mock = mockApi(replies);
      const attempt = createAttempt({ api: mock.api, projectId, branch: wanted });
      await expect(attempt.send()).rejects.toMatchObject({ status });
      expect(mock.sent.map((one) => one.method).join(' ')).toBe(methods);
      expect(attempt.lost).toBe(true);
    },
  );

  it('is not retried after a permanent error', async () => {
    await expect(make([{ status: 422, body: { code: 'BRANCHES_LIMIT_EXCEEDED', message: 'full' } }])).rejects.toThrow(
      ': 422 BRANCHES_LIMIT_EXCEEDED, full',
    );
  });
});
