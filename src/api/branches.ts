import type { Client } from '../http/client.ts';
import { once } from '../http/once.ts';
import type { Answer } from '../http/request.ts';
import * as shape from '../http/shape.ts';
import { show } from '../text/inert.ts';
import { MismatchError, NotFoundError } from './errors.ts';
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

/** Where a branch's requests go. */
export interface Project {
  api: Client;
  projectId: string;
}

export interface Settling {
  statuses: number[];
  until: number;
}

/** How long after a create the service may not know a branch everywhere, in milliseconds. */
export const settlingMs = 15_000;
/** How long a change may be refused as «not ready yet»: the same status stands for refusals that last. */
const changeSettlingMs = 5_000;

export function projectPath(projectId: string, rest = ''): string {
  return `/projects/${encodeURIComponent(projectId)}${rest}`;
}

export function branchPath(options: { projectId: string; branchId: string; rest?: string }): string {
  return projectPath(options.projectId, `/branches/${encodeURIComponent(options.branchId)}${options.rest ?? ''}`);
}

/** Statuses that a read of a branch may be given while the service settles after its create; undefined for an older branch. */
export function settlingOf(options: {
  branch: Branch;
  now: number;
  date: number | undefined;
  made: boolean;
}): Settling | undefined {
  const { branch, now, date, made } = options;
  // The service's own clock tells how old the branch is; a runner's clock may be minutes off.
  const age = (date ?? now) - Date.parse(branch.created_at);
  const young = made || (age >= -1_000 && age < settlingMs);
  return young ? { statuses: [404, 422], until: now + settlingMs } : undefined;
}

/** The same for a change, which is only ever told «not ready yet»: 422. */
export function settlingOfChange(settling: Settling | undefined, now: number): Settling | undefined {
  return settling && { statuses: [422], until: Math.min(settling.until, now + changeSettlingMs) };
}

export interface BranchPage {
  branches: Branch[];
  date: number | undefined;
}

/** All branches of the project, or those of which a part of the name or ID is `search`, page by page to the last. */
export async function* pagesOfBranches(
  options: Project & { goal: string; search?: string; limit?: number; order?: { sort_by: string; sort_order: string } },
): AsyncGenerator<BranchPage> {
  const { api, projectId, goal, search } = options;
  const seen = new Set<string>();
  let cursor: string | undefined;
  do {
    const answer: Answer<{ branches: Branch[]; next: string | undefined }> = await api.request({
      goal,
      method: 'GET',
      path: projectPath(projectId, '/branches'),
      query: { search, limit: options.limit ?? 1_000, cursor, ...options.order },
      read: readPage,
    });
    yield { branches: answer.value.branches, date: answer.date };
    cursor = answer.value.next;
    // A cursor that comes back would go round for ever; an empty page is the last one, whatever cursor it names.
    if (cursor !== undefined && (seen.has(cursor) || answer.value.branches.length === 0)) break;
    if (cursor !== undefined) seen.add(cursor);
  } while (cursor !== undefined);
}

function readPage(body: unknown) {
  const page = shape.object(body, 'the answer');
  const annotations =
    typeof page.annotations === 'object' && page.annotations !== null ? (page.annotations as shape.Json) : {};
  const pagination =
    typeof page.pagination === 'object' && page.pagination !== null ? (page.pagination as shape.Json) : {};
  return {
    branches: shape.list(page.branches, 'branches', (value, at) => {
      const found = shape.id(shape.object(value, at).id, `${at}.id`);
      return readBranch(value, at, annotations[found]);
    }),
    next: shape.optionalString(pagination.next, 'pagination.next'),
  };
}

export interface FoundBranch {
  branch: Branch;
  /** The service's clock, in milliseconds since the epoch. */
  date: number | undefined;
}

/** The branch with exactly this name, or undefined. `search` narrows the list down to names that hold it; the match is ours. */
export async function findBranchByName(options: Project & { name: string }): Promise<FoundBranch | undefined> {
  const { api, projectId, name } = options;
  for await (const page of pagesOfBranches({ api, projectId, goal: `look up branch ${show(name)}`, search: name })) {
    const branch = page.branches.find((candidate) => candidate.name === name);
    if (branch) return { branch, date: page.date };
  }
  return undefined;
}

/** A branch by name or by ID: the name first, for a name may look like an ID. */
export async function findBranch(options: Project & { nameOrId: string }): Promise<Branch | undefined> {
  const { api, projectId, nameOrId } = options;
  let byId: Branch | undefined;
  for await (const page of pagesOfBranches({
    api,
    projectId,
    goal: `look up branch ${show(nameOrId)}`,
    search: nameOrId,
  })) {
    const byName = page.branches.find((candidate) => candidate.name === nameOrId);
    if (byName) return byName;
    byId ??= page.branches.find((candidate) => candidate.id === nameOrId);
  }
  return byId;
}

export async function getBranch(
  options: Project & { branchId: string; settling?: Settling | undefined },
): Promise<FoundBranch> {
  const { api, projectId, branchId, settling } = options;
  const answer = await api.request({
    goal: `read branch ${branchId}`,
    method: 'GET',
    path: branchPath({ projectId, branchId }),
    ...(settling ? { settling } : {}),
    read: (body) => {
      const from = shape.object(body, 'the answer');
      return readBranch(from.branch, 'branch', from.annotation);
    },
  });
  if (answer.value.id !== branchId) {
    throw new MismatchError(`Asked for branch ${branchId}, and the service answered with branch ${answer.value.id}`);
  }
  return { branch: answer.value, date: answer.date };
}

/** The name of the project; throws where the project is not there. Tells an unknown branch from an unknown project. */
export async function projectName(options: Project): Promise<string> {
  const { api, projectId } = options;
  const answer = await api.request({
    goal: `read project ${projectId}`,
    method: 'GET',
    path: projectPath(projectId),
    read: (body) => readName(shape.object(body, 'the answer').project, 'project'),
  });
  return answer.value;
}

/** Names of the databases or roles of a branch. */
export async function listNames(
  options: Project & { branchId: string; kind: 'databases' | 'roles'; settling?: Settling | undefined },
): Promise<string[]> {
  const { api, projectId, branchId, kind, settling } = options;
  const answer = await api.request({
    goal: `list the ${kind} of branch ${branchId}`,
    method: 'GET',
    path: branchPath({ projectId, branchId, rest: `/${kind}` }),
    ...(settling ? { settling } : {}),
    read: (body) => shape.list(shape.object(body, 'the answer')[kind], kind, readName),
  });
  return answer.value;
}

/** What an answer that made, changed or removed a branch carries. */
export interface BranchAnswer {
  branch: Branch;
  endpoints: Endpoint[];
  operations: Operation[];
  roles: string[];
  databases: string[];
  connectionUris: ConnectionDetails[];
}

export function readBranchAnswer(body: unknown): BranchAnswer {
  const from = shape.object(body, 'the answer');
  return {
    branch: readBranch(from.branch, 'branch', from.annotation),
    endpoints: shape.optionalList(from.endpoints, 'endpoints', endpoint),
    operations: operations(from.operations, 'operations'),
    roles: shape.optionalList(from.roles, 'roles', readName),
    databases: shape.optionalList(from.databases, 'databases', readName),
    connectionUris: shape.optionalList(from.connection_uris, 'connection_uris', connectionDetails),
  };
}

/** Reads the answer to a change of this branch; one about another branch says that the wrong one was changed. */
export function answerAbout(branch: Branch, change: string): (body: unknown) => BranchAnswer {
  return (body) => {
    const answer = readBranchAnswer(body);
    if (answer.branch.id === branch.id) return answer;
    throw new MismatchError(
      `Asked to ${change} branch ${branch.id}, and the service answered about branch ${answer.branch.id}`,
    );
  };
}

/** Sets, or with null takes away, the time at which the service deletes a branch. */
export async function setExpiry(
  options: Project & { branch: Branch; expiresAt: string | null; settling?: Settling | undefined },
): Promise<{ branch: Branch; operations: Operation[] }> {
  const { api, projectId, branch, expiresAt } = options;
  const settling = settlingOfChange(options.settling, api.clock.now());
  const { value } = await once<{ branch: Branch; operations: Operation[] }>({
    api,
    act: () =>
      api.request({
        goal: `set the expiry of branch ${show(branch.name)} to ${expiresAt ?? 'never'}`,
        method: 'PATCH',
        path: branchPath({ projectId, branchId: branch.id }),
        body: { branch: { expires_at: expiresAt } },
        ...(settling ? { settling } : {}),
        read: answerAbout(branch, 'set the expiry of'),
      }),
    look: async () => {
      const { branch: now } = await getBranch({ api, projectId, branchId: branch.id, settling: options.settling });
      const done = Date.parse(now.expires_at ?? '') === Date.parse(expiresAt ?? '') || (!now.expires_at && !expiresAt);
      return done ? { branch: now, operations: [] } : undefined;
    },
  });
  return value;
}

/** The error for a branch that is not there, with what can be done about it. */
export function noSuchBranch(what: string, hint = ''): NotFoundError {
  return new NotFoundError(`There is no branch ${what} in the project${hint}`);
}
