import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { createClient } from '../../../src/http/client.ts';
import { deadlineIn, systemClock } from '../../../src/http/clock.ts';

it('fails pending requests and delays when the client is closed', async () => {
  let asked = 0;
  const server = createServer((_, response) => {
    asked++;
    response.writeHead(503, { 'retry-after': '3600' }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const api = createClient({
      baseUrl,
      apiKey: 'napi_secretkey',
      deadline: deadlineIn(Number.POSITIVE_INFINITY, { signal: new AbortController().signal, clock: systemClock }),
      fetch,
      onRetry: () => void api.close(),
    });
    const request = api.request({ goal: 'look', method: 'GET', path: '/a', read: () => undefined });
    await expect(request).rejects.toThrow('The connection to the service was closed while trying to look');
    expect(asked).toBe(1);
    await expect(api.sleep(3_600_000, 'waiting')).rejects.toMatchObject({
      reason: 'cancelled',
      message: 'The connection to the service was closed while waiting',
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
