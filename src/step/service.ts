import { type Client, createClient } from '../http/client.ts';
import { attemptMsIn, type Deadline, deadlineIn, systemClock } from '../http/clock.ts';
import { StoppedError } from '../http/errors.ts';
import { createFetch } from '../http/transport.ts';
import { duration } from '../text/format.ts';
import { log, mask } from './log.ts';

/** How long `work` may take to clean up after the deadline, in milliseconds. Then the step ends without it. */
const graceMs = 6_000;

/** Gives `work` a client of the service that ends at the step's deadline, and closes it afterwards. `limit`: see `Deadline`. */
export async function withService<T>(
  inputs: { api_host: string; api_key?: string | undefined; timeout: number },
  work: (api: Client) => Promise<T>,
  { limit }: { limit?: string } = {},
): Promise<T> {
  dropUnsafeSettings();
  return withDeadline(inputs.timeout, limit, async (deadline) => {
    const api = createClient({
      baseUrl: inputs.api_host,
      apiKey: inputs.api_key ?? '',
      deadline,
      attemptMs: attemptMsIn(inputs.timeout),
      fetch: await createFetch(inputs.api_host),
      mask,
      onRetry: log.info,
      onTrace: log.debug,
    });
    const late = new Promise<never>((_, reject) => {
      deadline.signal.addEventListener('abort', () => {
        setTimeout(() => reject(deadline.signal.reason), graceMs).unref();
      });
    });
    try {
      return await Promise.race([work(api), late]);
    } finally {
      api.close();
    }
  });
}

/**
 * Gives `work` a deadline that ends after `timeoutMs`, or when the runner cancels the step: it sends SIGINT, 7.5 s later SIGTERM, and
 * 2.5 s later kills it. The first signal ends every delay and request; the second one ends the process.
 */
async function withDeadline<T>(
  timeoutMs: number,
  limit: string | undefined,
  work: (deadline: Deadline) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const deadline = deadlineIn(timeoutMs, { signal: controller.signal, clock: systemClock, limit });
  const timer = setTimeout(() => {
    controller.abort(new StoppedError('timeout', `Timed out after ${duration(timeoutMs)} (${deadline.limit})`));
  }, timeoutMs);
  const cancel = (name: NodeJS.Signals) => {
    if (controller.signal.aborted) process.exit(name === 'SIGINT' ? 130 : 143);
    controller.abort(new StoppedError('cancelled', `The step was cancelled (${name})`));
  };
  process.on('SIGINT', cancel);
  process.on('SIGTERM', cancel);
  try {
    return await work(deadline);
  } finally {
    clearTimeout(timer);
    process.off('SIGINT', cancel);
    process.off('SIGTERM', cancel);
  }
}

/** Takes a setting out of the environment that asks for connections without certificate checks. */
function dropUnsafeSettings(): void {
  if (process.env.NODE_TLS_REJECT_UNAUTHORIZED !== '0') return;
  delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  log.warning(
    "NODE_TLS_REJECT_UNAUTHORIZED=0 is ignored: HTTPS certificates are always verified. For a private certificate authority, set NODE_EXTRA_CA_CERTS to the path of the authority's certificate.",
  );
}
