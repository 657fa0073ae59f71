import { ApiError } from '../http/errors.ts';
import * as shape from '../http/shape.ts';
import { show } from '../text/inert.ts';
import { branchPath, type Project, type Settling } from './branches.ts';
import { OperationError } from './errors.ts';
import type { Branch } from './types.ts';

export interface AnonymizedStatus {
  /** `created`, `initialized`, `anonymizing`, `anonymized`, or one of the two errors. */
  state: string;
  message?: string;
}

const failed = new Set(['error', 'initialization_error']);
/** First pause, growth and longest pause between two looks, in milliseconds. */
const poll = { first: 200, growth: 1.5, longest: 5_000 };

/** How far the masking of a branch is; undefined for a branch that is no anonymized one. */
export async function anonymizedStatus(
  options: Project & { branch: Branch; settling?: Settling | undefined },
): Promise<AnonymizedStatus | undefined> {
  const { api, projectId, branch, settling } = options;
  try {
    const { value } = await api.request({
      goal: `read how far the masking of branch ${show(branch.name)} is`,
      method: 'GET',
      path: branchPath({ projectId, branchId: branch.id, rest: '/anonymized_status' }),
      ...(settling ? { settling } : {}),
      read: (body) => {
        const from = shape.object(body, 'the answer');
        const message = shape.optionalString(from.status_message, 'status_message');
        return { state: shape.string(from.state, 'state'), ...(message === undefined ? {} : { message }) };
      },
    });
    return value;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

/** The error for rules that do not fit, with the service's own words. */
export function failureOf(options: { branch: Branch; status: AnonymizedStatus }): OperationError | undefined {
  const { branch, status } = options;
  if (!failed.has(status.state)) return undefined;
  return new OperationError(
    { id: branch.id, action: 'anonymize', error: status.message },
    `did not mask branch ${show(branch.name)} (state "${status.state}")`,
  );
}

/**
 * Waits until a branch's data is masked, from the status `known` on if there is one. Throws with the service's own words where
 * the rules do not fit.
 */
export async function waitUntilAnonymized(
  options: Project & {
    branch: Branch;
    known?: AnonymizedStatus | undefined;
    settling?: Settling | undefined;
    onChange?: (status: AnonymizedStatus) => void;
  },
): Promise<AnonymizedStatus | undefined> {
  const { api, branch, onChange } = options;
  let { known } = options;
  let last = '';
  for (let pause = poll.first; ; pause = Math.min(poll.longest, pause * poll.growth)) {
    const status = known ?? (await anonymizedStatus(options));
    known = undefined;
    if (status === undefined || status.state === 'anonymized') return status;
    const failure = failureOf({ branch, status });
    if (failure) throw failure;
    const now = `${status.state} ${status.message ?? ''}`;
    if (now !== last) onChange?.(status);
    last = now;
    await api.sleep(pause);
  }
}
