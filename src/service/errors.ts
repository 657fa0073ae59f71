import { show } from '../text/inert.ts';

/** An operation that failed, or that the service no longer knows. */
export class OperationError extends Error {
  override readonly name = 'OperationError';
  readonly operationId: string;
  /** Whether the service no longer knows the operation, so that its outcome is unknown. */
  readonly unknown: boolean;
  /** Whether the service has ever shown the operation, so that more is known of it than its ID. */
  readonly wasKnown: boolean;

  constructor(
    operation: { id: string; action?: string; status?: string; error?: string },
    what?: string,
    options: { unknown?: boolean } = {},
  ) {
    const reason = operation.error ? `: ${show(operation.error)}` : '';
    super(`Operation ${operationName(operation)} ${what ?? `ended with status "${operation.status}"`}${reason}`);
    this.operationId = operation.id;
    this.unknown = options.unknown ?? false;
    this.wasKnown = operation.status !== undefined;
  }
}

/** `start_compute (7d31…)`, or the ID alone if the action is unknown. */
export function operationName({ id, action = '' }: { id: string; action?: string }): string {
  return action.trim() === '' ? id : `${action.trim()} (${id})`;
}

/** The rows of an anonymized branch could not be masked. */
export class MaskingError extends Error {
  override readonly name = 'MaskingError';
}

/** The service returned another object than the one that was asked for. */
export class MismatchError extends Error {
  override readonly name = 'MismatchError';
  /** The ID of a branch that was created under another name than requested. */
  readonly createdId: string | undefined;

  constructor(message: string, options: { createdId?: string } = {}) {
    super(message);
    this.createdId = options.createdId;
  }
}

/** What has become of a branch since it was read, or what it is now. */
export interface BranchChange {
  /** As a clause without its subject: `was deleted in the meantime`, `is a protected branch`. */
  why: string;
  /** Whether a request of this step, sent before, may still take effect. */
  mayHaveActed?: boolean;
}

/** The branch was deleted or renamed in the meantime; a step that wants one of its name must start again. */
export class BranchGoneError extends Error {
  override readonly name = 'BranchGoneError';
  readonly change: BranchChange;

  constructor(message: string, change: BranchChange) {
    super(message);
    this.change = change;
  }
}

/** The branch was renamed in the meantime. */
export class RenamedError extends BranchGoneError {}

/** What was asked for is refused by the action, does not exist, or cannot be chosen. What the service refuses is an `ApiError`. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
}

/** A branch is not deleted, reset or changed, because of what somebody made of it: the default branch, a protected one, or another owner's. */
export class KeptError extends RefusedError {
  readonly change: BranchChange;

  constructor(message: string, change: BranchChange) {
    super(message);
    this.change = change;
  }
}
