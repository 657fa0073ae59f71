import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '../../src/http/client.ts';
import { type Clock, deadlineIn } from '../../src/http/clock.ts';
import { StoppedError } from '../../src/http/errors.ts';
import { createFetch } from '../../src/http/transport.ts';
import { ShapeError } from '../../src/text/json.ts';
import { startService } from '../service/index.ts';
import { expected, type FaultKind, faultKinds, type Mode, type Place, type Policy, wrongCount } from './faults.ts';

/** A request of the client, without an action around it. */
interface RequestKind {
  name: string;
  policy: Policy;
  method: 'GET' | 'PATCH' | 'DELETE';
  body?: object;
}

const kinds: RequestKind[] = [
  { name: 'a read', method: 'GET', policy: 'again' },
  { name: 'a delete', method: 'DELETE', policy: 'until gone' },
  { name: 'another change', method: 'PATCH', policy: 'give up', body: { branch: { protected: true } } },
];

/** One fault in one request. */
export interface RequestCell {
  name: string;
  mode: Mode;
  /** Returns every deviation from what is expected. */
  play: (place: Place) => Promise<string[]>;
}

export const requestCells: RequestCell[] = kinds.flatMap((request) =>
  faultKinds.flatMap((fault) =>
    (['once', 'always'] as const).map((mode) => ({
      name: `${request.name} / ${fault.name} / ${mode}`,
      mode,
      play: (place) => play({ request, fault, mode, place }),
    })),
  ),
);

/** How much faster than the real one the client's clock is. */
const speed = 20;
/** Long enough for two attempts, also on a busy machine; and for any request that must not time out. */
const timeouts = { short: 200_000, long: 2_400_000 };

function fastClock(): Clock {
  const began = Date.now();
  return {
    now: () => began + (Date.now() - began) * speed,
    async sleep(ms, signal) {
      await delay(ms / speed, undefined, { signal }).catch(() => {
        throw signal?.reason;
      });
    },
  };
}

async function play(cell: { request: RequestKind; fault: FaultKind; mode: Mode; place: Place }): Promise<string[]> {
  const { request, fault, mode, place } = cell;
  const { method, body } = request;
  const service = await startService({ compute: 'none', operationMs: 1 });
  const clock = fastClock();
  const outcome = expected(request.policy, fault, mode);
  const timeoutMs = outcome.sent === 'many' ? timeouts.short : timeouts.long;
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new StoppedError('timeout', 'Timed out')), timeoutMs / speed);
  // By the real clock. Even on a busy machine, the service must see an attempt that is to time out, and no other may.
  const attemptMs = fault.hangs ? 3_000 : 120_000;
  const api = createClient({
    baseUrl: service.baseUrl,
    apiKey: service.apiKey,
    deadline: deadlineIn(timeoutMs, { signal: controller.signal, clock }),
    clock,
    attemptMs,
    fetch: await createFetch(service.baseUrl),
  });
  try {
    const { id } = await service.addBranch({ name: 'preview/pr-7' });
    service.faults.add({ method, ...(mode === 'once' && { nth: 1 }), ...fault.action(place) });
    const path = `/projects/${service.projectId}/branches/${id}`;
    const error: unknown = await api
      .request({
        ...{ goal: 'try it', method, path, body },
        // As a delete does: what is gone needs no deletion.
        recover: async ({ status }) => (method === 'DELETE' && status === 404 ? { done: undefined } : undefined),
        read(response, status) {
          if (status === 204) return;
          if (typeof response === 'object' && response !== null && 'branch' in response) return;
          throw new ShapeError('the branch is missing');
        },
      })
      .then(
        () => undefined,
        (thrown) => thrown,
      );
    const message = error instanceof Error ? error.message : String(error);
    return [
      ...(outcome.ok === (error === undefined) ? [] : [`it ${outcome.ok ? `failed: ${message}` : 'succeeded'}`]),
      ...(outcome.ok || fault.says.test(message) ? [] : [`the error does not say ${fault.says}: ${message}`]),
      ...wrongCount(fault, service.requests.length, outcome.sent),
      ...service.violations,
    ];
  } finally {
    clearTimeout(timer);
    api.close();
    await service.stop();
  }
}
