import { ApiError } from '../http/errors.ts';
import { lookUpEffect } from '../http/recover.ts';
import * as shape from '../http/shape.ts';
import { show } from '../text/inert.ts';
import { getBranch } from './branches.ts';
import { MismatchError } from './errors.ts';
import { branchPath, type Project, projectPath } from './project.ts';
import { changeWindow, type PropagationWindow } from './propagation-window.ts';
import { type Branch, type Endpoint, type Operation, operations, endpoint as readEndpoint } from './types.ts';

/** The branch's read-write endpoint among those given, or undefined. An endpoint of another branch is an error. */
export function readWriteEndpoint(endpoints: Endpoint[], branch: Branch): Endpoint | undefined {
  const foreign = endpoints.find((endpoint) => endpoint.branch_id !== branch.id);
  if (foreign) {
    throw new MismatchError(
      `Asked for the endpoints of branch ${show(branch.name)} (${branch.id}), but the service returned endpoint ${foreign.id} of branch ${foreign.branch_id}`,
    );
  }
  return endpoints.find((endpoint) => endpoint.type === 'read_write');
}

export async function listEndpoints(
  options: Project & { branch: Branch; window?: PropagationWindow | undefined },
): Promise<Endpoint[]> {
  const { api, projectId, branch, window } = options;
  const path = branchPath({ projectId, branchId: branch.id, rest: '/endpoints' });
  const not404 = window && { ...window, statuses: window.statuses.filter((status) => status !== 404) };
  try {
    return await list({ ...options, path, window: not404 });
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
    // The branch is gone, or not known everywhere yet, or this deployment lists endpoints per project only.
    await getBranch({ api, projectId, branchId: branch.id, window });
    try {
      const all = await list({ api, projectId, branch, path: projectPath(projectId, '/endpoints') });
      return all.filter((endpoint) => endpoint.branch_id === branch.id);
    } catch (other) {
      if (!(other instanceof ApiError && other.status === 404)) throw other;
      return list({ ...options, path });
    }
  }
}

async function list(
  options: Project & { branch: Branch; path: string; window?: PropagationWindow | undefined },
): Promise<Endpoint[]> {
  const { api, branch, path, window } = options;
  const { value } = await api.request({
    goal: `list the compute endpoints of branch ${show(branch.name)}`,
    method: 'GET',
    path,
    window,
    read: (body) => shape.list(shape.object(body, 'the response').endpoints, 'endpoints', readEndpoint),
  });
  return value;
}

/** The response to creating or changing an endpoint. */
interface ChangedEndpoint {
  endpoint: Endpoint;
  operations: Operation[];
}

function changedEndpoint(branch: Branch): (body: unknown) => ChangedEndpoint {
  return (body) => {
    const from = shape.object(body, 'the response');
    const endpoint = readEndpoint(from.endpoint, 'endpoint');
    readWriteEndpoint([endpoint], branch);
    return { endpoint, operations: operations(from.operations, 'operations') };
  };
}

/** Adds a read-write endpoint to a branch that has none; one that another run has just added is just as good. */
export async function createEndpoint(
  options: Project & {
    branch: Branch;
    /** Seconds. */
    suspendTimeout?: number | undefined;
    minCu?: number | undefined;
    maxCu?: number | undefined;
    window?: PropagationWindow | undefined;
    /** Called before each attempt; if it throws, nothing more is sent. */
    beforeAttempt?: (() => Promise<void>) | undefined;
  },
): Promise<ChangedEndpoint> {
  const { api, projectId, branch, suspendTimeout, minCu, maxCu, window, beforeAttempt } = options;
  const { value } = await api.request<ChangedEndpoint>({
    goal: `create a compute endpoint for branch ${show(branch.name)}`,
    method: 'POST',
    path: projectPath(projectId, '/endpoints'),
    body: {
      endpoint: {
        branch_id: branch.id,
        type: 'read_write',
        suspend_timeout_seconds: suspendTimeout,
        autoscaling_limit_min_cu: minCu,
        autoscaling_limit_max_cu: maxCu,
      },
    },
    window: changeWindow(window, api.clock),
    beforeAttempt,
    recover: lookUpEffect(
      async () => {
        const endpoint = readWriteEndpoint(await listEndpoints({ api, projectId, branch, window }), branch);
        return endpoint && { endpoint, operations: [] };
      },
      // A branch has at most one read-write endpoint: an error may mean that another run was faster.
      { refusals: [400, 409, 422] },
    ),
    read: changedEndpoint(branch),
  });
  return value;
}

/** Compute settings under the service's own names: compute units, and seconds. */
export type ComputeSettings = Partial<
  Pick<Endpoint, 'autoscaling_limit_min_cu' | 'autoscaling_limit_max_cu' | 'suspend_timeout_seconds'>
>;

/** The wanted settings that the endpoint does not have; undefined if it has all of them. */
export function settingsToChange(endpoint: Endpoint, wanted: ComputeSettings): ComputeSettings | undefined {
  const different = Object.entries(wanted).filter(([name, value]) => value !== endpoint[name as keyof ComputeSettings]);
  return different.length > 0 ? (Object.fromEntries(different) as ComputeSettings) : undefined;
}

/** Changes the settings of a branch's compute endpoint. */
export async function updateEndpoint(
  options: Project & {
    branch: Branch;
    endpoint: Endpoint;
    settings: ComputeSettings;
    window?: PropagationWindow | undefined;
    /** Called before each attempt; if it throws, nothing more is sent. */
    beforeAttempt?: (() => Promise<void>) | undefined;
  },
): Promise<ChangedEndpoint> {
  const { api, projectId, branch, endpoint, settings, beforeAttempt } = options;
  const { value } = await api.request<ChangedEndpoint>({
    goal: `change the compute settings of branch ${show(branch.name)}`,
    method: 'PATCH',
    path: projectPath(projectId, `/endpoints/${encodeURIComponent(endpoint.id)}`),
    body: { endpoint: settings },
    window: changeWindow(options.window, api.clock),
    beforeAttempt,
    recover: lookUpEffect(async () => {
      const now = readWriteEndpoint(await listEndpoints(options), branch);
      return now && !settingsToChange(now, settings) ? { endpoint: now, operations: [] } : undefined;
    }),
    read: changedEndpoint(branch),
  });
  return value;
}
