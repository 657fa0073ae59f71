/** `failed` is not final: the service may retry. After this long without a sign of it, in milliseconds, it is. */
const failedForGoodMs = 30_000;

/** What an operation shows of retries. */
interface Signs {
  status: string;
  failures_count: number;
  /** RFC 3339. */
  retry_at?: string;
}

/**
 * Watches for signs that the service is still retrying a failed operation: `retry_at`, or a rising `failures_count`. The returned function
 * gets the operation as each poll shows it, and says whether it has failed for good.
 */
export function createPatience(now: number): (operation: Signs, at: number) => boolean {
  let lastSign = now;
  let status = '';
  let failures = -1;
  let retryAt: string | undefined;
  return (operation, at) => {
    const stays = status === 'failed' && operation.status === 'failed';
    const sign = !stays || operation.failures_count > failures || operation.retry_at !== retryAt;
    if (sign) lastSign = at;
    status = operation.status;
    const next = Date.parse(operation.retry_at ?? '');
    if (status === 'failed' && next > lastSign) lastSign = next;
    failures = Math.max(failures, operation.failures_count);
    retryAt = operation.retry_at;
    return status === 'failed' && at - lastSign >= failedForGoodMs;
  };
}
