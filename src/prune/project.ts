import * as shape from '../http/shape.ts';
import { listBranches } from '../service/branches.ts';
import { type Project as Access, get, projectPath } from '../service/project.ts';
import type { Branch } from '../service/types.ts';

/** A compute endpoint, as far as it says whether a branch is in use. */
export interface Activity {
  isActive: boolean;
  /** Milliseconds since the epoch; `NaN` if it is unknown. */
  lastActive: number;
}

export interface Project {
  branches: Branch[];
  /** Whether the list came with metadata. Without, branches look as if they had none. */
  hasMetadata: boolean;
  /** The service's clock, in milliseconds since the epoch; `NaN` if it did not say. */
  date: number;
  /** By branch ID; undefined if it is not needed. */
  activity: Map<string, Activity[]> | undefined;
}

/** Reads all branches of the project, and if that matters, when their compute was last active. */
export async function readProject(access: Access, { withActivity }: { withActivity: boolean }): Promise<Project> {
  const goal = 'list the branches of the project';
  const [listed, activity] = await Promise.all([
    listBranches({ ...access, goal }),
    withActivity ? readActivity(access) : undefined,
  ]);
  return { ...listed, activity };
}

async function readActivity({ api, projectId }: Access): Promise<Map<string, Activity[]>> {
  const all = await get(api, {
    goal: 'list the compute endpoints of the project',
    path: projectPath(projectId, '/endpoints'),
    read: ({ endpoints }) =>
      shape.list(endpoints, 'endpoints', (value, at) => {
        const from = shape.object(value, at);
        const states = [from.current_state, from.pending_state];
        return {
          branchId: shape.id(from.branch_id, `${at}.branch_id`),
          isActive: states.some((state) => state === 'active' || state === 'init'),
          lastActive: timeOf(typeof from.last_active === 'string' ? from.last_active : undefined),
        };
      }),
  });
  return Map.groupBy(all, ({ branchId }) => branchId);
}

/** A time of the service, in milliseconds since the epoch; `NaN` if it is not readable. One without a zone is UTC. */
export function timeOf(text: string | undefined): number {
  const hasNoZone = /[T ]\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(text ?? '');
  return Date.parse(hasNoZone ? `${text}Z` : (text ?? ''));
}
