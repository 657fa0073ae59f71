import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runAction } from '../../../tools/runner/runner.ts';

/** More than 2^53, and more digits than a double has. */
const [id, quota, ratio] = ['12345678901234567890', '9007199254740993', '0.12345678901234567890'];

/** Responds with this text to everything, whatever a JSON parser would make of it. */
let response = '';
let bodies: string[] = [];
const server = createServer((request, reply) => {
  let body = '';
  request.on('data', (chunk) => {
    body += chunk;
  });
  request.on('end', () => {
    if (body !== '') bodies.push(body);
    reply.writeHead(200, { 'content-type': 'application/json' });
    reply.end(response);
  });
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => server.close());
beforeEach(() => {
  bodies = [];
});

function manage(inputs: Record<string, string>) {
  const { port } = server.address() as AddressInfo;
  const access = { api_key: 'napi_keyOfThisTest1', project_id: 'shiny-wind-028834', api_host: `127.0.0.1:${port}` };
  return runAction({ inputs: { ...access, command: 'manage', ...inputs } });
}

describe('a number that JavaScript cannot hold', () => {
  it('passes exactly in a raw request and its response', async () => {
    response = `{"cluster":{"id":${id},"quota":${quota},"ratio":${ratio}}}`;
    const body = `{"quota":${quota},"nested":[{"ratio":${ratio}}]}`;
    const run = await manage({ method: 'POST', path: '/clusters', body });
    expect(run.annotations.error).toEqual([]);
    expect(bodies).toEqual([body]);
    expect(run.outputs.response).toBe(response);
  });

  it('passes exactly in the payload of an object, and may be its ID', async () => {
    response = `{"cluster":{"id":${id},"name":"a","quota":${quota}}}`;
    const body = `{"name":"a","quota":${quota}}`;
    const run = await manage({ resource: 'cluster', verb: 'create', body });
    expect(run.annotations.error).toEqual([]);
    expect(bodies).toEqual([`{"cluster":${body}}`]);
    expect(run.outputs.response).toBe(response);
    expect(run.stdout).toContain(`Created cluster "a" (${id})`);
  });

  it('may be the ID of an object whose kind is checked', async () => {
    response = `{"operations":[],"id":${id}}`;
    const run = await manage({ resource: 'api_key', verb: 'delete', resource_id: id });
    expect(run.annotations.error).toEqual([]);
    const other = await manage({ resource: 'api_key', verb: 'delete', resource_id: '12345678901234567891' });
    expect(other.annotations.error.join()).toContain(`with id "${id}" instead of "12345678901234567891"`);
  });
});
