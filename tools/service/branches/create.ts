import type { Branch, Endpoint, Operation } from '@neon/sdk/raw';
import type { Address } from '../compute.ts';
import { newBranchId, newEndpointId } from '../generate.ts';
import {
  isJsonObject,
  type JsonObject,
  optionalArray,
  optionalBoolean,
  optionalObject,
  optionalString,
  stringMap,
} from '../http/body.ts';
import { badRequest, notFound, unprocessable } from '../http/errors.ts';
import type { Call, HandlerResponse } from '../http/router.ts';
import { connectionDetails } from '../objects/connection-uri.ts';
import { addEndpoint, type ComputeSpec, parseComputeSpec, startStep } from '../objects/endpoint-record.ts';
import type { Lock, Step } from '../operations.ts';
import type { BranchRecord, EndpointRecord, ProjectRecord, State } from '../state.ts';
import { timestamp } from '../time.ts';
import { assertBelowLimit, assertNameFree, defaultBranch, isHistorical, parsePoint, validateName } from './checks.ts';
import { parseExpiry } from './expiry.ts';
import { contentOf, newBranchRecord, setState } from './record.ts';
import { syncContent } from './sync-content.ts';

function findParent(project: ProjectRecord, fields: JsonObject): BranchRecord {
  const id = optionalString(fields, 'parent_id');
  const parent = id ? project.branches.get(id) : defaultBranch(project);
  if (!parent) throw notFound('parent branch');
  return parent;
}

interface OpenedEndpoint {
  id: string;
  compute: ComputeSpec;
  address: Address;
}

export interface CreatedBranch {
  record: BranchRecord;
  endpoints: EndpointRecord[];
  operations: Operation[];
}

export interface CreateOptions {
  state: State;
  project: ProjectRecord;
  /** The payload: `{branch, endpoints, annotation_value}`. */
  body: unknown;
}

/** Validates the payload, adds the branch and its endpoints to the project and starts their operations. */
export async function startCreate(options: CreateOptions): Promise<CreatedBranch> {
  const { state, project, body } = options;
  const computes = ((isJsonObject(body) && optionalArray(body, 'endpoints')) || []).map((value) =>
    parseComputeSpec(state, value),
  );
  if (computes.filter(({ type }) => type === 'read_write').length > 1) {
    throw unprocessable('a branch can have at most one read_write endpoint');
  }
  const fields = optionalObject(body, 'branch');
  const point = parsePoint(state, optionalString(fields, 'parent_lsn'), optionalString(fields, 'parent_timestamp'));
  if (isHistorical(point)) await state.compute.assertInHistory(findParent(project, fields).branch.id, point);
  const id = newBranchId();
  // Ports are opened first because `register` must not await: two requests could then both find the name free.
  const opened: OpenedEndpoint[] = [];
  try {
    for (const compute of computes) {
      const endpointId = newEndpointId();
      opened.push({ id: endpointId, compute, address: await state.compute.openEndpoint(endpointId, id) });
    }
    return register(options, id, opened);
  } catch (error) {
    for (const endpoint of opened) await state.compute.closeEndpoint(endpoint.id);
    throw error;
  }
}

function register({ state, project, body }: CreateOptions, id: string, opened: OpenedEndpoint[]): CreatedBranch {
  const fields = optionalObject(body, 'branch');
  const annotations = stringMap(body, 'annotation_value');
  const name = validateName(optionalString(fields, 'name') ?? `br-${id.slice(-8)}`);
  const initSource = optionalString(fields, 'init_source') ?? 'parent-data';
  if (initSource !== 'parent-data' && initSource !== 'schema-only') {
    throw badRequest('"init_source" must be parent-data or schema-only');
  }
  const schemaOnly = initSource === 'schema-only';
  const isProtected = optionalBoolean(fields, 'protected') ?? false;
  const parent = findParent(project, fields);
  const point = parsePoint(state, optionalString(fields, 'parent_lsn'), optionalString(fields, 'parent_timestamp'));
  const expiresAt = parseExpiry(state, optionalString(fields, 'expires_at'), {
    default: false,
    protected: isProtected,
  });
  assertNameFree(state, project, name);
  const locks: Lock[] = [{ id }, { id: parent.branch.id, shared: true }];
  state.assertUnlocked(project, locks);
  if (parent.deleting) throw notFound('parent branch');
  if (parent.branch.expires_at !== undefined && !schemaOnly)
    throw unprocessable('a branch with an expiry cannot have children');
  assertBelowLimit(state, project, schemaOnly);

  const record = newBranchRecord(state, project, {
    id,
    name,
    parent: schemaOnly ? undefined : parent,
    protected: isProtected,
    expiresAt,
    initSource,
    annotations,
    ...contentOf(parent),
  });
  if (point.lsn !== undefined) record.branch.parent_lsn = point.lsn;
  if (point.timestamp !== undefined) record.branch.parent_timestamp = timestamp(Date.parse(point.timestamp));
  project.branches.set(id, record);
  const endpoints = opened.map((endpoint) => addEndpoint(state, project, { ...endpoint, branchId: id }));

  const create: Step = {
    action: 'create_branch',
    branchId: id,
    work: async () => {
      const lsn = await state.compute.fork(id, parent.branch.id, point);
      if (!schemaOnly) record.branch.parent_lsn = lsn;
      if (schemaOnly) await state.compute.truncate(id);
      if (isHistorical(point)) await syncContent(state, project, record, parent);
    },
    onFinished: () => setState(record, 'ready', timestamp(state.now())),
  };
  const steps = [create, ...endpoints.map((endpoint) => startStep(state, endpoint))];
  return { record, endpoints, operations: state.startOperations(project, steps, locks) };
}

/** The response to a create. It has connection URIs only if there is one role and one database. */
export function createResponseBody(state: State, { record, endpoints, operations }: CreatedBranch): CreateResponseBody {
  const readWrite = endpoints.find(({ endpoint }) => endpoint.type === 'read_write');
  const uris = connectionDetails(state, record, readWrite);
  return {
    branch: record.branch,
    endpoints: endpoints.map(({ endpoint }) => endpoint),
    operations,
    roles: [...record.roles.values()].map(({ role }) => role),
    databases: [...record.databases.values()],
    ...(uris && { connection_uris: uris }),
  };
}

interface CreateResponseBody {
  branch: Branch;
  endpoints: Endpoint[];
  operations: Operation[];
  roles: unknown[];
  databases: unknown[];
  connection_uris?: unknown[];
}

export async function createBranch({ state, params, body }: Call): Promise<HandlerResponse> {
  const created = await startCreate({ state, project: state.project(params.project_id), body });
  return { status: 201, body: createResponseBody(state, created) };
}
