import * as shape from '../http/shape.ts';
import { MismatchError } from './errors.ts';
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
