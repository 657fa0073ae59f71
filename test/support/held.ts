import { setTimeout as delay } from 'node:timers/promises';
import type { RecordedRequest, Service } from '../../tools/service/index.ts';

/** The duration of an operation that ends when the test says so, and not while a step has yet to notice that it is running. */
export const held = Number.POSITIVE_INFINITY;

const isPoll = ({ path, status }: RecordedRequest) => /\/operations/.test(path) && status === 200;

/**
 * Does something, and lets `count` held operations go on once that has sent two requests of this kind and got their responses: by
 * default, polls of operations.
 */
export async function releasing<T>(
  service: Service,
  count: number,
  work: () => Promise<T>,
  isSign: (request: RecordedRequest) => boolean = isPoll,
): Promise<T> {
  const before = service.requests.length;
  const working = work();
  while (service.requests.slice(before).filter(isSign).length < 2) await delay(5);
  for (let nth = 0; nth < count; nth++) service.release();
  return working;
}
