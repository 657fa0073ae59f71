/** Why a request did not give a usable response. */
type FailureKind =
  /** An HTTP status that is not a success. */
  | 'status'
  /** No response: refused, reset, timed out. */
  | 'network'
  /** A response that cannot be read: truncated, not JSON, or of another shape. */
  | 'unreadable'
  /** A redirect, which is never followed. */
  | 'redirect'
  /** The request was not sent: the service is rate-limiting for longer than the step may take. */
  | 'not-sent'
  /** A rate limit in a response that is not a 429, as some APIs send it. The service's rate limit is a `status`. */
  | 'rate-limited';

export interface Failure {
  kind: FailureKind;
  /** What came back, in one line without secrets: `404, branch not found`. */
  what: string;
  status?: number;
  /** The service's own code, such as `BRANCH_ALREADY_EXISTS`; may be empty. */
  code?: string;
  /** The service's own message. */
  message?: string;
  requestId?: string;
  /** The error code of the system or of undici for a network failure. */
  errno?: string;
  /** The shortest delay before the next attempt, in milliseconds, from `Retry-After`. */
  retryAfterMs?: number;
  /** Whether the service may have acted on the request all the same. */
  mayHaveActed: boolean;
  /** Whether the request or a proxy has only given up waiting: the service may still act on it. */
  timedOut?: boolean;
  cause?: unknown;
}

/** A request as it is named in messages. */
export interface RequestLine {
  /** What the request is for, as a clause after "Could not": `create branch "x"`. */
  goal: string;
  method: string;
  path: string;
}

/** A request that failed for good: what was tried and what came back. What to do next is for the caller to say. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly request: RequestLine;
  readonly failure: Failure;
  readonly attempts: number;
  /** Whether this attempt, or one before it, may have taken effect. */
  readonly mayHaveActed: boolean;
  /** Why the failure is not retried, if it otherwise would be. */
  readonly why: string | undefined;
  /** What came back, and `why`: the message without the goal. */
  readonly reason: string;

  constructor(options: {
    request: RequestLine;
    failure: Failure;
    attempts: number;
    mayHaveActed: boolean;
    why?: string;
  }) {
    const { request, failure, attempts, why } = options;
    const tries = attempts > 1 ? `${attempts} attempts` : '';
    const notes = [tries, failure.requestId && `request id ${failure.requestId}`].filter(Boolean).join(', ');
    // A network failure already ends in a code in parentheses.
    const note = notes && (failure.kind === 'network' ? `, after ${notes}` : ` (${notes})`);
    const reason = `${failure.what}${note}${why ? `; ${why}` : ''}`;
    super(`Could not ${request.goal}: ${reason}`, { cause: failure.cause });
    this.reason = reason;
    this.request = request;
    this.failure = failure;
    this.attempts = attempts;
    this.mayHaveActed = options.mayHaveActed;
    this.why = why;
  }

  /** The same error, with the reason why it is not retried. */
  because(why: string): ApiError {
    return new ApiError({ ...this, why });
  }

  /** Whether it would have been retried if not for `why`, or for the end of the step. */
  get isTransient(): boolean {
    return this.why !== undefined || this.failure.kind === 'not-sent';
  }

  get status(): number | undefined {
    return this.failure.status;
  }

  get code(): string {
    return this.failure.code ?? '';
  }
}

/** Whether a request failed with 404: its object does not exist, or is not known yet. */
export function isNotFound(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 404;
}

/** Whether a request failed because its object does not exist, or no longer does (404 or 410). */
export function isNotFoundOrGone(error: unknown): error is ApiError & { status: number } {
  return error instanceof ApiError && (error.status === 404 || error.status === 410);
}

/** The result of a read, or undefined for a 404. */
export async function unlessNotFound<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** A request whose response was lost and that must not be resent: nobody knows whether it took effect. */
export class UncertainError extends Error {
  override readonly name = 'UncertainError';

  /** `advice` says how to find out: "check with `verb: list`". */
  constructor(cause: ApiError, advice: string) {
    super(
      `${cause.message}. The request may have taken effect, so it was not retried. Before you run the step again, ${advice}.`,
      { cause },
    );
  }
}

/** What was going on when the step was stopped. */
interface Interrupted {
  /** As a clause after "while": `trying to read branch "x"`. */
  doing?: string;
  /** Whether the request that was interrupted may have acted: it was sent, and its response was not seen. */
  mayHaveActed?: boolean;
  /** Why the attempt before the one that was interrupted failed. */
  lastFailure?: Failure;
  /** Whether `doing` already says why. */
  isDescribed?: boolean;
}

/** The step's timeout has passed, or the job was cancelled. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError';
  readonly reason: 'timeout' | 'cancelled';
  readonly what: string;
  readonly mayHaveActed: boolean;
  readonly lastFailure: Failure | undefined;

  constructor(
    reason: 'timeout' | 'cancelled',
    what: string,
    { doing, mayHaveActed = false, lastFailure, isDescribed = false }: Interrupted = {},
  ) {
    const previous = lastFailure && !isDescribed ? `; the previous attempt failed: ${lastFailure.what}` : '';
    super(`${what}${doing ? ` while ${doing}` : ''}${previous}`);
    this.reason = reason;
    this.what = what;
    this.mayHaveActed = mayHaveActed;
    this.lastFailure = lastFailure;
  }

  /** The same stop, with what was going on; the outermost description wins. */
  while(
    doing: string | undefined,
    { mayHaveActed = this.mayHaveActed, lastFailure = this.lastFailure, isDescribed }: Omit<Interrupted, 'doing'> = {},
  ): StoppedError {
    return new StoppedError(this.reason, this.what, { doing, mayHaveActed, lastFailure, isDescribed });
  }
}
