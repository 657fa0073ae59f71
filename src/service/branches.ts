import { unlessNotFound } from '../http/errors.ts';
import { readPages } from '../http/pages.ts';
import type { RequestSpec } from '../http/request.ts';
import * as shape from '../http/shape.ts';
import { show } from '../text/inert.ts';
import { isObject, ShapeError } from '../text/json.ts';
import { RefusedError } from './errors.ts';
import { type About, type ById, branchPath, get, type Project, projectPath } from './project.ts';
import { type Branch, branch as readBranch, name as readName } from './types.ts';

const perPage = 1_000;

interface BranchList {
  branches: Branch[];
  /** Whether they came with metadata. Without, branches look as if they had none. */
  hasMetadata: boolean;
  /** The service's clock when it responded, in milliseconds since the epoch; NaN if it did not say. */
  date: number;
  /** When the first request was sent, by the client's clock: what was read may be as old as that, however late the response ended. */
  readAt: number;
}

export interface Found extends About {
  /** When the request was sent, by the client's clock: the branch is no newer than that. */
  readAt: number;
  /** Its children at that time; undefined if they were not read. */
  children?: Branch[];
}

/** By creation: then pages don't shift while other jobs create, change and delete branches. */
const order = { sort_by: 'created_at', sort_order: 'asc' };

/** All branches of the project, or those whose name or ID contains `search`, to the last page. */
export async function listBranches(options: Project & { goal: string; search?: string }): Promise<BranchList> {
  const { api, projectId, goal, search } = options;
  const list = { hasMetadata: true, date: Number.NaN, readAt: Number.POSITIVE_INFINITY };
  const branches = await readPages(async (cursor) => {
    const {
      value,
      date = Number.NaN,
      sentAt,
    } = await api.request({
      goal,
      method: 'GET',
      path: projectPath(projectId, '/branches'),
      query: { search, limit: perPage, cursor, ...(search === undefined && order) },
      read(body) {
        const page = shape.object(body, 'the response');
        const metadata = shape.optionalObject(page.annotations);
        list.hasMetadata &&= isObject(page.annotations);
        return {
          items: shape.list(page.branches, 'branches', (value, at) =>
            readBranch(value, at, metadata[shape.fields(value, at).id('id')]),
          ),
          next: shape.optionalString(shape.optionalObject(page.pagination).next, 'pagination.next'),
        };
      },
    });
    list.date = date;
    list.readAt = Math.min(list.readAt, sentAt);
    return value;
  });
  return { ...list, branches };
}

/**
 * The branch with exactly this name, or undefined. The service's `search` only narrows the list down. If the list lacks its metadata, or does
 * not say whether it is the default branch or protected, the branch itself is read: otherwise, it would seem to have no owner, or no
 * protection.
 */
export async function findBranchByName(options: Project & { name: string }): Promise<Found | undefined> {
  const { api, projectId, name } = options;
  const goal = `look up branch ${show(name)}`;
  const { branches, readAt } = await listBranches({ api, projectId, goal, search: name });
  const branch = branches.find((candidate) => candidate.name === name);
  return branch && complete({ api, projectId, branch, readAt });
}

/** The same from the list of all branches, with the children of the branch. */
export async function findWithChildren(
  options: Project & { is: (branch: Branch) => boolean; goal: string },
): Promise<Found | undefined> {
  const { branches, readAt } = await listBranches(options);
  const branch = branches.find(options.is);
  const children = branches.filter(({ parent_id }) => parent_id === branch?.id);
  return branch && complete({ api: options.api, projectId: options.projectId, branch, readAt, children });
}

async function complete(found: Found): Promise<Found | undefined> {
  const { metadata, default: isDefault, protected: isProtected } = found.branch;
  if (Object.keys(metadata).length > 0 && isDefault !== undefined && isProtected !== undefined) return found;
  const read = await unlessNotFound(getBranch(found));
  return read && { ...found, branch: read.branch };
}

/** A branch by name or by ID. A name comes first, because a name may look like an ID. */
export async function findBranch(options: Project & { nameOrId: string }): Promise<Branch | undefined> {
  const { api, projectId, nameOrId } = options;
  const goal = `look up branch ${show(nameOrId)}`;
  const { branches } = await listBranches({ api, projectId, goal, search: nameOrId });
  return branches.find(({ name }) => name === nameOrId) ?? branches.find(({ id }) => id === nameOrId);
}

export async function getBranch(of: ById & Pick<RequestSpec<Branch>, 'beforeAttempt'>): Promise<Found> {
  const { api, projectId } = of;
  const { value, sentAt } = await api.request({
    goal: `read branch ${of.branch.id}`,
    method: 'GET',
    path: branchPath(of),
    beforeAttempt: of.beforeAttempt,
    read(body) {
      const from = shape.object(body, 'the response');
      const branch = readBranch(from.branch, 'branch', from.annotation);
      if (branch.id === of.branch.id) return branch;
      throw new ShapeError(`it is about branch ${branch.id}`);
    },
  });
  return { api, projectId, branch: value, readAt: sentAt };
}

export function listNames(of: ById, kind: 'databases' | 'roles'): Promise<string[]> {
  return get(of.api, {
    goal: `list the ${kind} of branch ${of.branch.id}`,
    path: branchPath(of, `/${kind}`),
    read: (from) => shape.list(from[kind], kind, readName),
  });
}

export function hasMetadata({ metadata }: Branch): boolean {
  return Object.values(metadata).some((value) => value !== '');
}

/**
 * Whether the rows of a branch may have been replaced by others since a time (RFC 3339; default: ever): by a reset or a restore, which may
 * copy the rows of any branch, or from a snapshot.
 */
export function mayHaveOtherRows(branch: Branch, since = ''): boolean {
  const { restored_from, restored_as, last_reset_at } = branch;
  if (restored_from !== undefined || restored_as !== undefined) return true;
  // Times have whole seconds.
  return last_reset_at !== undefined && !(Date.parse(last_reset_at) < Date.parse(since));
}

/** The error for a branch that does not exist: `what` describes it, `next` says what to do. */
export function noSuchBranch(what: string, next: string): RefusedError {
  return new RefusedError(`The project has no branch ${what}. ${next}`);
}

/** `"preview/pr-7" (br-…)`. */
export function nameAndId(branch: Pick<Branch, 'id' | 'name'>): string {
  return `${show(branch.name)} (${branch.id})`;
}
