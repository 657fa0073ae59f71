import { ApiError } from '../http/errors.ts';
import * as shape from '../http/shape.ts';
import { show } from '../text/inert.ts';
import { ShapeError } from '../text/json.ts';
import { nameAndId } from './branches.ts';
import { RefusedError } from './errors.ts';
import { type About, branchPath, get, projectPath } from './project.ts';
import { type Branch, type Endpoint, type Operation, operations, endpoint as readEndpoint } from './types.ts';

export function readWriteEndpoint(endpoints: Endpoint[], branch: Branch): Endpoint | undefined {
  return endpoints.find((endpoint) => endpoint.branch_id === branch.id && endpoint.type === 'read_write');
}

/** Reads the branch's read-write endpoint. The error if it has none says what is not possible `without` it, as a clause. */
export async function requireEndpoint(about: About, without: string): Promise<Endpoint> {
  const { branch } = about;
  const endpoint = readWriteEndpoint(await listEndpoints(about), branch);
  if (endpoint) return endpoint;
  throw new RefusedError(
    `Branch ${nameAndId(branch)} has no read-write compute endpoint, so ${without}. Add one with the action \`manage\`, \`resource: compute endpoint\` and \`verb: create\`.`,
  );
}

export function listEndpoints(about: About): Promise<Endpoint[]> {
  return get(about.api, {
    goal: `list the compute endpoints of branch ${show(about.branch.name)}`,
    path: branchPath(about, '/endpoints'),
    read: (from) => shape.list(from.endpoints, 'endpoints', readEndpoint),
  });
}

interface ChangedEndpoint {
  endpoint: Endpoint;
  operations: Operation[];
}

function changedEndpoint({ id }: Branch): (body: unknown) => ChangedEndpoint {
  return (body) => {
    const from = shape.object(body, 'the response');
    const endpoint = readEndpoint(from.endpoint, 'endpoint');
    if (endpoint.branch_id !== id) throw new ShapeError(`it is about branch ${endpoint.branch_id}`);
    return { endpoint, operations: operations(from.operations, 'operations') };
  };
}

/** Adds a read-write endpoint to a branch that has none; one that another run has just added is just as good. */
export async function createEndpoint(about: About, settings: ComputeSettings): Promise<ChangedEndpoint> {
  const { api, projectId, branch } = about;
  try {
    const { value } = await api.request({
      goal: `create a compute endpoint for branch ${show(branch.name)}`,
      method: 'POST',
      path: projectPath(projectId, '/endpoints'),
      body: { endpoint: { branch_id: branch.id, type: 'read_write', ...settings } },
      read: changedEndpoint(branch),
    });
    api.created(value.endpoint.id);
    return value;
  } catch (error) {
    if (!(error instanceof ApiError) || ![400, 409, 422].includes(error.status ?? 0)) throw error;
    const endpoint = readWriteEndpoint(await listEndpoints(about), branch);
    if (!endpoint) throw error;
    return { endpoint, operations: [] };
  }
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

export async function updateEndpoint(
  { api, projectId, branch }: About,
  { endpoint, settings }: { endpoint: Endpoint; settings: ComputeSettings },
): Promise<ChangedEndpoint> {
  const { value } = await api.request({
    goal: `change the compute settings of branch ${show(branch.name)}`,
    method: 'PATCH',
    path: projectPath(projectId, `/endpoints/${encodeURIComponent(endpoint.id)}`),
    body: { endpoint: settings },
    read: changedEndpoint(branch),
  });
  return value;
}
