import { newEndpointId, stamp } from '../generate.ts';
import { flag, requiredPart, requiredText, text } from '../http/body.ts';
import { notFound, Problem } from '../http/errors.ts';
import type { Answer, Call } from '../http/router.ts';
import type { Lock, Step } from '../operations.ts';
import { type EndpointRecord, endpointsOf, type ProjectRecord } from '../state.ts';
import { addEndpoint, computeSize, computeSpec, startStep, suspendStep } from './endpoint-record.ts';

const found = (project: ProjectRecord, id: string | undefined): EndpointRecord => {
  const record = project.endpoints.get(id ?? '');
  if (!record) throw notFound('endpoint');
  return record;
};

const lockOf = (record: EndpointRecord): Lock[] => [{ id: record.endpoint.branch_id }];

export function listEndpoints({ state, params }: Call): Answer {
  const project = state.project(params.project_id);
  return { status: 200, body: { endpoints: [...project.endpoints.values()].map(({ endpoint }) => endpoint) } };
}

export function listBranchEndpoints({ state, params }: Call): Answer {
  const project = state.project(params.project_id);
  const { branch } = state.branch(project, params.branch_id);
  return { status: 200, body: { endpoints: endpointsOf(project, branch.id).map(({ endpoint }) => endpoint) } };
}

export function getEndpoint({ state, params }: Call): Answer {
  return { status: 200, body: { endpoint: found(state.project(params.project_id), params.endpoint_id).endpoint } };
}

export async function createEndpoint({ state, params, body }: Call): Promise<Answer> {
  const project = state.project(params.project_id);
  const fields = requiredPart(body, 'endpoint');
  const spec = computeSpec(state, fields);
  const branchId = requiredText(fields, 'branch_id');
  const name = text(fields, 'name');
  const id = newEndpointId();
  // The address first: from the checks to the operations nothing may come in between.
  const address = await state.compute.openEndpoint(id, branchId);
  try {
    const { branch, leaving } = state.branch(project, branchId, 'change');
    state.guard(project, [{ id: branch.id }]);
    if (leaving) throw notFound('branch');
    if (
      spec.type === 'read_write' &&
      endpointsOf(project, branch.id).some((other) => other.endpoint.type === spec.type)
    ) {
      throw new Problem(409, 'read_write endpoint already exists for the branch', { code: 'ENDPOINT_ALREADY_EXISTS' });
    }
    const record = addEndpoint(state, project, { id, branchId, spec, address, name });
    const operations = state.run(project, [startStep(state, record)], lockOf(record));
    return { status: 201, body: { endpoint: record.endpoint, operations } };
  } catch (error) {
    await state.compute.closeEndpoint(id);
    throw error;
  }
}

export function updateEndpoint({ state, params, body }: Call): Answer {
  const project = state.project(params.project_id);
  const record = found(project, params.endpoint_id);
  const { endpoint } = record;
  const fields = requiredPart(body, 'endpoint');
  const size = computeSize(state, fields);
  const name = text(fields, 'name');
  const disabled = flag(fields, 'disabled');
  state.guard(project, lockOf(record));
  if (size.minCu !== undefined) endpoint.autoscaling_limit_min_cu = size.minCu;
  if (size.maxCu !== undefined) endpoint.autoscaling_limit_max_cu = size.maxCu;
  if (size.suspendTimeout !== undefined) endpoint.suspend_timeout_seconds = size.suspendTimeout;
  if (name !== undefined) endpoint.name = name;
  if (disabled !== undefined) endpoint.disabled = disabled;
  endpoint.updated_at = stamp(state.now());
  const step: Step = { action: 'apply_config', branchId: endpoint.branch_id, endpointId: endpoint.id };
  return { status: 200, body: { endpoint, operations: state.run(project, [step], lockOf(record)) } };
}

export function deleteEndpoint({ state, params }: Call): Answer {
  const project = state.project(params.project_id);
  const record = project.endpoints.get(params.endpoint_id ?? '');
  if (!record) return { status: 204 };
  state.guard(project, lockOf(record));
  const { endpoint } = record;
  const step = { ...suspendStep(state, record), work: () => state.compute.closeEndpoint(endpoint.id) };
  const operations = state.run(project, [step], lockOf(record));
  project.endpoints.delete(endpoint.id);
  return { status: 200, body: { endpoint, operations } };
}

function power(steps: (call: Call, record: EndpointRecord) => Step[]): (call: Call) => Answer {
  return (call) => {
    const { state, params } = call;
    const project = state.project(params.project_id);
    const record = found(project, params.endpoint_id);
    state.guard(project, lockOf(record));
    return {
      status: 200,
      body: { endpoint: record.endpoint, operations: state.run(project, steps(call, record), lockOf(record)) },
    };
  };
}

/** Starting what runs, or suspending what is idle, succeeds and starts no operation. */
export const startEndpoint = power(({ state }, record) =>
  record.endpoint.current_state === 'active' ? [] : [startStep(state, record)],
);
export const suspendEndpoint = power(({ state }, record) =>
  record.endpoint.current_state === 'idle' ? [] : [suspendStep(state, record)],
);
export const restartEndpoint = power(({ state }, record) => [suspendStep(state, record), startStep(state, record)]);
