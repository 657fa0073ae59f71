import type { Clock } from '../src/http/clock.ts';

/** A clock that advances only when code sleeps. */
export class FakeClock implements Clock {
  #now: number;
  /** Every delay so far, in milliseconds. */
  readonly pauses: number[] = [];
  /** Called at the beginning of each delay. */
  onSleep: (ms: number) => void = () => {};

  constructor(now = Date.parse('2026-03-04T05:06:07Z')) {
    this.#now = now;
  }

  readonly now = (): number => this.#now;

  readonly sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
    // As with a timer, nothing continues in the same turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    if (signal?.aborted) throw signal.reason;
    this.onSleep(ms);
    if (signal?.aborted) throw signal.reason;
    this.pauses.push(ms);
    this.#now += ms;
  };

  pass(ms: number): void {
    this.#now += ms;
  }
}
