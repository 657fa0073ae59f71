import { describe, expect, it } from 'vitest';
import type { RetryWindow } from '../../../src/http/request.ts';
import {
  type ComputeSettings,
  endpointCreation,
  endpointUpdate,
  listEndpoints,
  readWriteEndpoint,
  settingsToChange,
} from '../../../src/service/endpoints.ts';
import type { Endpoint } from '../../../src/service/types.ts';
import { mockApi, type Reply } from '../../support/mock-api.ts';
import { seen } from '../../support/seen.ts';
import { branch as branchSample, endpoint, lost, operation, start, trail } from './samples.ts';

const projectId = 'p-1';
const branch = branchSample();
const window = { statuses: [404, 422], until: start + 15_000 };
const list = (...endpoints: Endpoint[]): Reply => ({ body: { endpoints } });
const changed = (over: Partial<Endpoint> = {}): Reply => ({
  body: { endpoint: endpoint(over), operations: [operation()] },
});
const unknown: Reply = { status: 404 };

describe('the endpoint of a branch', () => {
  it('is the read-write one', () => {
    const reader = endpoint({ id: 'ep-2', type: 'read_only' });
    expect(readWriteEndpoint([reader, endpoint()], branch)?.id).toBe('ep-1');
    expect(readWriteEndpoint([reader], branch)).toBeUndefined();
    expect(readWriteEndpoint([], branch)).toBeUndefined();
  });

  it('must not belong to another branch', () => {
    expect(() => readWriteEndpoint([endpoint(), endpoint({ id: 'ep-3', branch_id: 'br-2' })], branch)).toThrow(
      'but it belongs to branch br-2',
    );
  });
});

describe('listing the endpoints of a branch', () => {
  const play = (replies: Reply[]) => {
    const mock = mockApi(replies);
    return { ...mock, run: () => listEndpoints({ api: mock.api, projectId, branch, window }) };
  };
  const known: Reply = { body: { branch } };

  it('takes one request', async () => {
    const { run, sent } = play([list(endpoint())]);
    expect(await run()).toEqual([endpoint()]);
    expect(trail(sent)).toEqual(['GET /branches/br-1/endpoints']);
  });

  it('filters those of the project if the service has no list for the branch', async () => {
    const { run, sent, clock } = play([unknown, known, list(endpoint({ id: 'ep-9', branch_id: 'br-2' }), endpoint())]);
    expect(await run()).toEqual([endpoint()]);
    expect(trail(sent)).toEqual(['GET /branches/br-1/endpoints', 'GET /branches/br-1', 'GET /endpoints']);
    expect(clock.pauses).toEqual([]);
  });

  it('waits until the service knows a new branch', async () => {
    const { run, sent, clock } = play([unknown, unknown, known, unknown, unknown, list(endpoint())]);
    expect(await run()).toEqual([endpoint()]);
    expect(trail(sent)).toEqual([
      'GET /branches/br-1/endpoints',
      'GET /branches/br-1',
      'GET /branches/br-1',
      'GET /endpoints',
      'GET /branches/br-1/endpoints',
      'GET /branches/br-1/endpoints',
    ]);
    expect(clock.pauses).toEqual([200, 200]);
  });

  it('waits until a new branch is ready', async () => {
    const { run, clock } = play([{ status: 422 }, list(endpoint())]);
    expect(await run()).toEqual([endpoint()]);
    expect(clock.pauses).toEqual([200]);
  });

  it.each([
    ['the list', [{ status: 403 }], 1],
    ['the branch', [unknown, { status: 403 }], 2],
    ['the list of the project', [unknown, known, { status: 403 }], 3],
  ] satisfies [string, Reply[], number][])('fails if %s may not be read', async (_, replies, requests) => {
    const { run, sent } = play(replies);
    await expect(run()).rejects.toMatchObject({ status: 403 });
    expect(sent).toHaveLength(requests);
  });

  it('fails if the branch is gone', async () => {
    const { api, sent } = mockApi([unknown]);
    await expect(listEndpoints({ api, projectId, branch })).rejects.toThrow('Could not read branch br-1: 404');
    expect(sent).toHaveLength(2);
  });
});

describe('creating an endpoint', () => {
  const play = (replies: Reply[], options: { window?: RetryWindow } & ComputeSettings = {}) => {
    const mock = mockApi(replies);
    const { window, ...settings } = options;
    const about = seen({ api: mock.api, branch, window });
    return { ...mock, run: () => about.change(endpointCreation(about, settings)) };
  };

  it('sends the branch and the settings', async () => {
    const { run, sent } = play([changed()], {
      suspend_timeout_seconds: 60,
      autoscaling_limit_min_cu: 0.25,
      autoscaling_limit_max_cu: 2,
    });
    expect(await run()).toEqual({ endpoint: endpoint(), operations: [operation()] });
    expect(trail(sent)).toEqual(['POST /endpoints']);
    expect(sent[0]?.body).toEqual({
      endpoint: {
        branch_id: 'br-1',
        type: 'read_write',
        suspend_timeout_seconds: 60,
        autoscaling_limit_min_cu: 0.25,
        autoscaling_limit_max_cu: 2,
      },
    });
  });

  it.each([400, 409, 422])('returns the one that somebody else created first (%i)', async (status) => {
    const { run } = play([{ status }, list(endpoint())]);
    expect(await run()).toEqual({ endpoint: endpoint(), operations: [] });
  });

  it('fails with the error of the service', async () => {
    const full = { status: 422, body: { message: 'no compute left' } };
    await expect(play([full, list()]).run()).rejects.toThrow(
      'Could not create a compute endpoint for branch "preview/pr-7": 422, no compute left',
    );
    const forbidden = play([{ status: 403 }, list(endpoint())]);
    await expect(forbidden.run()).rejects.toThrow(': 403');
    expect(forbidden.sent).toHaveLength(1);
  });

  it('fails if the response is about another branch', async () => {
    await expect(play([changed({ branch_id: 'br-2' })]).run()).rejects.toThrow('but it belongs to branch br-2');
  });

  it('looks for it after a lost response, before the request is sent again', async () => {
    const { run, sent } = play([lost, list(endpoint())]);
    expect(await run()).toEqual({ endpoint: endpoint(), operations: [] });
    expect(trail(sent)).toEqual(['POST /endpoints', 'GET /branches/br-1/endpoints']);
    const again = play([lost, list(endpoint({ type: 'read_only' })), changed()]);
    expect(await again.run()).toMatchObject({ operations: [{ id: 'op-1' }] });
    expect(again.sent.map((one) => one.method)).toEqual(['POST', 'GET', 'POST']);
  });
});

describe('the compute settings of an endpoint', () => {
  const small = endpoint({ autoscaling_limit_min_cu: 0.25, autoscaling_limit_max_cu: 1, suspend_timeout_seconds: 300 });

  it('are changed only if they differ', () => {
    const all = { autoscaling_limit_min_cu: 0.25, autoscaling_limit_max_cu: 2, suspend_timeout_seconds: 300 };
    expect(settingsToChange(small, all)).toEqual({ autoscaling_limit_max_cu: 2 });
    expect(settingsToChange(small, { suspend_timeout_seconds: 0 })).toEqual({ suspend_timeout_seconds: 0 });
    expect(settingsToChange(small, { autoscaling_limit_min_cu: 0.25 })).toBeUndefined();
    expect(settingsToChange(small, {})).toBeUndefined();
  });

  const settings = { autoscaling_limit_max_cu: 2 };
  const play = (replies: Reply[], options: { window?: RetryWindow } = {}) => {
    const mock = mockApi(replies);
    const about = seen({ api: mock.api, branch, ...options });
    return { ...mock, run: () => about.change(endpointUpdate(about, { endpoint: small, settings })) };
  };

  it('are sent in one request', async () => {
    const { run, sent } = play([changed(settings)]);
    expect(await run()).toEqual({ endpoint: endpoint(settings), operations: [operation()] });
    expect(trail(sent)).toEqual(['PATCH /endpoints/ep-1']);
    expect(sent[0]?.body).toEqual({ endpoint: settings });
  });

  it('are sent again after a lost response only if the endpoint does not have them', async () => {
    const { run, sent } = play([lost, list(endpoint(settings))]);
    expect(await run()).toEqual({ endpoint: endpoint(settings), operations: [] });
    expect(sent.map((one) => one.method)).toEqual(['PATCH', 'GET']);
    for (const listed of [list(small), list()]) {
      const again = play([lost, listed, changed(settings)]);
      expect(await again.run()).toMatchObject({ operations: [{ id: 'op-1' }] });
      expect(again.sent.map((one) => one.method)).toEqual(['PATCH', 'GET', 'PATCH']);
    }
  });

  it('fail if the response is about another branch, or with the error of the service', async () => {
    await expect(play([changed({ branch_id: 'br-2' })]).run()).rejects.toThrow('but it belongs to branch br-2');
    await expect(play([{ status: 412, body: { message: 'not in your plan' } }]).run()).rejects.toThrow(
      'Could not change the compute settings of branch "preview/pr-7": 412, not in your plan',
    );
  });
});
