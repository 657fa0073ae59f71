import type { Point } from '../compute.ts';
import { ApiError, badRequest, notFound, unprocessable } from '../http/errors.ts';
import { type BranchRecord, findBranchByName, type ProjectRecord, type State } from '../state.ts';

export function validateName(name: string): string {
  if (name.length < 1 || name.length > 256) throw badRequest('"name" must have 1 to 256 characters');
  return name;
}

/** Throws if a branch other than `self` has the name. */
export function assertNameFree(state: State, project: ProjectRecord, name: string, self?: BranchRecord): void {
  const holder = findBranchByName(project, name);
  if (!holder || holder === self) return;
  if (holder.deleting && state.settings.nameBeingDeleted === 'locked') {
    throw new ApiError(423, 'branch with this name is being deleted');
  }
  throw new ApiError(409, 'branch with the provided name already exists', { code: 'BRANCH_ALREADY_EXISTS' });
}

/** Throws if one more branch would exceed a limit. Root branches, those without a parent, also have their own limit. */
export function assertBelowLimit(state: State, project: ProjectRecord, root: boolean): void {
  const { branchLimit, rootBranchLimit } = state.settings;
  const branches = [...project.branches.values()];
  const roots = branches.filter(({ branch }) => branch.parent_id === undefined).length;
  if (root && rootBranchLimit !== undefined && roots >= rootBranchLimit) {
    throw unprocessable(
      `root branches limit of ${rootBranchLimit} exceeded, got ${roots}`,
      'ROOT_BRANCHES_LIMIT_EXCEEDED',
    );
  }
  if (branchLimit !== undefined && branches.length >= branchLimit) {
    throw unprocessable(`branches limit of ${branchLimit} exceeded, got ${branches.length}`, 'BRANCHES_LIMIT_EXCEEDED');
  }
}

/** An LSN or a time in the past, or neither. */
export function parsePoint(state: State, lsn: string | undefined, timestamp: string | undefined): Point {
  if (lsn !== undefined && timestamp !== undefined) throw badRequest('a timestamp and an LSN are mutually exclusive');
  if (lsn !== undefined) {
    if (!/^[0-9A-F]{1,8}\/[0-9A-F]{1,8}$/i.test(lsn)) throw badRequest(`invalid LSN: ${lsn}`);
    return { lsn };
  }
  if (timestamp === undefined) return {};
  const at = Date.parse(timestamp);
  if (Number.isNaN(at)) throw badRequest(`invalid timestamp: ${timestamp}`);
  if (at > state.now()) throw unprocessable('the timestamp is in the future');
  return { timestamp: new Date(at).toISOString() };
}

/** Whether a point is given; without one, the head of the branch is meant. */
export const isHistorical = ({ lsn, timestamp }: Point): boolean => lsn !== undefined || timestamp !== undefined;

export function defaultBranch(project: ProjectRecord): BranchRecord {
  for (const record of project.branches.values()) if (record.branch.default) return record;
  throw notFound('default branch');
}
