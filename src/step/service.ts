import { type Client, createClient } from '../http/client.ts';
import { systemClock } from '../http/clock.ts';
import { createFetch } from '../http/transport.ts';
import { startDeadline } from './deadline.ts';
import { log, mask } from './log.ts';

/** Longest and shortest time for one attempt of a request, in milliseconds; in between it is a quarter of the step's time. */
const attempt = { longest: 30_000, shortest: 1_000 };

/** How long `work` may take to clean up after the deadline, in milliseconds. Then the step ends without it. */
const graceMs = 6_000;

/** Gives `work` a client of the service that ends at the step's deadline, and closes it afterwards. `limit`: see `Deadline`. */
export async function withService<T>(
  inputs: { api_host: string; api_key?: string | undefined; timeout: number },
  work: (api: Client) => Promise<T>,
  { limit }: { limit?: string } = {},
): Promise<T> {
  dropUnsafeSettings();
  const deadline = startDeadline({ timeoutMs: inputs.timeout, clock: systemClock, limit });
  const attemptMs = Math.max(attempt.shortest, Math.min(attempt.longest, inputs.timeout / 4));
  let api: Client | undefined;
  try {
    api = createClient({
      baseUrl: inputs.api_host,
      apiKey: inputs.api_key ?? '',
      deadline,
      attemptMs,
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
    return await Promise.race([work(api), late]);
  } finally {
    // Even if there is no client, because the URL of a proxy is invalid: the timer would keep the process alive.
    deadline.clear();
    api?.close();
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
