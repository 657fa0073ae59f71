import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { Dispatcher } from 'undici';
import type { Failure } from './errors.ts';
import { type Headers, header, networkFailure, redirectFailure, statusFailure, unreadableFailure } from './failures.ts';
import { type ApiResponse, isChange, type Method } from './request.ts';
import type { Outcome } from './retry.ts';
import { ShapeError } from './shape.ts';

export interface Attempt<T> {
  url: URL;
  method: Method;
  headers: Record<string, string>;
  body?: unknown;
  read: (body: unknown, status: number) => T;
  dispatcher: Dispatcher;
  /** Milliseconds for the whole attempt, to the last byte of the response. */
  attemptMs: number;
  signal: AbortSignal;
  now: () => number;
}

/** Redirects within the service that one attempt follows. */
const mostRedirects = 3;

/**
 * One attempt of a request: a response, or a failure that says whether the service may have acted.
 * Rejects only with the signal's reason.
 */
export async function attemptRequest<T>(
  attempt: Attempt<T>,
): Promise<Outcome<Omit<ApiResponse<T>, 'mayHaveActedBefore'>>> {
  const { signal, method, now } = attempt;
  if (signal.aborted) throw signal.reason;
  const limit = AbortSignal.timeout(attempt.attemptMs);
  let url = attempt.url;
  for (let redirects = 0; ; redirects++) {
    const received = await receive(attempt, { url, limit });
    if ('failure' in received) return received;
    const { status, headers, text } = received;
    if (status >= 300 && status < 400 && status !== 304) {
      const target = redirectTarget({ url, location: header(headers, 'location'), status, method, redirects });
      if (!(target instanceof URL)) return { failure: target };
      url = target;
      continue;
    }
    const parsed = Date.parse(header(headers, 'date') ?? '');
    const date = Number.isNaN(parsed) ? undefined : parsed;
    if (status >= 300) {
      // `Retry-After` may be a date by the clock that wrote it; a runner's clock may be minutes off.
      const readable = text instanceof ShapeError ? undefined : text;
      return { failure: statusFailure({ status, text: readable, headers, now: date ?? now(), method }) };
    }
    try {
      if (text instanceof ShapeError) throw text;
      return { value: { status, value: attempt.read(parse(text), status), date } };
    } catch (error) {
      return { failure: unreadableFailure({ error, status, method }) };
    }
  }
}

/** A response, whose text may be unreadable, or the failure to get one. */
async function receive(
  attempt: Attempt<unknown>,
  { url, limit }: { url: URL; limit: AbortSignal },
): Promise<{ status: number; headers: Headers; text: string | ShapeError } | { failure: Failure }> {
  const { signal, method, attemptMs } = attempt;
  try {
    const response = await attempt.dispatcher.request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method,
      headers: { ...attempt.headers, 'content-type': 'application/json' },
      body: attempt.body === undefined ? null : JSON.stringify(attempt.body),
      signal: AbortSignal.any([signal, limit]),
    });
    const { statusCode: status, headers, body } = response;
    const encoding = header(headers, 'content-encoding');
    const text = await readText(body, { encoding, isError: status >= 300 }).catch((error: unknown) => {
      if (error instanceof ShapeError) return error;
      throw error;
    });
    return { status, headers, text };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    return { failure: networkFailure({ error, timedOut: limit.aborted, attemptMs, host: url.host, method }) };
  }
}

function parse(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new ShapeError('not JSON, or truncated');
  }
}

function redirectTarget(options: {
  url: URL;
  location: string | undefined;
  status: number;
  method: Method;
  redirects: number;
}): URL | Failure {
  const { url, location, status, method, redirects } = options;
  if (!location || !URL.canParse(location, url.href))
    return redirectFailure(status, 'a redirect without a valid location');
  const target = new URL(location, url);
  if (target.origin !== url.origin) {
    return redirectFailure(
      status,
      `a redirect to another origin (${JSON.stringify(target.origin)}), which is not followed`,
    );
  }
  // 301, 302 and 303 turn a change into a read: following one would report a change that never happened.
  if (isChange(method) && status !== 307 && status !== 308) {
    return redirectFailure(status, `a redirect that is not followed for ${method}`);
  }
  return redirects < mostRedirects ? target : redirectFailure(status, 'too many redirects');
}

/** As much as is read of an error response, and of any other, in bytes. A string can hold no more than 512 MB. */
const mostBytes = { ofError: 1_000_000, ofSuccess: 256_000_000 };

const decoders: Record<string, (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>> = {
  gzip: promisify(zlib.gunzip),
  'x-gzip': promisify(zlib.gunzip),
  deflate: promisify(zlib.inflate),
  br: promisify(zlib.brotliDecompress),
};

/**
 * The text of a response. A proxy may have compressed it, although nobody asked for that. Throws a `ShapeError` if it is too large
 * or not in its encoding; rejects as the stream does.
 */
async function readText(
  body: Readable,
  { encoding = '', isError }: { encoding?: string | undefined; isError: boolean },
): Promise<string> {
  const most = isError ? mostBytes.ofError : mostBytes.ofSuccess;
  const tooLarge = () => new ShapeError(`larger than ${most / 1_000_000} MB`);
  const chunks: Buffer[] = [];
  let size = 0;
  // The stream fails when the rest of it is given up.
  body.on('error', () => {});
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > most) throw tooLarge();
    chunks.push(chunk);
  }
  let bytes: Buffer = Buffer.concat(chunks);
  const encodings = encoding
    .toLowerCase()
    .split(',')
    .map((one) => one.trim());
  for (const name of encodings.reverse()) {
    if (name === '' || name === 'identity' || bytes.length === 0) continue;
    const decode = decoders[name];
    if (!decode) throw new ShapeError(`unknown content encoding ${JSON.stringify(name.slice(0, 40))}`);
    bytes = await decode(bytes, { maxOutputLength: most }).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge() : new ShapeError(`not ${name}, or truncated`);
    });
  }
  return new TextDecoder().decode(bytes);
}
