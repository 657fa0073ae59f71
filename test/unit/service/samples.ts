import type { Branch, Endpoint, Operation } from '../../../src/service/types.ts';
import type { Reply, Sent } from '../../support/mock-api.ts';

/** What the clock of `mockApi` shows at first. */
export const start = Date.parse('2026-03-04T05:06:07Z');
/** A time relative to that, as the service writes it. */
export const at = (ms: number) => new Date(start + ms).toISOString();

/** A branch that was created an hour ago. */
export const branch = (over: Partial<Branch> = {}): Branch => ({
  id: 'br-1',
  name: 'preview/pr-7',
  default: false,
  protected: false,
  current_state: 'ready',
  created_at: at(-3_600_000),
  metadata: {},
  ...over,
});

export const endpoint = (over: Partial<Endpoint> = {}): Endpoint => ({
  id: 'ep-1',
  branch_id: 'br-1',
  host: 'ep-1.local.test',
  type: 'read_write',
  ...over,
});

export const operation = (over: Partial<Operation> = {}): Operation => ({
  id: 'op-1',
  action: 'start_compute',
  status: 'running',
  failures_count: 0,
  total_duration_ms: 0,
  ...over,
});

/** A response that says nothing about whether the service has acted. */
export const lost: Reply = { status: 500 };

/** Each request on one line, without the part of the path that all have: `GET /branches/br-1`. */
export const trail = (sent: Sent[]) => sent.map(({ method, path }) => `${method} ${short(path)}`);
const short = (path: string) => path.replace('/api/v2/projects/p-1', '').replace(/\?.*/, '') || '/';
