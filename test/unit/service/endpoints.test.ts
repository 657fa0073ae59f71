import { describe, expect, it } from 'vitest';
import {
  createEndpoint,
  listEndpoints,
  readWriteEndpoint,
  settingsToChange,
  updateEndpoint,
} from '../../../src/service/endpoints.ts';
import { mockApi, type Reply } from '../../support/mock-api.ts';
import { branch, endpoint, lost, operation, trail } from './samples.ts';

const play = (replies: Reply[]) => {
  const mock = mockApi(replies);
  return { ...mock, about: { api: mock.api, projectId: 'p-1', branch: branch() } };
};
const listed = (...endpoints: object[]): Reply => ({ body: { endpoints } });
const others = [endpoint({ id: 'ep-2', type: 'read_only' }), endpoint({ id: 'ep-3', branch_id: 'br-2' })];

it('is the read-write one of the branch', () => {
  expect(readWriteEndpoint([...others, endpoint()], branch())?.id).toBe('ep-1');
  expect(readWriteEndpoint(others, branch())).toBeUndefined();
});

describe('listing the endpoints of a branch', () => {
  it('takes one request', async () => {
    const { about, sent } = play([listed(endpoint())]);
    expect(await listEndpoints(about)).toEqual([endpoint()]);
    expect(trail(sent)).toEqual(['GET /branches/br-1/endpoints']);
  });

  it('fails with what was tried', async () => {
    await expect(listEndpoints(play([{ status: 403 }]).about)).rejects.toThrow(
      'Could not list the compute endpoints of branch "preview/pr-7": 403',
    );
  });
});

describe('creating an endpoint', () => {
  it('sends the branch and the settings, and retries a 404 of the new endpoint', async () => {
    const created = { body: { endpoint: endpoint(), operations: [operation()] } };
    const { about, sent, api } = play([created, { status: 404 }, { body: {} }]);
    expect(await createEndpoint(about, { suspend_timeout_seconds: 60 })).toEqual(created.body);
    expect(trail(sent)).toEqual(['POST /endpoints']);
    expect(sent[0]?.body).toEqual({
      endpoint: { branch_id: 'br-1', type: 'read_write', suspend_timeout_seconds: 60 },
    });
    await api.request({ goal: 'read it', method: 'GET', path: '/endpoints/ep-1', read: (body) => body });
  });

  it.each([400, 409, 422])('returns the one that somebody else created first (%i)', async (status) => {
    const { about } = play([{ status }, listed(...others, endpoint())]);
    expect(await createEndpoint(about, {})).toEqual({ endpoint: endpoint(), operations: [] });
    await expect(createEndpoint(play([{ status }, listed(...others)]).about, {})).rejects.toThrow(
      `Could not create a compute endpoint for branch "preview/pr-7": ${status}`,
    );
  });

  it('fails if the response is about another branch', async () => {
    const { about } = play([{ body: { endpoint: endpoint({ branch_id: 'br-2' }) } }]);
    await expect(createEndpoint(about, {})).rejects.toThrow('it is about branch br-2');
  });

  it('is not sent again after a lost response', async () => {
    const { about, sent } = play([lost]);
    await expect(createEndpoint(about, {})).rejects.toThrow('Could not create a compute endpoint');
    expect(sent).toHaveLength(1);
  });
});

describe('the compute settings of an endpoint', () => {
  const settings = { autoscaling_limit_min_cu: 1, suspend_timeout_seconds: 0 };

  it('are changed only if they differ', () => {
    expect(settingsToChange(endpoint(settings), settings)).toBeUndefined();
    expect(settingsToChange(endpoint(settings), { ...settings, autoscaling_limit_max_cu: 2 })).toEqual({
      autoscaling_limit_max_cu: 2,
    });
    expect(settingsToChange(endpoint(), {})).toBeUndefined();
  });

  it('are sent in one request', async () => {
    const { about, sent } = play([{ body: { endpoint: endpoint(settings) } }, { status: 412 }]);
    const change = () => updateEndpoint(about, { endpoint: endpoint(), settings });
    expect(await change()).toEqual({ endpoint: endpoint(settings), operations: [] });
    expect(trail(sent)).toEqual(['PATCH /endpoints/ep-1']);
    expect(sent[0]?.body).toEqual({ endpoint: settings });
    await expect(change()).rejects.toThrow('Could not change the compute settings of branch "preview/pr-7": 412');
  });
});
