import { newEndpointId } from '../generate.ts';
import { optionalBoolean, optionalString, requiredObject, requiredString } from '../http/body.ts';
import { ApiError, notFound } from '../http/errors.ts';
import type { Call, HandlerResponse } from '../http/router.ts';
import type { Lock, Step } from '../operations.ts';
import { type EndpointRecord, endpointsOf, type ProjectRecord } from '../state.ts';
import { timestamp } from '../time.ts';
import { addEndpoint, parseComputeSize, parseComputeSpec, startStep, suspendStep } from './endpoint-record.ts';

const findEndpoint = (project: ProjectRecord, id: string | undefined): EndpointRecord => {
  const record = project.endpoints.get(id ?? '');
  if (!record) throw notFound('endpoint');
  return record;
};

const lockOf = (record: EndpointRecord): Lock[] => [{ id: record.endpoint.branch_id }];

export function listEndpoints({ state, params }: Call): HandlerResponse {
  const project = state.project(params.project_id);
  return { status: 200, body: { endpoints: [...project.endpoints.values()].map(({ endpoint }) => endpoint) } };
}

export function listBranchEndpoints({ state, params }: Call): HandlerResponse {
  const project = state.project(params.project_id);
  const { branch } = state.branch(project, params.branch_id);
  return { status: 200, body: { endpoints: endpointsOf(project, branch.id).map(({ endpoint }) => endpoint) } };
}

export function getEndpoint({ state, params }: Call): HandlerResponse {
  return {
    status: 200,
    body: { endpoint: findEndpoint(state.project(params.project_id), params.endpoint_id).endpoint },
  };
}

export async function createEndpoint({ state, params, body }: Call): Promise<HandlerResponse> {
  const project = state.project(params.project_id);
  const fields = requiredObject(body, 'endpoint');
  const compute = parseComputeSpec(state, fields);
  const branchId = requiredString(fields, 'branch_id');
  const name = optionalString(fields, 'name');
  const id = newEndpointId();
  // The port is opened first because nothing may be awaited between the checks below and adding the endpoint.
  const address = await state.compute.openEndpoint(id, branchId);
  try {
    const { branch, deleting } = state.branch(project, branchId, 'change');
    state.assertUnlocked(project, [{ id: branch.id }]);
    if (deleting) throw notFound('branch');
    if (
      compute.type === 'read_write' &&
      endpointsOf(project, branch.id).some((other) => other.endpoint.type === compute.type)
    ) {
      throw new ApiError(409, 'read_write endpoint already exists for the branch', { code: 'ENDPOINT_ALREADY_EXISTS' });
    }
    const record = addEndpoint(state, project, { id, branchId, compute, address, name });
    const operations = state.startOperations(project, [startStep(state, record)], lockOf(record));
    return { status: 201, body: { endpoint: record.endpoint, operations } };
  } catch (error) {
    await state.compute.closeEndpoint(id);
    throw error;
  }
}

export function updateEndpoint({ state, params, body }: Call): HandlerResponse {
  const project = state.project(params.project_id);
  const record = findEndpoint(project, params.endpoint_id);
  const { endpoint } = record;
  const fields = requiredObject(body, 'endpoint');
  const size = parseComputeSize(state, fields);
  const name = optionalString(fields, 'name');
  const disabled = optionalBoolean(fields, 'disabled');
  state.assertUnlocked(project, lockOf(record));
  if (size.minCu !== undefined) endpoint.autoscaling_limit_min_cu = size.minCu;
  if (size.maxCu !== undefined) endpoint.autoscaling_limit_max_cu = size.maxCu;
  if (size.suspendTimeout !== undefined) endpoint.suspend_timeout_seconds = size.suspendTimeout;
  if (name !== undefined) endpoint.name = name;
  if (disabled !== undefined) endpoint.disabled = disabled;
  endpoint.updated_at = timestamp(state.now());
  const step: Step = { action: 'apply_config', branchId: endpoint.branch_id, endpointId: endpoint.id };
  return { status: 200, body: { endpoint, operations: state.startOperations(project, [step], lockOf(record)) } };
}

export function deleteEndpoint({ state, params }: Call): HandlerResponse {
  const project = state.project(params.project_id);
  const record = project.endpoints.get(params.endpoint_id ?? '');
  if (!record) return { status: 204 };
  state.assertUnlocked(project, lockOf(record));
  const { endpoint } = record;
  const step = { ...suspendStep(state, record), work: () => state.compute.closeEndpoint(endpoint.id) };
  const operations = state.startOperations(project, [step], lockOf(record));
  project.endpoints.delete(endpoint.id);
  return { status: 200, body: { endpoint, operations } };
}

function powerAction(steps: (call: Call, record: EndpointRecord) => Step[]): (call: Call) => HandlerResponse {
  return (call) => {
    const { state, params } = call;
    const project = state.project(params.project_id);
    const record = findEndpoint(project, params.endpoint_id);
    state.assertUnlocked(project, lockOf(record));
    return {
      status: 200,
      body: {
        endpoint: record.endpoint,
        operations: state.startOperations(project, steps(call, record), lockOf(record)),
      },
    };
  };
}

/** Suspending an idle endpoint succeeds without an operation. */
export const suspendEndpoint = powerAction(({ state }, record) =>
  record.endpoint.current_state === 'idle' ? [] : [suspendStep(state, record)],
);
export const restartEndpoint = powerAction(({ state }, record) => [
  suspendStep(state, record),
  startStep(state, record),
]);
