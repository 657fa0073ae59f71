import { roleRecord } from '../branches/record.ts';
import { stamp } from '../generate.ts';
import { flag, requiredPart, requiredText } from '../http/body.ts';
import { notFound, Problem, unprocessable } from '../http/errors.ts';
import type { Answer, Call } from '../http/router.ts';
import type { Step } from '../operations.ts';
import type { BranchRecord, ProjectRecord, RoleRecord, State } from '../state.ts';

interface Found {
  project: ProjectRecord;
  record: BranchRecord;
}

function onBranch({ state, params }: Call, use: 'read' | 'change'): Found {
  const project = state.project(params.project_id);
  return { project, record: state.branch(project, params.branch_id, use) };
}

function known(record: BranchRecord, name: string | undefined): RoleRecord {
  const found = record.roles.get(name ?? '');
  if (!found) throw notFound('role');
  return found;
}

/** Starts the one operation that brings a change of roles or databases to the branch's compute. */
export function applyConfig(
  state: State,
  { project, record }: Found,
  work: () => Promise<void>,
): ReturnType<State['run']> {
  const { id } = record.branch;
  const step: Step = { action: 'apply_config', branchId: id, work };
  return state.run(project, [step], [{ id }]);
}

export function listRoles(call: Call): Answer {
  const { record } = onBranch(call, 'read');
  return { status: 200, body: { roles: [...record.roles.values()].map(({ role }) => role) } };
}

export function getRole(call: Call): Answer {
  return { status: 200, body: { role: known(onBranch(call, 'read').record, call.params.role_name).role } };
}

export function createRole(call: Call): Answer {
  const { state } = call;
  const found = onBranch(call, 'change');
  const { record } = found;
  const fields = requiredPart(call.body, 'role');
  const name = requiredText(fields, 'name');
  if (Buffer.byteLength(name) > 63) throw unprocessable('a role name has 63 bytes at most');
  const noLogin = flag(fields, 'no_login') ?? false;
  if (record.roles.has(name)) throw new Problem(409, 'role already exists', { code: 'ROLE_ALREADY_EXISTS' });
  state.guard(found.project, [{ id: record.branch.id }]);
  const secret = { name, password: state.newPassword() };
  const made = roleRecord(record.branch.id, secret, stamp(state.now()));
  if (noLogin) made.role.authentication_method = 'no_login';
  record.roles.set(name, made);
  const operations = applyConfig(state, found, () => state.compute.createRole(record.branch.id, secret));
  return { status: 201, body: { role: { ...made.role, password: secret.password }, operations } };
}

export function deleteRole(call: Call): Answer {
  const { state, params } = call;
  const found = onBranch(call, 'change');
  const { record } = found;
  const name = params.role_name ?? '';
  const role = record.roles.get(name)?.role;
  if (!role) return { status: 204 };
  if ([...record.databases.values()].some((database) => database.owner_name === name)) {
    throw unprocessable('the role owns databases and cannot be deleted');
  }
  state.guard(found.project, [{ id: record.branch.id }]);
  record.roles.delete(name);
  const operations = applyConfig(state, found, () => state.compute.dropRole(record.branch.id, name));
  return { status: 200, body: { role, operations } };
}

export function revealPassword(call: Call): Answer {
  return { status: 200, body: { password: known(onBranch(call, 'read').record, call.params.role_name).password } };
}

export function resetPassword(call: Call): Answer {
  const { state, params } = call;
  const found = onBranch(call, 'change');
  const { record } = found;
  const target = known(record, params.role_name);
  state.guard(found.project, [{ id: record.branch.id }]);
  target.password = state.newPassword();
  target.role.updated_at = stamp(state.now());
  const secret = { name: target.role.name, password: target.password };
  const operations = applyConfig(state, found, () => state.compute.setPassword(record.branch.id, secret));
  return { status: 200, body: { role: { ...target.role, password: target.password }, operations } };
}
