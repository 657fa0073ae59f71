import type { Clock } from '../../src/http/clock.ts';

/** Time that passes only while somebody sleeps. */
export class FakeClock implements Clock {
  #now: number;
  /** Every pause that was slept, in milliseconds. */
  readonly pauses: number[] = [];
  /** Is called when a pause begins: what happens meanwhile. */
  onSleep: (ms: number) => void = () => {};

  constructor(now = Date.parse('2026-03-04T05:06:07Z')) {
    this.#now = now;
  }

  readonly now = (): number => this.#now;

  readonly sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
    // as with a timer, nothing goes on before the next turn
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
