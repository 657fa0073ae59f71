import { show } from '../text/inert.ts';

/** An operation that ended badly, or that the service does not know any more. */
export class OperationError extends Error {
  override readonly name = 'OperationError';
  readonly operationId: string;
  /** Whether the service no longer knows the operation, so that its end cannot be told. */
  readonly unknown: boolean;

  constructor(
    operation: { id: string; action?: string; status?: string; error?: string | undefined },
    what?: string,
    options: { unknown?: boolean } = {},
  ) {
    const name = operation.action?.trim();
    const action = name ? ` ${name}` : '';
    const reason = operation.error ? `: ${show(operation.error)}` : '';
    super(`Operation${action} (${operation.id}) ${what ?? `ended in status "${operation.status}"`}${reason}`);
    this.operationId = operation.id;
    this.unknown = options.unknown ?? false;
  }
}

/** The service answered, and what it answered is not about the object that was asked for. */
export class MismatchError extends Error {
  override readonly name = 'MismatchError';
  /** The branch that a create has made under another name than was asked for. */
  readonly madeId: string | undefined;

  constructor(message: string, options: { madeId?: string } = {}) {
    super(message);
    this.madeId = options.madeId;
  }
}

/** What was asked for is not there, or cannot be chosen. */
export class NotFoundError extends Error {
  override readonly name = 'NotFoundError';
}

/** What was asked for is refused before the service is asked to do it. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
}
