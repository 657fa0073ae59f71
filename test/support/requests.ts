import { expect } from 'vitest';
import type { Client } from '../../src/http/client.ts';
import { ApiError } from '../../src/http/errors.ts';
import type { RequestSpec } from '../../src/http/request.ts';
import type { Reply } from './mock-api.ts';

/** The error of a request that must fail. */
export const failure = async (work: Promise<unknown>): Promise<ApiError> => {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ApiError);
  return error as ApiError;
};

const spec = (over: Partial<RequestSpec<unknown>> = {}): RequestSpec<unknown> => ({
  goal: 'read it',
  method: 'GET',
  path: '/things/1',
  read: (body) => body,
  ...over,
});
export const get = (api: Client, over: Partial<RequestSpec<unknown>> = {}) => api.request(spec(over));
export const post = (api: Client, over: Partial<RequestSpec<unknown>> = {}) =>
  api.request(spec({ goal: 'make it', method: 'POST', body: { name: 'a' }, ...over }));

export const ok: Reply = { body: { a: 1 } };
