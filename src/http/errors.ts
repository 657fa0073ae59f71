/** Why a request did not give an answer that can be used. */
export type FailureKind =
  /** An HTTP status that is not a success. */
  | 'status'
  /** No answer: refused, reset, timed out. */
  | 'network'
  /** An answer that cannot be read: cut off, not JSON, or of another shape. */
  | 'unreadable'
  /** A redirect that must not be followed. */
  | 'redirect';

export interface Failure {
  kind: FailureKind;
  /** What went wrong, as a clause: «answered 404: branch not found». No secret, one line. */
  what: string;
  status?: number;
  /** The service's own code, `BRANCH_ALREADY_EXISTS` say; may be empty. */
  code?: string;
  /** The service's own message. */
  message?: string;
  requestId?: string;
  /** The system's or undici's error code for a network failure. */
  errno?: string;
  /** Least wait before the next try in milliseconds, from `Retry-After`. */
  retryAfterMs?: number;
  /** Whether the service may have acted on the request all the same. */
  mayHaveActed: boolean;
  cause?: unknown;
}

export interface RequestLine {
  /** What the request is for, as a clause after «Could not»: «create branch "x"». */
  goal: string;
  method: string;
  path: string;
}

/** One request that failed for good: what was tried, what came back. What to do next is the caller's to say. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly request: RequestLine;
  readonly failure: Failure;
  readonly attempts: number;
  /** Whether this, or an attempt before it, may have taken effect on the service. */
  readonly mayHaveActed: boolean;

  constructor(options: { request: RequestLine; failure: Failure; attempts: number; mayHaveActed: boolean }) {
    const { request, failure, attempts } = options;
    const tries = attempts > 1 ? ` (${attempts} attempts)` : '';
    const id = failure.requestId ? ` [request id ${failure.requestId}]` : '';
    super(`Could not ${request.goal}: ${request.method} ${request.path} ${failure.what}${tries}${id}`, {
      cause: failure.cause,
    });
    this.request = request;
    this.failure = failure;
    this.attempts = attempts;
    this.mayHaveActed = options.mayHaveActed;
  }

  /** The same failure, after tries whose answers were lost. */
  after(attempts: number): ApiError {
    return new ApiError({ request: this.request, failure: this.failure, attempts, mayHaveActed: true });
  }

  /** The same failure, with why it is not tried again. */
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

/** A request whose answer was lost, and that must not be sent again: whether it took effect is not known. */
export class UncertainError extends Error {
  override readonly name = 'UncertainError';

  /** `advice` says how to find out, as a clause: «look with `verb: list`». */
  constructor(cause: ApiError, advice: string) {
    super(
      `${cause.message}. It may have taken effect all the same, and is not sent again, because it could then happen twice: ${advice} before you run the step again.`,
      { cause },
    );
  }
}

/** The time for the step is over, or someone cancelled it. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError';
  readonly reason: 'timeout' | 'cancelled';
  readonly what: string;
  /** Whether the request that it ended may have acted: it was sent, and its answer was not seen. */
  readonly mayHaveActed: boolean;

  constructor(reason: 'timeout' | 'cancelled', what: string, during: { doing?: string; mayHaveActed?: boolean } = {}) {
    super(during.doing ? `${what} while ${during.doing}` : what);
    this.reason = reason;
    this.what = what;
    this.mayHaveActed = during.mayHaveActed ?? false;
  }

  /** The same stop, with what was going on when it came; the outermost view of it counts. */
  while(doing: string, { mayHaveActed = this.mayHaveActed }: { mayHaveActed?: boolean } = {}): StoppedError {
    return new StoppedError(this.reason, this.what, { doing, mayHaveActed });
  }
}
