import * as shape from '../http/shape.ts';
import { show } from '../text/inert.ts';
import { getBranch } from './branches.ts';
import { MismatchError } from './errors.ts';
import { type About, branchPath, type Change } from './project.ts';
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
      `The request was to ${change} branch ${branch.id}, but the response is about branch ${response.branch.id}`,
    );
  };
}

/** What a change has done to a branch. */
export interface Changed {
  branch: Branch;
  operations: Operation[];
}

/** Sets the time at which the service deletes a branch. */
export function expiryChange(about: About, expiresAt: string): Change<Changed> {
  return fieldChange(about, {
    doing: 'given an expiry',
    goal: `set the expiry of branch ${show(about.branch.name)} to ${expiresAt}`,
    verb: 'set the expiry of',
    fields: { expires_at: expiresAt },
    isSet: (now) => Date.parse(now.expires_at ?? '') === Date.parse(expiresAt),
  });
}

/** Protects a branch. */
export function protection(about: About): Change<Changed> {
  return fieldChange(about, {
    doing: 'changed',
    goal: `protect branch ${show(about.branch.name)}`,
    verb: 'protect',
    fields: { protected: true },
    isSet: (now) => now.protected === true,
  });
}

/** A change of a branch's own fields: a read of the branch shows whether it has happened. */
function fieldChange(
  about: About,
  options: Pick<Change<Changed>, 'doing' | 'goal'> & {
    verb: string;
    fields: object;
    isSet: (now: Branch) => boolean;
  },
): Change<Changed> {
  const { doing, goal, verb, fields, isSet } = options;
  const branchId = about.branch.id;
  return {
    ...{ doing, goal, method: 'PATCH', path: branchPath({ ...about, branchId }), body: { branch: fields } },
    read: responseAbout(about.branch, verb),
    async happened() {
      const { branch } = await getBranch({ ...about, branchId });
      return isSet(branch) ? { branch, operations: [] } : undefined;
    },
  };
}
