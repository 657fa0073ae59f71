import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FaultAction, type Service, startService } from '../index.ts';
import { call } from './client.ts';

let service: Service;
let project: string;

beforeEach(async () => {
  service = await startService({ compute: 'none', operationMs: 0 });
  project = `/projects/${service.projectId}`;
});

afterEach(async () => {
  const { violations } = service;
  await service.stop();
  expect(violations).toEqual([]);
});

const create = () => call(service, 'POST', `${project}/branches`, { body: { branch: { name: 'x' } } });
const exists = (): boolean => service.branch('x') !== undefined;

describe('a fault', () => {
  it.each<[string, FaultAction, boolean]>([
    ['closes the connection before the request takes effect', { close: 'before' }, false],
    ['closes the connection after the request took effect', { close: 'after' }, true],
    ['closes the connection in the middle of the response', { close: 'midway' }, true],
  ])('%s', async (_, action, acted) => {
    service.faults.add({ method: 'POST', path: /branches$/, ...action });
    await expect(create()).rejects.toThrow();
    expect(exists()).toBe(acted);
  });

  it.each([
    ['and does nothing', { hang: 'before' }, false],
    ['although the request took effect', { hang: 'after' }, true],
  ] as const)('sends no response %s', async (_, action, acted) => {
    service.faults.add({ method: 'POST', path: /branches$/, ...action });
    const response = create().catch(() => 'none');
    await expect.poll(() => service.requests.length, { timeout: 60_000 }).toBe(1);
    await expect.poll(exists, { timeout: 60_000 }).toBe(acted);
    await service.stop();
    expect(await response).toBe('none');
  });

  it.each<[string, FaultAction, number, boolean]>([
    ['sends an error', { status: 503, headers: { 'retry-after': '1' } }, 503, false],
    ['sends an error although the request took effect', { status: 500, acted: true }, 500, true],
    ['sends plain text', { status: 524, text: 'error code: 524' }, 524, false],
    ["sends a proxy's error page", { html: 502 }, 502, false],
    ['sends a redirect', { redirect: 'http://127.0.0.1:1/', status: 307 }, 307, false],
    ['sends an empty body', { empty: true }, 201, true],
    ['sends half of the body', { truncate: 'half' }, 201, true],
    ['sends another body', { transform: () => ['what?'] }, 201, true],
    ['delays the response', { delay: 30 }, 201, true],
    ['sends the response piece by piece', { drip: 0 }, 201, true],
  ])('%s', async (_, action, status, acted) => {
    service.faults.add({ method: 'POST', path: /branches$/, ...action });
    const response = await create();
    expect(response.status).toBe(status);
    expect(exists()).toBe(acted);
    expect({
      html: response.text.startsWith('<html>'),
      empty: response.text === '',
      noJson: response.body === undefined,
    }).toEqual({
      html: 'html' in action,
      empty: 'empty' in action || 'redirect' in action,
      noJson: ['html', 'empty', 'redirect', 'truncate', 'text'].some((key) => key in action),
    });
    expect(service.requests.at(-1)?.fault).toMatchObject(action);
  });
});

it('selects requests by method, path, condition, position and number of times', async () => {
  const second = service.faults.add({ path: /^\/users\/me$/, nth: 2, status: 500 });
  const few = service.faults.add({ method: 'get', path: /operations$/, times: 2, status: 502 });
  const chosen = service.faults.add({ when: ({ query }) => query.search === 'no', nth: [1, 3], status: 504 });
  const statuses = async (path: string, times: number): Promise<number[]> => {
    const list: number[] = [];
    for (let n = 0; n < times; n++) list.push((await call(service, 'GET', path)).status);
    return list;
  };
  expect(await statuses('/users/me', 3)).toEqual([200, 500, 200]);
  expect(await statuses(`${project}/operations`, 3)).toEqual([502, 502, 200]);
  expect(await statuses(`${project}/branches?search=no`, 3)).toEqual([504, 200, 504]);
  expect([second.fired(), few.fired(), chosen.fired()]).toEqual([1, 2, 2]);
  chosen.remove();
  expect(await statuses(`${project}/branches?search=no`, 1)).toEqual([200]);
  service.faults.clear();
});
