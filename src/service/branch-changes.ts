import * as shape from '../http/shape.ts';
import { show } from '../text/inert.ts';
import { getBranch } from './branches.ts';
import { MismatchError } from './errors.ts';
import { branchPath, type Changeable } from './project.ts';
import {
  type Branch,
  type ConnectionDetails,
  connectionDetails,
  type Endpoint,
  endpoint,
  type Operation,
  operations,
  branch as readBranch,
  name as readName,
} from './types.ts';

/** The response to creating, changing or deleting a branch. */
export interface BranchResponse {
  branch: Branch;
  endpoints: Endpoint[];
  operations: Operation[];
  roles: string[];
  databases: string[];
  connectionUris: ConnectionDetails[];
}

export function readBranchResponse(body: unknown): BranchResponse {
  const from = shape.object(body, 'the response');
  return {
    branch: readBranch(from.branch, 'branch', from.annotation),
    endpoints: shape.optionalList(from.endpoints, 'endpoints', endpoint),
    operations: operations(from.operations, 'operations'),
    roles: shape.optionalList(from.roles, 'roles', readName),
    databases: shape.optionalList(from.databases, 'databases', readName),
    connectionUris: shape.optionalList(from.connection_uris, 'connection_uris', connectionDetails),
  };
}

/** Reads the response to a change of this branch. Throws a `MismatchError` if it is about another branch. */
export function responseAbout(branch: Branch, change: string): (body: unknown) => BranchResponse {
  return (body) => {
    const response = readBranchResponse(body);
    if (response.branch.id === branch.id) return response;
    throw new MismatchError(
      `Asked to ${change} branch ${branch.id}, but the response is about branch ${response.branch.id}`,
    );
  };
}

interface Changed {
  branch: Branch;
  operations: Operation[];
}

/** Sets the time at which the service deletes a branch, or with null removes it. */
export async function setExpiry(seen: Changeable, expiresAt: string | null): Promise<Changed> {
  const { branch } = seen;
  const { value } = await seen.change<Changed>({
    doing: 'given an expiry',
    goal:
      expiresAt === null
        ? `remove the expiry of branch ${show(branch.name)}`
        : `set the expiry of branch ${show(branch.name)} to ${expiresAt}`,
    method: 'PATCH',
    path: branchPath({ ...seen, branchId: branch.id }),
    body: { branch: { expires_at: expiresAt } },
    read: responseAbout(branch, 'set the expiry of'),
    async happened() {
      const { branch: now } = await getBranch({ ...seen, branchId: branch.id });
      return timeOf(now.expires_at) === timeOf(expiresAt) ? { branch: now, operations: [] } : undefined;
    },
  });
  return value;
}

function timeOf(at: string | null | undefined): number | undefined {
  return at ? Date.parse(at) : undefined;
}

/** Protects a branch. */
export async function protectBranch(seen: Changeable): Promise<Changed> {
  const { branch } = seen;
  const { value } = await seen.change<Changed>({
    doing: 'changed',
    goal: `protect branch ${show(branch.name)}`,
    method: 'PATCH',
    path: branchPath({ ...seen, branchId: branch.id }),
    body: { branch: { protected: true } },
    read: responseAbout(branch, 'protect'),
    async happened() {
      const { branch: now } = await getBranch({ ...seen, branchId: branch.id });
      return now.protected ? { branch: now, operations: [] } : undefined;
    },
  });
  return value;
}
