import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FaultAction, type Service, startService } from '../../service/index.ts';
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

const create = (patience = 5_000) =>
  call(service, 'POST', `${project}/branches`, { body: { branch: { name: 'x' } }, patience });
const exists = (): boolean => service.branch('x') !== undefined;

describe('each fault does what it says', () => {
  it.each<[string, FaultAction, boolean]>([
    ['a connection closed before', { close: 'before' }, false],
    ['a connection closed after', { close: 'after' }, true],
    ['a connection closed midway', { close: 'midway' }, true],
    ['no answer, nothing done', { hang: 'before' }, false],
    ['no answer, but done', { hang: 'after' }, true],
  ])('%s', async (_, action, acted) => {
    service.faults.add({ method: 'POST', path: /branches$/, ...action });
    await expect(create(300)).rejects.toThrow();
    expect(exists()).toBe(acted);
  });

  it.each<[string, FaultAction, number, boolean]>([
    ['an error instead', { status: 503, headers: { 'retry-after': '1' } }, 503, false],
    ['an error although it acted', { status: 500, acted: true }, 500, true],
    ['plain text', { status: 524, text: 'error code: 524' }, 524, false],
    ['a proxy’s page', { html: 502 }, 502, false],
    ['a redirect', { redirect: 'http://127.0.0.1:1/', status: 307 }, 307, false],
    ['an empty body', { empty: true }, 201, true],
    ['half a body', { truncate: 'half' }, 201, true],
    ['another shape', { transform: () => ['what?'] }, 201, true],
    ['a later answer', { delay: 30 }, 201, true],
    ['a slow answer', { drip: 0 }, 201, true],
  ])('%s', async (_, action, status, acted) => {
    service.faults.add({ method: 'POST', path: /branches$/, ...action });
    const answer = await create();
    expect(answer.status).toBe(status);
    expect(exists()).toBe(acted);
    expect({
      page: answer.text.startsWith('<html>'),
      empty: answer.text === '',
      cut: answer.body === undefined,
    }).toEqual({
      page: 'html' in action,
      empty: 'empty' in action || 'redirect' in action,
      cut: ['html', 'empty', 'redirect', 'truncate', 'text'].some((key) => key in action),
    });
    expect(service.requests.at(-1)?.fault).toMatchObject(action);
  });
});

it('picks requests by method, path, number and how often', async () => {
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

it('lies about a branch without the check minding', async () => {
  const other = await service.addBranch({ name: 'other' });
  service.faults.add({
    method: 'GET',
    path: /branches$/,
    transform: (body) => ({ ...(body as object), branches: [{ ...other, name: 'x' }], more: true }),
  });
  const { body } = await call(service, 'GET', `${project}/branches`);
  expect(body.branches).toEqual([{ ...other, name: 'x' }]);
});
