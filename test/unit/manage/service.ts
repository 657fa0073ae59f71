import { type Kind, kindOf } from '../../../src/manage/kinds.ts';
import { mockApi, type Reply, type Sent } from '../../support/mock-api.ts';

export function kind(name: string): Kind {
  const found = kindOf(name);
  if (!found) throw new Error(`Unknown kind ${name}`);
  return found;
}

export const owners = { projectId: 'p', branchId: 'br-1' };
export const lost: Reply = { error: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) };
export const now = '2026-03-04T05:06:07Z';
export const past = '2026-03-04T05:00:00Z';
export const headers = { date: new Date(now).toUTCString() };
export const role = (over: object = {}): Reply => ({
  status: 201,
  headers,
  body: { role: { name: 'app', branch_id: 'br-1', created_at: now, ...over }, operations: [] },
});
export const missing: Reply = { status: 404, headers };
/** The branch of an object; by default an old one. */
export const branch = (createdAt = '2026-01-01T00:00:00Z'): Reply => ({
  headers,
  body: { branch: { id: 'br-1', name: 'b', created_at: createdAt } },
});

/** A service with a list of replies per request (`POST /roles`); the last one repeats. */
export function service(replies: Record<string, Reply[]>, options: { timeoutMs?: number } = {}) {
  const counts = new Map<string, number>();
  const name = ({ method, path }: Sent) => `${method} ${path.replace('/api/v2', '').split('?')[0]}`;
  const mock = mockApi((request) => {
    const key = name(request).replace('/projects/p/branches/br-1', '').trim();
    const script = replies[key];
    if (!script) throw new Error(`There is no reply for ${key}`);
    const nth = counts.get(key) ?? 0;
    counts.set(key, nth + 1);
    return script[Math.min(nth, script.length - 1)] as Reply;
  }, options);
  return { ...mock, trail: () => mock.sent.map((one) => name(one).replace('/projects/p/branches/br-1', '').trim()) };
}

export const collection = (api: ReturnType<typeof service>['api'], name = 'role') => ({
  api,
  kind: kind(name),
  owners,
});
export const payload = { role: { name: 'app' } };
