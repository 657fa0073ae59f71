import type { Branch, Endpoint, Operation } from '@neon/sdk/raw';
import type { Address, Point } from '../compute.ts';
import { newBranchId, newEndpointId, stamp } from '../generate.ts';
import { type Fields, flag, isFields, list, part, text, texts } from '../http/body.ts';
import { badRequest, notFound, Problem, unprocessable } from '../http/errors.ts';
import type { Answer, Call } from '../http/router.ts';
import { connectionDetails } from '../objects/connection-uri.ts';
import { addEndpoint, type ComputeSpec, computeSpec, startStep } from '../objects/endpoint-record.ts';
import type { Lock, Step } from '../operations.ts';
import { type BranchRecord, branchNamed, type EndpointRecord, type ProjectRecord, type State } from '../state.ts';
import { checkedExpiry } from './expiry.ts';
import { branchRecord, changeState, contentOf } from './record.ts';
import { syncContent } from './sync-content.ts';

export function checkedName(name: string): string {
  if (name.length < 1 || name.length > 256) throw badRequest('"name" must have 1 to 256 characters');
  return name;
}

/** Refuses a name that a branch of the project has. */
export function claimName(state: State, project: ProjectRecord, name: string, mayHave?: BranchRecord): void {
  const holder = branchNamed(project, name);
  if (!holder || holder === mayHave) return;
  if (holder.leaving && state.settings.nameOfDeleting === 'locked') {
    throw new Problem(423, 'branch with this name is being deleted');
  }
  throw new Problem(409, `branch with the provided name already exists`, { code: 'BRANCH_ALREADY_EXISTS' });
}

/** Room for one more. `root` branches, those without a parent, have a limit of their own. */
export function claimRoom(state: State, project: ProjectRecord, root: boolean): void {
  const { branchLimit, rootBranchLimit } = state.settings;
  const branches = [...project.branches.values()];
  const roots = branches.filter(({ branch }) => branch.parent_id === undefined).length;
  if (root && rootBranchLimit !== undefined && roots >= rootBranchLimit) {
    throw unprocessable(
      `root branches limit of ${rootBranchLimit} exceeded, got ${roots}`,
      'ROOT_BRANCHES_LIMIT_EXCEEDED',
    );
  }
  if (branchLimit !== undefined && branches.length >= branchLimit) {
    throw unprocessable(`branches limit of ${branchLimit} exceeded, got ${branches.length}`, 'BRANCHES_LIMIT_EXCEEDED');
  }
}

/** A point in history, of which at most one kind may be given, and none that is yet to come. */
export function checkedPoint(state: State, lsn: string | undefined, timestamp: string | undefined): Point {
  if (lsn !== undefined && timestamp !== undefined) throw badRequest('a timestamp and an LSN exclude each other');
  if (lsn !== undefined) {
    if (!/^[0-9A-F]{1,8}\/[0-9A-F]{1,8}$/i.test(lsn)) throw badRequest(`invalid LSN: ${lsn}`);
    return { lsn };
  }
  if (timestamp === undefined) return {};
  const at = Date.parse(timestamp);
  if (Number.isNaN(at)) throw badRequest(`invalid timestamp: ${timestamp}`);
  if (at > state.now()) throw unprocessable('the timestamp is in the future');
  return { timestamp: new Date(at).toISOString() };
}

export function defaultBranch(project: ProjectRecord): BranchRecord {
  for (const record of project.branches.values()) if (record.branch.default) return record;
  throw notFound('default branch');
}

function parentOf(project: ProjectRecord, fields: Fields): BranchRecord {
  const id = text(fields, 'parent_id');
  const parent = id ? project.branches.get(id) : defaultBranch(project);
  if (!parent) throw notFound('parent branch');
  return parent;
}

interface Opened {
  id: string;
  spec: ComputeSpec;
  address: Address;
}

export interface Created {
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

/** Everything from a payload to a branch whose operations are under way. */
export async function startBranch(options: CreateOptions): Promise<Created> {
  const { state, project, body } = options;
  const specs = ((isFields(body) && list(body, 'endpoints')) || []).map((value) => computeSpec(state, value));
  if (specs.filter(({ type }) => type === 'read_write').length > 1) {
    throw unprocessable('a branch has one read_write endpoint at most');
  }
  const wanted = part(body, 'branch');
  const point = checkedPoint(state, text(wanted, 'parent_lsn'), text(wanted, 'parent_timestamp'));
  if (point.lsn !== undefined || point.timestamp !== undefined) {
    await state.compute.checkPoint(parentOf(project, wanted).branch.id, point);
  }
  const id = newBranchId();
  // Addresses first: from the check of the name to the branch in its place nothing may come in between.
  const opened: Opened[] = [];
  try {
    for (const spec of specs) {
      const endpointId = newEndpointId();
      opened.push({ id: endpointId, spec, address: await state.compute.openEndpoint(endpointId, id) });
    }
    return enter(options, id, opened);
  } catch (error) {
    for (const one of opened) await state.compute.closeEndpoint(one.id);
    throw error;
  }
}

function enter({ state, project, body }: CreateOptions, id: string, opened: Opened[]): Created {
  const fields = part(body, 'branch');
  const annotations = texts(body, 'annotation_value');
  const name = checkedName(text(fields, 'name') ?? `br-${id.slice(-8)}`);
  const initSource = text(fields, 'init_source') ?? 'parent-data';
  if (initSource !== 'parent-data' && initSource !== 'schema-only') {
    throw badRequest('"init_source" is neither parent-data nor schema-only');
  }
  const schemaOnly = initSource === 'schema-only';
  const isProtected = flag(fields, 'protected') ?? false;
  const parent = parentOf(project, fields);
  const point = checkedPoint(state, text(fields, 'parent_lsn'), text(fields, 'parent_timestamp'));
  const expiresAt = checkedExpiry(state, text(fields, 'expires_at'), { default: false, protected: isProtected });
  claimName(state, project, name);
  const locks: Lock[] = [{ id }, { id: parent.branch.id, shared: true }];
  state.guard(project, locks);
  if (parent.leaving) throw notFound('parent branch');
  if (parent.branch.expires_at !== undefined && !schemaOnly)
    throw unprocessable('a branch with an expiry cannot have children');
  claimRoom(state, project, schemaOnly);

  const record = branchRecord(state, project, {
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
  if (point.timestamp !== undefined) record.branch.parent_timestamp = stamp(Date.parse(point.timestamp));
  project.branches.set(id, record);
  const endpoints = opened.map((one) => addEndpoint(state, project, { ...one, branchId: id }));

  const create: Step = {
    action: 'create_branch',
    branchId: id,
    work: async () => {
      const lsn = await state.compute.fork(id, parent.branch.id, point);
      if (!schemaOnly) record.branch.parent_lsn = lsn;
      if (schemaOnly) await state.compute.empty(id);
      if (point.lsn !== undefined || point.timestamp !== undefined) await syncContent(state, project, record, parent);
    },
    after: () => changeState(record, 'ready', stamp(state.now())),
  };
  const steps = [create, ...endpoints.map((endpoint) => startStep(state, endpoint))];
  return { record, endpoints, operations: state.run(project, steps, locks) };
}

/** The answer to a create: the branch, all that came with it, and where to connect when there is no choice to make. */
export function createdBody(state: State, { record, endpoints, operations }: Created): CreatedBody {
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

interface CreatedBody {
  branch: Branch;
  endpoints: Endpoint[];
  operations: Operation[];
  roles: unknown[];
  databases: unknown[];
  connection_uris?: unknown[];
}

export async function createBranch({ state, params, body }: Call): Promise<Answer> {
  const created = await startBranch({ state, project: state.project(params.project_id), body });
  return { status: 201, body: createdBody(state, created) };
}
