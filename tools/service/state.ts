import type {
  AnnotationData,
  AnonymizedBranchStatusResponse,
  Branch,
  Database,
  Endpoint,
  MaskingRule,
  Operation,
  Project,
  Role,
  Snapshot,
} from '@neon/sdk/raw';
import type { Address, Compute, DatabaseOwner, RoleSecret } from './compute.ts';
import type { FaultScript } from './faults.ts';
import { newPassword } from './generate.ts';
import type { JsonObject } from './http/body.ts';
import { locked, notFound, unprocessable } from './http/errors.ts';
import type { Lock, Operations, Step } from './operations.ts';
import type { Settings } from './options.ts';

export interface RoleRecord {
  role: Role;
  password: string;
}

/** The masking rules and status of an anonymized branch. */
export interface Anonymization {
  rules: MaskingRule[];
  status: AnonymizedBranchStatusResponse;
}

export interface BranchRecord {
  branch: Branch;
  annotation: AnnotationData | undefined;
  roles: Map<string, RoleRecord>;
  databases: Map<string, Database>;
  /** A DELETE was accepted and its operations have not finished. */
  deleting: boolean;
  /** The propagation window: how many more reads, changes and lists don't find the branch yet. */
  propagation: { reads: number; changes: number; lists: number };
  auth: boolean;
  /** The settings of the Data API, by database. */
  dataApi: Map<string, JsonObject>;
  anonymization: Anonymization | undefined;
}

export interface EndpointRecord {
  endpoint: Endpoint;
  address: Address;
}

export interface ProjectRecord {
  project: Project;
  branches: Map<string, BranchRecord>;
  endpoints: Map<string, EndpointRecord>;
  snapshots: Map<string, SnapshotRecord>;
  operations: Operations;
  nextDatabaseId: number;
}

/** A snapshot of a branch. Its data are those of a branch with its ID. */
export interface SnapshotRecord {
  snapshot: Snapshot;
  roles: RoleSecret[];
  databases: DatabaseOwner[];
}

export interface KeyRecord {
  id: number;
  /** Its organization; undefined for a key of the user. */
  organization: string | undefined;
  /** The only project that the key gives access to. */
  project: string | undefined;
  name: string;
  key: string;
  createdAt: string;
  lastUsedAt: string | undefined;
}

/** All objects of the service, in memory. */
export class State {
  readonly settings: Settings;
  readonly compute: Compute;
  readonly faults: FaultScript;
  readonly projects = new Map<string, ProjectRecord>();
  readonly keys = new Map<string, KeyRecord>();
  keyCount = 0;
  /** Objects of the conventional kinds, by kind and ID. */
  readonly conventional = new Map<string, Map<string, JsonObject>>();
  /** Every password, API key and connection URI issued so far. */
  readonly secrets = new Set<string>();
  readonly #background = new Set<Promise<void>>();

  constructor(settings: Settings, compute: Compute, faults: FaultScript) {
    this.settings = settings;
    this.compute = compute;
    this.faults = faults;
  }

  now(): number {
    return this.settings.now();
  }

  /** Starts work that is not an operation. `idle` waits for it. */
  inBackground(work: () => Promise<void>): void {
    const task = work().finally(() => this.#background.delete(task));
    this.#background.add(task);
  }

  /** Resolves when all operations and background tasks that can finish have finished. */
  async idle(): Promise<void> {
    for (;;) {
      for (const project of this.projects.values()) await project.operations.idle();
      if (this.#background.size === 0) return;
      await Promise.all(this.#background);
    }
  }

  newPassword(): string {
    const { password } = this.settings;
    const issued = typeof password === 'function' ? password() : (password ?? newPassword());
    this.secrets.add(issued);
    return issued;
  }

  project(id: string | undefined): ProjectRecord {
    const record = this.projects.get(id ?? '');
    if (!record) throw notFound('project');
    return record;
  }

  /** The branch for a read or a change. Throws within its propagation window. */
  branch(project: ProjectRecord, id: string | undefined, use: 'read' | 'change' = 'read'): BranchRecord {
    const record = project.branches.get(id ?? '');
    if (!record) throw notFound('branch');
    if (use === 'read' && record.propagation.reads > 0) {
      record.propagation.reads--;
      throw notFound('branch');
    }
    if (use === 'change' && record.propagation.changes > 0) {
      record.propagation.changes--;
      throw unprocessable('branch is not ready yet');
    }
    return record;
  }

  /** Throws a 423 if a change conflicts with unfinished operations, unless such changes are queued. */
  assertUnlocked(project: ProjectRecord, locks: Lock[]): void {
    const { conflicts, lockProject } = this.settings;
    if (conflicts === 'queue') return;
    if (lockProject ? project.operations.busy() : project.operations.busy(locks)) {
      throw locked(lockProject ? 'project' : 'branch');
    }
  }

  /** See `Operations.start`. */
  startOperations(project: ProjectRecord, steps: Step[], locks: Lock[], onFailure?: () => void): Operation[] {
    return project.operations.start(steps, locks, onFailure);
  }
}

export const endpointsOf = (project: ProjectRecord, branchId: string): EndpointRecord[] =>
  [...project.endpoints.values()].filter((record) => record.endpoint.branch_id === branchId);

export const childrenOf = (project: ProjectRecord, branchId: string): BranchRecord[] =>
  [...project.branches.values()].filter((record) => record.branch.parent_id === branchId);

export const findBranchByName = (project: ProjectRecord, name: string): BranchRecord | undefined => {
  for (const record of project.branches.values()) if (record.branch.name === name) return record;
  return undefined;
};
