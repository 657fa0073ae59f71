import type { Endpoint, EndpointType } from '@neon/sdk/raw';
import type { Address } from '../compute.ts';
import { stamp } from '../generate.ts';
import { amount, type Fields, isFields, text } from '../http/body.ts';
import { badRequest, Problem, unprocessable } from '../http/errors.ts';
import type { Step } from '../operations.ts';
import type { EndpointRecord, ProjectRecord, State } from '../state.ts';

export interface ComputeSpec {
  type: EndpointType;
  minCu: number | undefined;
  maxCu: number | undefined;
  suspendTimeout: number | undefined;
}

/** The compute settings of a request, held against what they may be and what the plan allows. */
export function computeSpec(state: State, value: unknown): ComputeSpec {
  if (!isFields(value)) throw badRequest('an endpoint is not an object');
  const type = text(value, 'type');
  if (type !== 'read_write' && type !== 'read_only') throw badRequest('"type" is neither read_write nor read_only');
  return { type, ...computeSize(state, value) };
}

export function computeSize(state: State, fields: Fields): Omit<ComputeSpec, 'type'> {
  const minCu = amount(fields, 'autoscaling_limit_min_cu');
  const maxCu = amount(fields, 'autoscaling_limit_max_cu');
  const suspendTimeout = amount(fields, 'suspend_timeout_seconds');
  for (const cu of [minCu, maxCu]) {
    if (cu !== undefined && (cu < 0.25 || (cu > 0.5 && !Number.isInteger(cu)))) {
      throw unprocessable(`invalid compute size: ${cu} CU`);
    }
  }
  if ((minCu ?? 0.25) > (maxCu ?? Number.POSITIVE_INFINITY)) {
    throw unprocessable('autoscaling_limit_min_cu is greater than autoscaling_limit_max_cu');
  }
  if (
    suspendTimeout !== undefined &&
    (!Number.isInteger(suspendTimeout) || suspendTimeout < -1 || suspendTimeout > 604_800)
  ) {
    throw unprocessable('suspend_timeout_seconds is out of range');
  }
  const { plan } = state.settings;
  if (plan?.maxCu !== undefined && Math.max(minCu ?? 0, maxCu ?? 0) > plan.maxCu) {
    throw new Problem(412, `autoscaling limit of ${plan.maxCu} CU exceeded for your plan`);
  }
  if (plan?.suspendTimeout === false && suspendTimeout !== undefined && suspendTimeout !== 0) {
    throw new Problem(412, 'configuring the suspend timeout is not allowed for your plan');
  }
  return { minCu, maxCu, suspendTimeout };
}

export interface NewEndpoint {
  id: string;
  branchId: string;
  spec: ComputeSpec;
  address: Address;
  active?: boolean;
  name?: string | undefined;
}

/** Puts a compute endpoint into the project. */
export function addEndpoint(state: State, project: ProjectRecord, made: NewEndpoint): EndpointRecord {
  const at = stamp(state.now());
  const defaults = project.project.default_endpoint_settings;
  const endpoint: Endpoint = {
    host: made.address.host,
    id: made.id,
    ...(made.name !== undefined && { name: made.name }),
    project_id: project.project.id,
    branch_id: made.branchId,
    autoscaling_limit_min_cu: made.spec.minCu ?? defaults?.autoscaling_limit_min_cu ?? 0.25,
    autoscaling_limit_max_cu:
      made.spec.maxCu ?? Math.max(made.spec.minCu ?? 0, defaults?.autoscaling_limit_max_cu ?? 2),
    region_id: project.project.region_id,
    type: made.spec.type,
    current_state: made.active ? 'active' : 'init',
    ...(!made.active && { pending_state: 'active' as const }),
    settings: {},
    pooler_enabled: false,
    pooler_mode: 'transaction',
    disabled: false,
    passwordless_access: true,
    creation_source: 'console',
    created_at: at,
    updated_at: at,
    proxy_host: state.compute.proxyHost,
    suspend_timeout_seconds: made.spec.suspendTimeout ?? defaults?.suspend_timeout_seconds ?? 0,
    provisioner: 'k8s-neonvm',
  };
  const record = { endpoint, address: made.address };
  project.endpoints.set(made.id, record);
  return record;
}

/** An endpoint has come to where it was going. */
export function settleEndpoint(state: State, { endpoint }: EndpointRecord, current: 'active' | 'idle'): void {
  const at = stamp(state.now());
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
    after: () => settleEndpoint(state, record, 'active'),
  };
}

export function suspendStep(state: State, record: EndpointRecord): Step {
  const { id, branch_id: branchId } = record.endpoint;
  return {
    action: 'suspend_compute',
    branchId,
    endpointId: id,
    work: () => state.compute.suspendEndpoint(id),
    after: () => settleEndpoint(state, record, 'idle'),
  };
}
