/** How delays grow from one attempt or poll to the next. All in milliseconds. */
export interface Backoff {
  first: number;
  longest: number;
  /** Factor from one delay to the next; default 2. */
  growth?: number;
}

/** The delay after the `attempt`-th attempt, counted from 1. */
export function backoffMs({ first, longest, growth = 2 }: Backoff, attempt: number): number {
  return Math.min(longest, first * growth ** (attempt - 1));
}

/** The delays one after another, without end. */
export function* backoff(settings: Backoff): Generator<number, never> {
  for (let attempt = 1; ; attempt++) yield backoffMs(settings, attempt);
}
