import { show } from '../text/inert.ts';

/** What was asked for is not done, with the reason and what to do next. What the service refuses is an `ApiError`. */
export class RefusedError extends Error {
  override readonly name: string = 'RefusedError';
  /** The exit code of a step that fails with it. */
  readonly exitCode: number;

  constructor(message: string, { exitCode = 1, ...options }: ErrorOptions & { exitCode?: number } = {}) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** An operation that failed, or that the service no longer knows. */
export class OperationError extends RefusedError {
  override readonly name = 'OperationError';
  readonly operationId: string;
  /** Whether the service no longer knows the operation, so that its outcome is unknown. */
  readonly unknown: boolean;

  constructor(
    operation: { id: string; action: string; status: string; error?: string },
    what = `ended with status "${operation.status}"`,
    options: { unknown?: boolean } = {},
  ) {
    super(`Operation ${operationName(operation)} ${what}${operation.error ? `: ${show(operation.error)}` : ''}`);
    this.operationId = operation.id;
    this.unknown = options.unknown ?? false;
  }
}

/** `start_compute (7d31…)`. */
export function operationName({ id, action }: { id: string; action: string }): string {
  return `${action} (${id})`;
}
