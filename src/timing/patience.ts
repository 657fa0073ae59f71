/** `failed` is not final: the service may retry. After this long without a sign of it, in milliseconds, it is. */
const failedForGoodMs = 30_000;

/** What an operation shows of retries. */
interface Signs {
  status: string;
  failures_count: number;
  /** RFC 3339. */
  retry_at?: string;
}

/** Watches for signs that the service is still retrying a failed operation: `retry_at`, or a rising `failures_count`. */
export function createPatience(now: number) {
  let lastSign = now;
  let status = '';
  let failures = -1;
  let retryAt: string | undefined;
  const observe = (operation: Signs, at: number) => {
    const stays = status === 'failed' && operation.status === 'failed';
    const sign = !stays || operation.failures_count > failures || operation.retry_at !== retryAt;
    if (sign) lastSign = at;
    status = operation.status;
    const next = Date.parse(operation.retry_at ?? '');
    if (operation.status === 'failed' && next > lastSign) lastSign = next;
    failures = Math.max(failures, operation.failures_count);
    retryAt = operation.retry_at;
  };
  return {
    observe,
    isOver(operation: Signs, at: number): boolean {
      observe(operation, at);
      return at - lastSign >= failedForGoodMs;
    },
  };
}
