import { Agent, request } from 'node:http';
import type { Service } from '../index.ts';

export interface ClientResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: responses have many shapes
  body: any;
}

export interface CallOptions {
  body?: unknown;
  key?: string;
  headers?: Record<string, string>;
  timeoutMs?: number;
}

/** A simple client: no retries, no redirects, a new connection for each request. */
export function call(
  service: Service,
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<ClientResponse> {
  const { body, key = service.apiKey, headers = {}, timeoutMs = 100_000 } = options;
  const payload = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const outgoing = request(
      service.baseUrl + path,
      {
        method,
        agent: new Agent({ keepAlive: false }),
        signal: AbortSignal.timeout(timeoutMs),
        headers: {
          authorization: `Bearer ${key}`,
          ...(payload !== undefined && {
            'content-type': 'application/json',
            'content-length': String(Buffer.byteLength(payload)),
          }),
          ...headers,
        },
      },
      (incoming) => {
        let text = '';
        incoming.setEncoding('utf8');
        incoming.on('data', (chunk) => {
          text += chunk;
        });
        incoming.on('error', reject);
        incoming.on('end', () => {
          let parsed: unknown;
          try {
            parsed = JSON.parse(text);
          } catch {
            parsed = undefined;
          }
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, body: parsed });
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(payload);
  });
}

/** Creates a branch with an endpoint and waits for its operations. */
export async function ready(
  service: Service,
  name: string,
  extra: Record<string, unknown> = {},
): Promise<ClientResponse> {
  const created = await call(service, 'POST', `/projects/${service.projectId}/branches`, {
    body: { branch: { name, ...extra }, endpoints: [{ type: 'read_write' }] },
  });
  await service.idle();
  return created;
}
