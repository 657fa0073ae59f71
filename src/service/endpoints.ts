import { unlessNotFound } from '../http/errors.ts';
import type { RetryWindow } from '../http/request.ts';
import * as shape from '../http/shape.ts';
import { show } from '../text/inert.ts';
import type { Json } from '../text/json.ts';
import { getBranch, nameAndId } from './branches.ts';
import { MismatchError } from './errors.ts';
import { type About, branchPath, type Change, get, projectPath } from './project.ts';
import { type Branch, type Endpoint, type Operation, operations, endpoint as readEndpoint } from './types.ts';

/** The branch's read-write endpoint among those given, or undefined. An endpoint of another branch is an error. */
export function readWriteEndpoint(endpoints: Endpoint[], branch: Branch): Endpoint | undefined {
  const foreign = endpoints.find((endpoint) => endpoint.branch_id !== branch.id);
  if (foreign) {
    throw new MismatchError(
      `The service listed endpoint ${foreign.id} under branch ${nameAndId(branch)}, but it belongs to branch ${foreign.branch_id}`,
    );
  }
  return endpoints.find((endpoint) => endpoint.type === 'read_write');
}

/** How to add a read-write endpoint to a branch that has none, as a sentence. `create` doesn't return the default branch. */
export function howToAddEndpoint(branch: Branch): string {
  return branch.default
    ? `To add one, use \`command: manage\` with \`branch_id: ${branch.id}\`, \`resource: compute endpoint\`, \`verb: create\` and \`body: '{"type": "read_write"}'\`.`
    : 'To add one, use `command: create` with the same branch name: it reuses the branch.';
}

export async function listEndpoints(about: About): Promise<Endpoint[]> {
  const { projectId, branch, window } = about;
  const path = branchPath({ projectId, branchId: branch.id, rest: '/endpoints' });
  const not404 = window && { ...window, statuses: window.statuses.filter((status) => status !== 404) };
  const found = await unlessNotFound(list(about, path, not404));
  if (found) return found;
  // The branch is gone, or not known everywhere yet, or this deployment lists endpoints per project only.
  await getBranch({ ...about, branchId: branch.id });
  const all = await unlessNotFound(list(about, projectPath(projectId, '/endpoints')));
  return all ? all.filter((endpoint) => endpoint.branch_id === branch.id) : list(about, path, window);
}

function list({ api, branch }: About, path: string, window?: RetryWindow): Promise<Endpoint[]> {
  const goal = `list the compute endpoints of branch ${show(branch.name)}`;
  const read = (from: Json) => shape.list(from.endpoints, 'endpoints', readEndpoint);
  return get(api, { goal, path, window, read });
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
export function endpointCreation(about: About, settings: ComputeSettings): Change<ChangedEndpoint> {
  const { branch } = about;
  return {
    doing: 'changed',
    goal: `create a compute endpoint for branch ${show(branch.name)}`,
    method: 'POST',
    path: projectPath(about.projectId, '/endpoints'),
    body: { endpoint: { branch_id: branch.id, type: 'read_write', ...settings } },
    read(body) {
      const changed = changedEndpoint(branch)(body);
      about.api.created(changed.endpoint.id);
      return changed;
    },
    async happened() {
      const endpoint = readWriteEndpoint(await listEndpoints(about), branch);
      return endpoint && { endpoint, operations: [] };
    },
    // A branch has at most one read-write endpoint: an error may mean that another run was faster.
    refusals: [400, 409, 422],
  };
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
export function endpointUpdate(
  about: About,
  { endpoint, settings }: { endpoint: Endpoint; settings: ComputeSettings },
): Change<ChangedEndpoint> {
  const { branch } = about;
  return {
    doing: 'changed',
    goal: `change the compute settings of branch ${show(branch.name)}`,
    method: 'PATCH',
    path: projectPath(about.projectId, `/endpoints/${encodeURIComponent(endpoint.id)}`),
    body: { endpoint: settings },
    read: changedEndpoint(branch),
    async happened() {
      const now = readWriteEndpoint(await listEndpoints(about), branch);
      return now && !settingsToChange(now, settings) ? { endpoint: now, operations: [] } : undefined;
    },
  };
}
