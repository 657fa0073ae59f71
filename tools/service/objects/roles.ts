import { newRoleRecord } from '../branches/record.ts';
import { optionalBoolean, requiredObject, requiredString } from '../http/body.ts';
import { ApiError, notFound, unprocessable } from '../http/errors.ts';
import type { Call, HandlerResponse } from '../http/router.ts';
import type { Step } from '../operations.ts';
import type { BranchRecord, ProjectRecord, RoleRecord, State } from '../state.ts';
import { timestamp } from '../time.ts';

interface BranchContext {
  project: ProjectRecord;
  record: BranchRecord;
}

function findBranch({ state, params }: Call, use: 'read' | 'change'): BranchContext {
  const project = state.project(params.project_id);
  return { project, record: state.branch(project, params.branch_id, use) };
}

function findRole(record: BranchRecord, name: string | undefined): RoleRecord {
  const found = record.roles.get(name ?? '');
  if (!found) throw notFound('role');
  return found;
}

/** Starts the operation that applies a change of roles or databases to the branch's compute. */
export function applyConfig(
  state: State,
  { project, record }: BranchContext,
  work: () => Promise<void>,
): ReturnType<State['startOperations']> {
  const { id } = record.branch;
  const step: Step = { action: 'apply_config', branchId: id, work };
  return state.startOperations(project, [step], [{ id }]);
}

export function listRoles(call: Call): HandlerResponse {
  const { record } = findBranch(call, 'read');
  return { status: 200, body: { roles: [...record.roles.values()].map(({ role }) => role) } };
}

export function getRole(call: Call): HandlerResponse {
  return { status: 200, body: { role: findRole(findBranch(call, 'read').record, call.params.role_name).role } };
}

export function createRole(call: Call): HandlerResponse {
  const { state } = call;
  const context = findBranch(call, 'change');
  const { record } = context;
  const fields = requiredObject(call.body, 'role');
  const name = requiredString(fields, 'name');
  if (Buffer.byteLength(name) > 63) throw unprocessable('a role name must have at most 63 bytes');
  const noLogin = optionalBoolean(fields, 'no_login') ?? false;
  if (record.roles.has(name)) throw new ApiError(409, 'role already exists', { code: 'ROLE_ALREADY_EXISTS' });
  state.assertUnlocked(context.project, [{ id: record.branch.id }]);
  const secret = { name, password: state.newPassword() };
  const created = newRoleRecord(record.branch.id, secret, timestamp(state.now()));
  if (noLogin) created.role.authentication_method = 'no_login';
  record.roles.set(name, created);
  const operations = applyConfig(state, context, () => state.compute.createRole(record.branch.id, secret));
  return { status: 201, body: { role: { ...created.role, password: secret.password }, operations } };
}

export function deleteRole(call: Call): HandlerResponse {
  const { state, params } = call;
  const context = findBranch(call, 'change');
  const { record } = context;
  const name = params.role_name ?? '';
  const role = record.roles.get(name)?.role;
  if (!role) return { status: 204 };
  if ([...record.databases.values()].some((database) => database.owner_name === name)) {
    throw unprocessable('the role owns databases and cannot be deleted');
  }
  state.assertUnlocked(context.project, [{ id: record.branch.id }]);
  record.roles.delete(name);
  const operations = applyConfig(state, context, () => state.compute.dropRole(record.branch.id, name));
  return { status: 200, body: { role, operations } };
}
