import type { Branch, Database, Role } from '@neon/sdk/raw';
import type { DatabaseOwner, RoleSecret } from '../compute.ts';
import { newBranchId } from '../generate.ts';
import type { BranchRecord, ProjectRecord, RoleRecord, State } from '../state.ts';
import { timestamp } from '../time.ts';
import { expiryFields } from './expiry.ts';

export interface NewBranch {
  id?: string;
  name: string;
  parent?: BranchRecord | undefined;
  default?: boolean;
  protected?: boolean;
  ready?: boolean;
  createdAt?: number;
  expiresAt?: string | undefined;
  initSource?: string;
  annotations?: Record<string, string> | undefined;
  roles: RoleSecret[];
  databases: DatabaseOwner[];
}

/** A new branch with its roles and databases. The caller adds it to the project. */
export function newBranchRecord(state: State, project: ProjectRecord, spec: NewBranch): BranchRecord {
  const id = spec.id ?? newBranchId();
  const now = spec.createdAt ?? state.now();
  const at = timestamp(now);
  const branch: Branch = {
    id,
    project_id: project.project.id,
    ...(spec.parent && { parent_id: spec.parent.branch.id, parent_lsn: '0/1DE2850', parent_timestamp: at }),
    name: spec.name,
    current_state: spec.ready ? 'ready' : 'init',
    ...(!spec.ready && { pending_state: 'ready' }),
    state_changed_at: at,
    logical_size: 31_457_280,
    creation_source: 'console',
    primary: spec.default ?? false,
    default: spec.default ?? false,
    protected: spec.protected ?? false,
    cpu_used_sec: 0,
    compute_time_seconds: 0,
    active_time_seconds: 0,
    written_data_bytes: 0,
    data_transfer_bytes: 0,
    created_at: at,
    updated_at: at,
    ...expiryFields(spec.expiresAt, now),
    init_source: spec.initSource ?? 'parent-data',
    created_by: { name: 'Local Developer', image: '' },
  };
  return {
    branch,
    annotation: spec.annotations && {
      object: { type: 'console/branch', id },
      value: spec.annotations,
      created_at: at,
      updated_at: at,
    },
    roles: new Map(spec.roles.map((role) => [role.name, newRoleRecord(id, role, at)])),
    databases: new Map(spec.databases.map((database) => [database.name, newDatabaseRecord(project, id, database, at)])),
    deleting: false,
    propagation: { ...state.settings.propagation },
    auth: state.settings.auth ?? false,
    dataApi: new Map(state.settings.dataApi ? spec.databases.map(({ name }) => [name, {}]) : []),
    anonymization: undefined,
  };
}

export function newRoleRecord(branchId: string, { name, password }: RoleSecret, at: string): RoleRecord {
  const role: Role = {
    branch_id: branchId,
    name,
    protected: false,
    authentication_method: 'password',
    created_at: at,
    updated_at: at,
  };
  return { role, password };
}

export function newDatabaseRecord(
  project: ProjectRecord,
  branchId: string,
  { name, owner }: DatabaseOwner,
  at: string,
): Database {
  return {
    id: project.nextDatabaseId++,
    branch_id: branchId,
    name,
    owner_name: owner,
    created_at: at,
    updated_at: at,
  };
}

/** The roles, with their passwords, and databases that a child inherits. */
export const contentOf = (record: BranchRecord): { roles: RoleSecret[]; databases: DatabaseOwner[] } => ({
  roles: [...record.roles.values()].map(({ role, password }) => ({ name: role.name, password })),
  databases: [...record.databases.values()].map(({ name, owner_name }) => ({ name, owner: owner_name })),
});

export function setState(record: BranchRecord, current: string, at: string, pending?: string): void {
  record.branch.current_state = current;
  record.branch.state_changed_at = at;
  record.branch.updated_at = at;
  if (pending === undefined) delete record.branch.pending_state;
  else record.branch.pending_state = pending;
}
