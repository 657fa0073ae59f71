import { afterEach, beforeEach, expect, it } from 'vitest';
import { type RecordedRequest, type Service, startService } from '../index.ts';
import { OpenApiCheck } from '../openapi/check.ts';
import { call, ready } from './client.ts';

let service: Service;
let project: string;

beforeEach(async () => {
  service = await startService({ compute: 'none', operationMs: 0 });
  project = `/projects/${service.projectId}`;
});
afterEach(() => service.stop());

it.each([
  [
    'an unknown property',
    { branch: { name: 'a', expiry: '1d' } },
    /\/branch must NOT have unevaluated properties.*expiry/,
  ],
  ['an unknown top-level property', { branch: { name: 'a' }, expires_at: 'x' }, /unevaluated.*expires_at/],
  ['a wrong type', { branch: { name: 7 } }, /\/branch\/name must be string/],
  ['a value out of range', { branch: { name: '' } }, /\/branch\/name must NOT have fewer than 1/],
  ['an endpoint without a type', { branch: { name: 'a' }, endpoints: [{}] }, /\/endpoints\/0 must have required/],
])('reports %s in a request', async (_, body, message) => {
  await call(service, 'POST', `${project}/branches`, { body });
  expect(service.violations.join('\n')).toMatch(message);
});

it('reports unknown paths, methods and parameters, and missing ones', async () => {
  await call(service, 'GET', `${project}/branches?page=2&limit=many`);
  await call(service, 'GET', '/nothing');
  await call(service, 'PUT', project);
  await call(service, 'PATCH', project);
  await call(service, 'GET', `${project}/connection_uri?role_name=x`);
  const found = service.violations.join('\n');
  expect(found).toContain('the description has no query page');
  expect(found).toContain('query limit: / must be integer');
  expect(found).toContain('GET /nothing: request: the description has no such path and method');
  expect(found).toContain(`PUT ${project}: request: the description has no such path and method`);
  expect(found).toContain(`PATCH ${project}: request: the body is missing`);
  expect(found).toContain('query database_name is missing');
});

it('reports violations in a response', async () => {
  const { body } = await ready(service, 'a');
  const violations: string[] = [];
  const check = new OpenApiCheck(violations, /^\/clusters/);
  const request: RecordedRequest = {
    method: 'GET',
    path: `${project}/branches/${body.branch.id}`,
    query: {},
    body: undefined,
    headers: {},
    requestId: '',
    at: 0,
    status: 200,
    responseBody: undefined,
    fault: undefined,
    template: undefined,
  };
  const { body: good } = await call(service, 'GET', request.path);
  check.response(request, { status: 200, headers: {}, body: good });
  expect(violations).toEqual([]);
  check.response(request, { status: 200, headers: {}, body: { ...good, more: 1 } });
  check.response(request, { status: 200, headers: {}, body: { branch: { ...good.branch, id: 7 } } });
  check.response(request, { status: 202, headers: {}, body: good });
  check.response(request, { status: 404, headers: {}, body: { error: 'no' } });
  check.response({ ...request, path: '/clusters' }, { status: 299, headers: {}, body: {} });
  expect(violations).toHaveLength(4);
  expect(violations[0]).toContain('more');
  expect(violations[1]).toMatch(/annotation.*\/branch\/id must be string|\/branch\/id must be string.*annotation/);
  expect(violations[2]).toContain('the description has no such status');
  expect(violations[3]).toContain("required property 'message'");
});
