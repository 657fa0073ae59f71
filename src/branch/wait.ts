import type { Context } from '../context.ts';
import { pollOperations } from '../service/poll-operations.ts';
import type { Operation } from '../service/types.ts';
import { duration } from '../text/format.ts';

/**
 * Waits until all operations have succeeded, and logs and records each. `unknownMs` is how long an operation may be unknown, in milliseconds;
 * `record: false` leaves out of the result what another step has started.
 * Throws an `OperationError` for one that failed.
 */
export async function waitForOperations(
  context: Context,
  operations: Operation[],
  { unknownMs, record = true }: { unknownMs?: number; record?: boolean } = {},
): Promise<Operation[]> {
  return pollOperations({
    api: context.api,
    projectId: context.inputs.project_id,
    unknownMs,
    operations,
    onDone(one) {
      context.log.info(`Operation ${one.action} (${one.id}) ${one.status} after ${duration(one.total_duration_ms)}`);
      if (record) context.succeeded(one);
    },
  });
}
