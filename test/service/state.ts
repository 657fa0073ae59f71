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
} from '@neon/sdk/raw';
import type { Address, Compute } from './compute.ts';
import type { FaultScript } from './faults.ts';
import { newPassword } from './generate.ts';
import type { Fields } from './http/body.ts';
import { locked, notFound, unprocessable } from './http/errors.ts';
import type { Lock, Operations, Step } from './operations.ts';
import type { Settings } from './options.ts';

export interface RoleRecord {
  role: Role;
  password: string;
}

/** What became of a branch that is made with its data masked. */
export interface Anonymization {
  rules: MaskingRule[];
  status: AnonymizedBranchStatusResponse;
}

export interface BranchRecord {
  branch: Branch;
  annotation: AnnotationData | undefined;
  roles: Map<string, RoleRecord>;
  databases: Map<string, Database>;
  /** A DELETE has been answered; its operations are under way. */
  leaving: boolean;
  /** How many reads, changes and lists still meet a branch that is not there yet. */
  unsettled: { reads: number; changes: number; lists: number };
  auth: boolean;
  dataApi: boolean;
  anonymization: Anonymization | undefined;
}

/** A branch that has been deleted and can still be recovered. */
export interface DeletedBranch {
  record: BranchRecord;
  endpoints: EndpointRecord[];
}

export interface EndpointRecord {
  endpoint: Endpoint;
  address: Address;
}

export interface ProjectRecord {
  project: Project;
  branches: Map<string, BranchRecord>;
  endpoints: Map<string, EndpointRecord>;
  /** Oldest first. */
  deleted: Map<string, DeletedBranch>;
  operations: Operations;
  nextDatabaseId: number;
}

export interface KeyRecord {
  id: number;
  name: string;
  key: string;
  createdAt: string;
  lastUsedAt: string | undefined;
}

/** Everything that the service knows. It lives in memory and ends with the process. */
export class State {
  readonly settings: Settings;
  readonly compute: Compute;
  readonly faults: FaultScript;
  readonly projects = new Map<string, ProjectRecord>();
  readonly keys = new Map<string, KeyRecord>();
  keysMade = 0;
  /** Objects of the kinds that go by the plain convention, by kind and ID. */
  readonly conventional = new Map<string, Map<string, Fields>>();
  /** Every password, key and connection URI that was ever made. */
  readonly secrets = new Set<string>();
  /** What goes on beside requests and operations. */
  readonly #background = new Set<Promise<void>>();

  constructor(settings: Settings, compute: Compute, faults: FaultScript) {
    this.settings = settings;
    this.compute = compute;
    this.faults = faults;
  }

  now(): number {
    return this.settings.now();
  }

  /** Starts work that no operation stands for. */
  inBackground(work: () => Promise<void>): void {
    const task = work().finally(() => this.#background.delete(task));
    this.#background.add(task);
  }

  /** Resolves when nothing is under way that could still end. */
  async idle(): Promise<void> {
    for (;;) {
      for (const project of this.projects.values()) await project.operations.idle();
      if (this.#background.size === 0) return;
      await Promise.all(this.#background);
    }
  }

  newPassword(): string {
    const { password } = this.settings;
    const made = typeof password === 'function' ? password() : (password ?? newPassword());
    this.secrets.add(made);
    return made;
  }

  project(id: string | undefined): ProjectRecord {
    const record = this.projects.get(id ?? '');
    if (!record) throw notFound('project');
    return record;
  }

  /** The branch of a read, or of a change, as far as it has settled. */
  branch(project: ProjectRecord, id: string | undefined, use: 'read' | 'change' = 'read'): BranchRecord {
    const record = project.branches.get(id ?? '');
    if (!record) throw notFound('branch');
    if (use === 'read' && record.unsettled.reads > 0) {
      record.unsettled.reads--;
      throw notFound('branch');
    }
    if (use === 'change' && record.unsettled.changes > 0) {
      record.unsettled.changes--;
      throw unprocessable('branch is not ready yet');
    }
    return record;
  }

  /** Refuses a change that cannot stand beside what is under way. */
  guard(project: ProjectRecord, locks: Lock[]): void {
    const { conflicts, lockProject } = this.settings;
    if (conflicts === 'queue') return;
    if (lockProject ? project.operations.busy() : project.operations.busy(locks)) {
      throw locked(lockProject ? 'project' : 'branch');
    }
  }

  /** `broken` runs when one of the steps ends badly, so that the ones after it never start. */
  run(project: ProjectRecord, steps: Step[], locks: Lock[], broken?: () => void): Operation[] {
    return project.operations.start(steps, locks, broken);
  }
}

export const endpointsOf = (project: ProjectRecord, branchId: string): EndpointRecord[] =>
  [...project.endpoints.values()].filter((record) => record.endpoint.branch_id === branchId);

export const childrenOf = (project: ProjectRecord, branchId: string): BranchRecord[] =>
  [...project.branches.values()].filter((record) => record.branch.parent_id === branchId);

export const branchNamed = (project: ProjectRecord, name: string): BranchRecord | undefined => {
  for (const record of project.branches.values()) if (record.branch.name === name) return record;
  return undefined;
};
