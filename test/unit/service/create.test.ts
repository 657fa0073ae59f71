import { describe, expect, it } from 'vitest';
import { createRequest, type NewBranch } from '../../../src/service/create.ts';
import { mockApi, type Reply } from '../../support/mock-api.ts';
import { at, branch, endpoint, operation, trail } from './samples.ts';

const projectId = 'p-1';
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
    const { value } = await mock.api.request(
      createRequest({ api: mock.api, projectId, branch: { ...wanted, ...over } }),
    );
    return { response: value, ...mock };
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
    expect((await make([response])).response).toEqual({
      // The metadata that was sent, which is not in the response.
      branch: { ...branch(), metadata: { 'github-run-id': '9', 'database-branch-create-id': 'c-1' } },
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
    });
    // Everything except the branch may be missing.
    expect((await make([{ body: { branch: branch() } }])).response).toMatchObject({
      ...{ endpoints: [], operations: [], roles: [], databases: [], connectionUris: [] },
    });
  });

  it('tells the client that branch and endpoint are new', async () => {
    const { api, sent } = await make([response, { status: 404 }, { body: {} }]);
    await api.request({ goal: 'read it', method: 'GET', path: '/endpoints/ep-1', read: (body) => body });
    expect(sent).toHaveLength(3);
  });

  it.each([
    ['the default branch', { default: true }, "the project's default branch, "],
    ['a branch of another name', { id: 'br-9', name: 'preview' }, 'branch "preview" (br-9), '],
  ])('fails if the service returns %s', async (_, over, message) => {
    await expect(make([{ body: { branch: branch(over) } }])).rejects.toThrow(`The service returned ${message}`);
  });
});
