import * as shape from '../http/shape.ts';
import { show } from '../text/inert.ts';
import { ShapeError } from '../text/json.ts';
import { type About, branchPath } from './project.ts';
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

export function responseAbout(branch: Branch): (body: unknown) => BranchResponse {
  return (body) => {
    const response = readBranchResponse(body);
    if (response.branch.id === branch.id) return response;
    throw new ShapeError(`it is about branch ${response.branch.id} instead of ${branch.id}`);
  };
}

export function setExpiry(about: About, expiresAt: string): Promise<BranchResponse> {
  return update(about, `set the expiry of branch ${show(about.branch.name)} to ${expiresAt}`, {
    expires_at: expiresAt,
  });
}

export function protect(about: About): Promise<BranchResponse> {
  return update(about, `protect branch ${show(about.branch.name)}`, { protected: true });
}

async function update(about: About, goal: string, branch: object): Promise<BranchResponse> {
  const [path, read] = [branchPath(about), responseAbout(about.branch)];
  return (await about.api.request({ goal, method: 'PATCH', path, body: { branch }, read })).value;
}
