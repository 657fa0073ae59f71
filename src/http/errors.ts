/** Why an attempt gave no usable response. */
export interface Failure {
  /** `network`: no response. `unreadable`: a success whose body is not as documented. */
  kind: 'status' | 'network' | 'unreadable' | 'redirect';
  /** What came back, in one line without secrets: `404, branch not found`. */
  what: string;
  /** Whether the service may have acted on the request all the same. */
  mayHaveActed: boolean;
  /** Which requests may be sent again after it: all, those that are idempotent, or (if undefined) none. */
  again?: 'all' | 'idempotent';
  /** Whether it will most likely recur, so that few attempts are enough. */
  lasts?: boolean;
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
  cause?: unknown;
}

/** A request that failed for good: what was tried and what came back. What to do next is for the caller to say. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** What the request was for, as a clause after "Could not": `create branch "x"`. */
  readonly goal: string;
  readonly path: string;
  readonly failure: Failure;
  readonly attempts: number;
  /** Whether this attempt, or one before it, may have taken effect. */
  readonly mayHaveActed: boolean;
  /** What came back: the message without the goal. */
  readonly reason: string;

  constructor(
    options: Pick<ApiError, 'goal' | 'path' | 'failure' | 'attempts' | 'mayHaveActed'> & {
      /** Why the failure is not retried, if it otherwise would be. */
      why?: string;
    },
  ) {
    const { failure, attempts, why } = options;
    const tries = attempts > 1 ? `${attempts} attempts` : '';
    const notes = [tries, failure.requestId && `request id ${failure.requestId}`].filter(Boolean).join(', ');
    const reason = `${failure.what}${notes && ` (${notes})`}${why ? `; ${why}` : ''}`;
    super(`Could not ${options.goal}: ${reason}`, { cause: failure.cause });
    this.goal = options.goal;
    this.path = options.path;
    this.failure = failure;
    this.attempts = attempts;
    this.mayHaveActed = options.mayHaveActed;
    this.reason = reason;
  }

  /** The same error, with the reason why it is not retried. */
  because(why: string): ApiError {
    return new ApiError({ ...this, why });
  }

  get status(): number | undefined {
    return this.failure.status;
  }

  get code(): string {
    return this.failure.code ?? '';
  }
}

/** Whether a request failed because its object does not exist (404), or no longer does (410). */
export function isNotFound(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.status === 404 || error.status === 410);
}

export async function unlessNotFound<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

interface Interrupted {
  /** As a clause after "while": `trying to read branch "x"`. */
  doing?: string;
  /** Whether the request that was interrupted may have acted: it was sent, and its response was not seen. */
  mayHaveActed?: boolean;
  /** Why the attempt before the one that was interrupted failed. */
  previous?: string;
}

/** The step's timeout has passed, or the job was cancelled. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError';
  readonly reason: 'timeout' | 'cancelled';
  readonly what: string;
  readonly mayHaveActed: boolean;
  readonly previous: string | undefined;

  constructor(
    reason: 'timeout' | 'cancelled',
    what: string,
    { doing, mayHaveActed = false, previous }: Interrupted = {},
  ) {
    super(`${what}${doing ? ` while ${doing}` : ''}${previous ? `; the previous attempt failed: ${previous}` : ''}`);
    this.reason = reason;
    this.what = what;
    this.mayHaveActed = mayHaveActed;
    this.previous = previous;
  }

  /** The same stop, with what was going on; the outermost description wins. */
  while(doing: string | undefined, during: Omit<Interrupted, 'doing'> = {}): StoppedError {
    return new StoppedError(this.reason, this.what, { ...this, ...during, doing });
  }
}
