import { ApiError } from '../http/errors.ts';
import { once } from '../http/once.ts';
import * as shape from '../http/shape.ts';
import { show } from '../text/inert.ts';
import { branchPath, getBranch, type Project, projectPath, type Settling, settlingOfChange } from './branches.ts';
import { MismatchError } from './errors.ts';
import { type Branch, type Endpoint, type Operation, operations, endpoint as readEndpoint } from './types.ts';

/** The branch's read-write endpoint among those given, or undefined; an endpoint of another branch is a fault, not a choice. */
export function readWriteEndpoint(endpoints: Endpoint[], branch: Branch): Endpoint | undefined {
  const stranger = endpoints.find((endpoint) => endpoint.branch_id !== branch.id);
  if (stranger) {
    throw new MismatchError(
      `Asked for the endpoints of branch ${show(branch.name)} (${branch.id}), and the service answered with ${stranger.id} of branch ${stranger.branch_id}`,
    );
  }
  return endpoints.find((endpoint) => endpoint.type === 'read_write');
}

export async function listEndpoints(
  options: Project & { branch: Branch; settling?: Settling | undefined },
): Promise<Endpoint[]> {
  const { api, projectId, branch, settling } = options;
  const path = branchPath({ projectId, branchId: branch.id, rest: '/endpoints' });
  const now = settling && { ...settling, statuses: settling.statuses.filter((status) => status !== 404) };
  try {
    return await list({ ...options, path, settling: now });
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
    // The branch is gone, or the service settles, or it is a deployment that has endpoints at the project only.
    await getBranch({ api, projectId, branchId: branch.id, settling });
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
  options: Project & { branch: Branch; path: string; settling?: Settling | undefined },
): Promise<Endpoint[]> {
  const { api, branch, path, settling } = options;
  const answer = await api.request({
    goal: `list the compute endpoints of branch ${show(branch.name)}`,
    method: 'GET',
    path,
    ...(settling ? { settling } : {}),
    read: (body) => shape.list(shape.object(body, 'the answer').endpoints, 'endpoints', readEndpoint),
  });
  return answer.value;
}

/** Gives a branch that has none a read-write endpoint; one that another run has just made will do as well. */
export async function createEndpoint(
  options: Project & {
    branch: Branch;
    suspendTimeout?: number;
    minCu?: number;
    maxCu?: number;
    settling?: Settling | undefined;
  },
): Promise<{ endpoint: Endpoint; operations: Operation[] }> {
  const { api, projectId, branch, suspendTimeout, minCu, maxCu, settling } = options;
  const ready = settlingOfChange(settling, api.clock.now());
  const look = async () => {
    const endpoint = readWriteEndpoint(await listEndpoints({ api, projectId, branch, settling }), branch);
    return endpoint && { endpoint, operations: [] as Operation[] };
  };
  try {
    const { value } = await once({
      api,
      act: () =>
        api.request({
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
          ...(ready ? { settling: ready } : {}),
          read: (body) => {
            const from = shape.object(body, 'the answer');
            return {
              endpoint: readEndpoint(from.endpoint, 'endpoint'),
              operations: operations(from.operations, 'operations'),
            };
          },
        }),
      look,
    });
    readWriteEndpoint([value.endpoint], branch);
    return value;
  } catch (error) {
    // A branch has one read-write endpoint at most: a refusal may mean that somebody was faster.
    const refused = error instanceof ApiError && [400, 409, 422].includes(error.status ?? 0);
    const existing = refused ? await look() : undefined;
    if (existing) return existing;
    throw error;
  }
}
