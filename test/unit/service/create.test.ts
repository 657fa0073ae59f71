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
  const make = async (reply: Reply, over: Partial<NewBranch> = {}) => {
    const mock = mockApi([reply]);
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
    const { sent } = await make(response);
    expect(trail(sent)).toEqual(['POST /branches']);
    expect(sent[0]?.body).toEqual({
      branch: { name: 'preview/pr-7' },
      endpoints: [{ type: 'read_write' }],
      annotation_value: { 'github-run-id': '9', 'database-branch-create-id': 'c-1' },
    });
  });

  it('sends every setting', async () => {
    const { sent } = await make(response, {
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
    const byLsn = await make(response, { parentLsn: '0/1' });
    expect(byLsn.sent[0]?.body).toMatchObject({ branch: { parent_lsn: '0/1' } });
  });

  it('is another request if the branch is to be anonymized', async () => {
    const { sent } = await make(response, { maskingRules: [{ column_name: 'email' }] });
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
    expect((await make(response)).response).toEqual({
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
    expect((await make({ body: { branch: branch() } })).response).toMatchObject({
      ...{ endpoints: [], operations: [], roles: [], databases: [], connectionUris: [] },
    });
  });

  it("fails if the service returns the default branch, which must not be deleted with the step's", async () => {
    const wrong = { body: { branch: branch({ default: true }) } };
    await expect(make(wrong)).rejects.toMatchObject({
      createdId: undefined,
      message: expect.stringContaining("The service returned the project's default branch"),
    });
  });

  it('fails if the service creates it under another name, with its ID', async () => {
    const wrong = { body: { branch: branch({ id: 'br-9', name: 'preview' }) } };
    await expect(make(wrong)).rejects.toMatchObject({
      createdId: 'br-9',
      message: expect.stringMatching(
        /^The service created branch "preview" \(br-9\) instead of one named "preview\/pr-7"\. Check the branch/,
      ),
    });
  });

  it('says so if that name differs only in its Unicode form', async () => {
    const wrong = { body: { branch: branch({ name: 'cafe\u0301' }) } };
    await expect(make(wrong, { name: 'caf\u00e9' })).rejects.toThrow(
      /, which looks the same but consists of different Unicode characters\. Check the branch .* Then set `branch_name` to a name of ASCII characters only\.$/,
    );
  });
});
