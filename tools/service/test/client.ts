import type { Service } from '../index.ts';

export interface ClientResponse {
  status: number;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: responses have many shapes
  body: any;
}

/** A simple client: no retries, no redirects. */
export async function call(
  service: Service,
  method: string,
  path: string,
  options: { body?: unknown; key?: string; headers?: Record<string, string> } = {},
): Promise<ClientResponse> {
  const { body, key = service.apiKey, headers } = options;
  const response = await fetch(service.baseUrl + path, {
    method,
    redirect: 'manual',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // Not every response is JSON.
  }
  return { status: response.status, text, body: parsed };
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
