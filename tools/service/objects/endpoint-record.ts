import type { Endpoint, EndpointType } from '@neon/sdk/raw';
import type { Address } from '../compute.ts';
import { isJsonObject, type JsonObject, optionalNumber, optionalString } from '../http/body.ts';
import { ApiError, badRequest } from '../http/errors.ts';
import type { Step } from '../operations.ts';
import type { EndpointRecord, ProjectRecord, State } from '../state.ts';
import { timestamp } from '../time.ts';

export interface ComputeSpec {
  type: EndpointType;
  minCu: number | undefined;
  maxCu: number | undefined;
  suspendTimeout: number | undefined;
}

/** The settings of a new endpoint. Throws if they are invalid or the plan does not allow them. */
export function parseComputeSpec(state: State, value: unknown): ComputeSpec {
  if (!isJsonObject(value)) throw badRequest('an endpoint is not an object');
  const type = optionalString(value, 'type');
  if (type !== 'read_write' && type !== 'read_only') throw badRequest('"type" must be read_write or read_only');
  return { type, ...parseComputeSize(state, value) };
}

export function parseComputeSize(state: State, fields: JsonObject): Omit<ComputeSpec, 'type'> {
  const minCu = optionalNumber(fields, 'autoscaling_limit_min_cu');
  const maxCu = optionalNumber(fields, 'autoscaling_limit_max_cu');
  const suspendTimeout = optionalNumber(fields, 'suspend_timeout_seconds');
  const { plan } = state.settings;
  if (plan?.maxCu !== undefined && Math.max(minCu ?? 0, maxCu ?? 0) > plan.maxCu) {
    throw new ApiError(412, `autoscaling limit of ${plan.maxCu} CU exceeded for your plan`);
  }
  if (plan?.suspendTimeout === false && suspendTimeout !== undefined && suspendTimeout !== 0) {
    throw new ApiError(412, 'configuring the suspend timeout is not allowed for your plan');
  }
  return { minCu, maxCu, suspendTimeout };
}

export interface NewEndpoint {
  id: string;
  branchId: string;
  compute: ComputeSpec;
  address: Address;
  active?: boolean;
  name?: string | undefined;
}

export function addEndpoint(state: State, project: ProjectRecord, spec: NewEndpoint): EndpointRecord {
  const { compute } = spec;
  const at = timestamp(state.now());
  const defaults = project.project.default_endpoint_settings;
  const endpoint: Endpoint = {
    host: spec.address.host,
    id: spec.id,
    ...(spec.name !== undefined && { name: spec.name }),
    project_id: project.project.id,
    branch_id: spec.branchId,
    autoscaling_limit_min_cu: compute.minCu ?? defaults?.autoscaling_limit_min_cu ?? 0.25,
    autoscaling_limit_max_cu: compute.maxCu ?? Math.max(compute.minCu ?? 0, defaults?.autoscaling_limit_max_cu ?? 2),
    region_id: project.project.region_id,
    type: compute.type,
    current_state: spec.active ? 'active' : 'init',
    ...(spec.active ? { last_active: at } : { pending_state: 'active' as const }),
    settings: {},
    pooler_enabled: false,
    pooler_mode: 'transaction',
    disabled: false,
    passwordless_access: true,
    creation_source: 'console',
    created_at: at,
    updated_at: at,
    proxy_host: state.compute.proxyHost,
    suspend_timeout_seconds: compute.suspendTimeout ?? defaults?.suspend_timeout_seconds ?? 0,
    provisioner: 'k8s-neonvm',
  };
  const record = { endpoint, address: spec.address };
  project.endpoints.set(spec.id, record);
  return record;
}

export function setEndpointState(state: State, { endpoint }: EndpointRecord, current: 'active' | 'idle'): void {
  const at = timestamp(state.now());
  endpoint.current_state = current;
  delete endpoint.pending_state;
  endpoint.updated_at = at;
  if (current === 'active') {
    endpoint.last_active = at;
    endpoint.started_at = at;
  } else {
    endpoint.suspended_at = at;
  }
}

export function startStep(state: State, record: EndpointRecord): Step {
  const { id, branch_id: branchId } = record.endpoint;
  return {
    action: 'start_compute',
    branchId,
    endpointId: id,
    work: () => state.compute.startEndpoint(id),
    onFinished: () => setEndpointState(state, record, 'active'),
  };
}

export function suspendStep(state: State, record: EndpointRecord): Step {
  const { id, branch_id: branchId } = record.endpoint;
  return {
    action: 'suspend_compute',
    branchId,
    endpointId: id,
    work: () => state.compute.suspendEndpoint(id),
    onFinished: () => setEndpointState(state, record, 'idle'),
  };
}
