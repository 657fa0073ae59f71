import type { Branch, Endpoint } from '@neon/sdk/raw';
import { defaultBranch } from './branches/checks.ts';
import { contentOf, newBranchRecord } from './branches/record.ts';
import { newEndpointId } from './generate.ts';
import { connectionUri, readWriteEndpoint } from './objects/connection-uri.ts';
import { addEndpoint } from './objects/endpoint-record.ts';
import { type BranchRecord, endpointsOf, findBranchByName, type ProjectRecord, type State } from './state.ts';
import { timestamp } from './time.ts';

export interface AddedBranch {
  name: string;
  /** Name or ID; defaults to the default branch. */
  parent?: string;
  /** A note that means nothing by default; `{}` for none. */
  annotations?: Record<string, string>;
  /** Milliseconds since the epoch. */
  createdAt?: number;
  protected?: boolean;
  /** RFC 3339. If it is in the past, the next request deletes the branch. */
  expiresAt?: string;
  /** Whether to add a read-write endpoint; default true. */
  endpoint?: boolean;
  projectId?: string;
}

/** Lets tests read and change the service's objects without requests. */
export class DirectAccess {
  readonly #state: State;
  readonly #projectId: string;

  constructor(state: State, projectId: string) {
    this.#state = state;
    this.#projectId = projectId;
  }

  project(projectId = this.#projectId): ProjectRecord {
    return this.#state.project(projectId);
  }

  branches(projectId?: string): Branch[] {
    return [...this.project(projectId).branches.values()].map(({ branch }) => branch);
  }

  find(nameOrId: string, projectId?: string): BranchRecord | undefined {
    const project = this.project(projectId);
    return project.branches.get(nameOrId) ?? findBranchByName(project, nameOrId);
  }

  get(nameOrId: string, projectId?: string): BranchRecord {
    const record = this.find(nameOrId, projectId);
    if (!record) throw new Error(`no such branch: ${JSON.stringify(nameOrId)}`);
    return record;
  }

  endpoints(nameOrId?: string): Endpoint[] {
    const project = this.project();
    const records = nameOrId ? endpointsOf(project, this.get(nameOrId).branch.id) : [...project.endpoints.values()];
    return records.map(({ endpoint }) => endpoint);
  }

  uri(nameOrId: string, { role = 'neondb_owner', database = 'neondb', pooled = false } = {}): string {
    const record = this.get(nameOrId);
    const endpoint = readWriteEndpoint(this.project(), record.branch.id);
    const password = record.roles.get(role)?.password;
    if (!endpoint || password === undefined)
      throw new Error(`${nameOrId} has no read-write endpoint or no role ${role}`);
    return connectionUri(this.#state, { endpoint, database, role, password, pooled });
  }

  /** Turns Auth, and the Data API of every database, on or off for a branch. */
  enable(nameOrId: string, { auth, dataApi }: { auth?: boolean; dataApi?: boolean }): void {
    const record = this.get(nameOrId);
    if (auth !== undefined) record.auth = auth;
    if (dataApi !== undefined) {
      record.dataApi = new Map(dataApi ? [...record.databases.keys()].map((name) => [name, {}]) : []);
    }
  }

  async addBranch(spec: AddedBranch): Promise<Branch> {
    const state = this.#state;
    const project = this.project(spec.projectId);
    const parent = spec.parent === undefined ? defaultBranch(project) : this.get(spec.parent, spec.projectId);
    const record = newBranchRecord(state, project, {
      name: spec.name,
      parent,
      ready: true,
      protected: spec.protected ?? false,
      expiresAt: spec.expiresAt === undefined ? undefined : timestamp(Date.parse(spec.expiresAt)),
      annotations: spec.annotations ?? { note: 'added by hand' },
      ...(spec.createdAt !== undefined && { createdAt: spec.createdAt }),
      ...contentOf(parent),
    });
    // Visible at once, whatever the service's propagation window.
    record.propagation = { reads: 0, changes: 0, lists: 0 };
    const { branch } = record;
    branch.parent_lsn = await state.compute.fork(branch.id, parent.branch.id, {});
    project.branches.set(branch.id, record);
    if (spec.endpoint ?? true) {
      const id = newEndpointId();
      const address = await state.compute.openEndpoint(id, branch.id);
      const compute = { type: 'read_write' as const, minCu: undefined, maxCu: undefined, suspendTimeout: undefined };
      addEndpoint(state, project, { id, branchId: branch.id, compute, address, active: true });
      await state.compute.startEndpoint(id);
    }
    return branch;
  }

  async addBranches(specs: AddedBranch[]): Promise<Branch[]> {
    const branches: Branch[] = [];
    for (const spec of specs) branches.push(await this.addBranch(spec));
    return branches;
  }

  async removeBranch(nameOrId: string): Promise<void> {
    const project = this.project();
    const { branch } = this.get(nameOrId);
    for (const { endpoint } of endpointsOf(project, branch.id)) {
      await this.#state.compute.closeEndpoint(endpoint.id);
      project.endpoints.delete(endpoint.id);
    }
    project.branches.delete(branch.id);
    await this.#state.compute.remove(branch.id);
  }
}
