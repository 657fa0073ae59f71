import type { RecordedRequest } from '../service/index.ts';

/**
 * How many requests a step sent one after another: requests side by side count once. Only meaningful on a service that delays every
 * response by `delayMs`, so that what does not wait for a response arrives before it.
 */
export function roundsOf(requests: Pick<RecordedRequest, 'at'>[], delayMs: number): number {
  let rounds = 0;
  let began = Number.NEGATIVE_INFINITY;
  for (const { at } of requests.toSorted((one, other) => one.at - other.at)) {
    if (at < began + delayMs) continue;
    rounds++;
    began = at;
  }
  return rounds;
}
