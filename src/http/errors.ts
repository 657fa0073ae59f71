/** Why a request did not give a usable response. */
export type FailureKind =
  /** An HTTP status that is not a success. */
  | 'status'
  /** No response: refused, reset, timed out. */
  | 'network'
  /** A response that cannot be read: truncated, not JSON, or of another shape. */
  | 'unreadable'
  /** A redirect that must not be followed. */
  | 'redirect'
  /** The request was not sent: the service is rate-limiting for longer than the step may take. */
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

  constructor(options: { request: RequestLine; failure: Failure; attempts: number; mayHaveActed: boolean }) {
    const { request, failure, attempts } = options;
    const notes = [
      ...(attempts > 1 ? [`${attempts} attempts`] : []),
      ...(failure.requestId ? [`request id ${failure.requestId}`] : []),
    ];
    const note = notes.length > 0 ? ` (${notes.join(', ')})` : '';
    super(`Could not ${request.goal}: ${failure.what}${note}`, { cause: failure.cause });
    this.request = request;
    this.failure = failure;
    this.attempts = attempts;
    this.mayHaveActed = options.mayHaveActed;
  }

  /** The same error, after attempts whose responses were lost. */
  after(attempts: number): ApiError {
    return new ApiError({ request: this.request, failure: this.failure, attempts, mayHaveActed: true });
  }

  /** The same error, with the reason why it is not retried. */
  because(why: string): ApiError {
    const { request, failure, attempts, mayHaveActed } = this;
    return new ApiError({ request, failure: { ...failure, what: `${failure.what}; ${why}` }, attempts, mayHaveActed });
  }

  get status(): number | undefined {
    return this.failure.status;
  }

  get code(): string {
    return this.failure.code ?? '';
  }
}

/** A request whose response was lost and that must not be resent: nobody knows whether it took effect. */
export class UncertainError extends Error {
  override readonly name = 'UncertainError';

  /** `advice` says how to find out: "check with `verb: list`". */
  constructor(cause: ApiError, advice: string) {
    super(
      `${cause.message}. It may still have taken effect. It was not retried, because that could do it twice: ${advice} before you run the step again.`,
      { cause },
    );
  }
}

/** The step's timeout has passed, or the job was cancelled. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError';
  readonly reason: 'timeout' | 'cancelled';
  readonly what: string;
  /** Whether the request that was interrupted may have acted: it was sent, and its response was not seen. */
  readonly mayHaveActed: boolean;

  constructor(reason: 'timeout' | 'cancelled', what: string, during: { doing?: string; mayHaveActed?: boolean } = {}) {
    super(during.doing ? `${what} while ${during.doing}` : what);
    this.reason = reason;
    this.what = what;
    this.mayHaveActed = during.mayHaveActed ?? false;
  }

  /** The same stop, with what was going on; the outermost description wins. */
  while(doing: string, { mayHaveActed = this.mayHaveActed }: { mayHaveActed?: boolean } = {}): StoppedError {
    return new StoppedError(this.reason, this.what, { doing, mayHaveActed });
  }
}
