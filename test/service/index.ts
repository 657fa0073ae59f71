import type { Branch, Endpoint, Operation } from '@neon/sdk/raw';
import type { Compute } from './compute.ts';
import { FaultScript } from './faults.ts';
import { RateLimit } from './http/rate-limit.ts';
import { type Listener, listen, type RecordedRequest } from './http/server.ts';
import { NoCompute } from './no-compute.ts';
import { addKey } from './objects/account.ts';
import { conventions } from './objects/conventions.ts';
import { settleEndpoint } from './objects/endpoint-record.ts';
import { mainOf, startProject } from './objects/projects.ts';
import { type ServiceOptions, settings } from './options.ts';
import { routes } from './routes.ts';
import { noteSecrets } from './secrets.ts';
import { type AddedBranch, Setup } from './setup.ts';
import { State } from './state.ts';

export type { Fault, FaultAction, FaultMatch, FaultScript, OperationFault } from './faults.ts';
export type { RecordedRequest } from './http/server.ts';
export type { ServiceOptions } from './options.ts';
export type { AddedBranch } from './setup.ts';

export interface Service {
  /** `http://127.0.0.1:<port>/api/v2` */
  baseUrl: string;
  /** `http://127.0.0.1:<port>` */
  origin: string;
  apiKey: string;
  projectId: string;
  main: { id: string; name: string; uri: string };
  /** Every request, in the order of arrival. */
  requests: RecordedRequest[];
  /** Every password, API key and connection URI that was ever made, as it is (not percent-encoded). */
  secrets: Set<string>;
  /** What did not agree with the service's published description. */
  violations: string[];
  faults: FaultScript;
  /** The live objects, as the API answers them; of the first project where none is named. */
  branches(projectId?: string): Branch[];
  branch(nameOrId: string, projectId?: string): Branch | undefined;
  endpoints(nameOrId?: string): Endpoint[];
  operations(projectId?: string): Operation[];
  annotations(nameOrId: string): Record<string, string>;
  /** A branch that is simply there, ready, without operations. */
  addBranch(spec: AddedBranch): Promise<Branch>;
  addBranches(specs: AddedBranch[]): Promise<Branch[]>;
  removeBranch(nameOrId: string): Promise<void>;
  /** Switches auth and data API on or off for one branch. */
  enable(nameOrId: string, addons: { auth?: boolean; dataApi?: boolean }): void;
  /** The connection URI of a branch: by default `neondb_owner`'s for `neondb`, direct. */
  uri(nameOrId: string, target?: { role?: string; database?: string; pooled?: boolean }): string;
  /** Runs SQL in a branch's Postgres and answers the last statement's rows; by default as `neondb_owner` in `neondb`. */
  query(
    nameOrId: string,
    sql: string,
    target?: { role?: string; database?: string },
  ): Promise<Record<string, unknown>[]>;
  /** What the schema of a branch is said to be, with compute `none`. */
  setSchema(nameOrId: string, sql: string): void;
  /** Closes every connection, and refuses new ones for so many milliseconds; resolves when it takes them again. */
  refuse(ms: number): Promise<void>;
  /** Resolves when no operation is under way that could still end. */
  idle(): Promise<void>;
  /** The certificate to trust, where the API or, with plain HTTP, the Postgres servers have one that was made here. */
  certificate: string | undefined;
  /** Ends everything: server, Postgres processes, files. */
  stop(): Promise<void>;
}

const BASE_PATH = '/api/v2';

/** Starts a service of its own: nothing is shared between two of them. */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const chosen = settings(options);
  const faults = new FaultScript();
  const compute: Compute =
    chosen.compute === 'none' ? new NoCompute() : await (await import('./postgres/compute.ts')).startPostgres();
  try {
    return await assemble(new State(chosen, compute, faults));
  } catch (error) {
    await compute.stop();
    throw error;
  }
}

async function assemble(state: State): Promise<Service> {
  const { settings: chosen, compute, faults } = state;
  const forgetSecrets = noteSecrets(state.secrets);
  for (const [index, key] of (chosen.apiKeys ?? []).entries()) addKey(state, `given ${index + 1}`, key);
  const apiKey = chosen.apiKeys?.[0] ?? addKey(state, 'local').key;

  compute.onWake = (id) => {
    for (const { endpoints } of state.projects.values()) {
      const woken = endpoints.get(id);
      if (woken) settleEndpoint(state, woken, 'active');
    }
  };
  const first = await startProject(state, {
    name: 'local',
    roles: ['neondb_owner', ...(chosen.roles ?? [])],
    databases: ['neondb', ...(chosen.databases ?? [])],
    protected: chosen.protected ?? false,
    ms: 0,
  });
  await first.project.operations.idle();
  const broken = first.operations.find(({ status }) => status === 'error');
  if (broken) throw new Error(`the first branch could not be made: ${broken.error}`);
  const main = mainOf(first.project).branch;
  const projectId = first.project.project.id;
  if (chosen.seed) await compute.query(main.id, 'neondb', chosen.seed, 'neondb_owner');

  const requests: RecordedRequest[] = [];
  const violations: string[] = [];
  const tls = chosen.tls === true ? (await import('./certificate.ts')).selfSigned() : chosen.tls || undefined;
  const convention = conventions(chosen.kinds);
  const listener: Listener = await listen({
    state,
    routes: [...routes, ...convention.routes],
    basePath: BASE_PATH,
    requests,
    rateLimit: chosen.rateLimit && new RateLimit(chosen.rateLimit),
    inspector: chosen.check
      ? new (await import('./openapi/check.ts')).OpenApiCheck(violations, convention.paths)
      : undefined,
    tls,
    port: chosen.port ?? 0,
  });
  const origin = `${tls ? 'https' : 'http'}://127.0.0.1:${listener.port}`;
  const setup = new Setup(state, projectId);
  let stopped: Promise<void> | undefined;
  return {
    baseUrl: `${origin}${BASE_PATH}`,
    origin,
    apiKey,
    projectId,
    main: { id: main.id, name: main.name, uri: setup.uri(main.id) },
    requests,
    secrets: state.secrets,
    violations,
    faults,
    branches: (project) => setup.branches(project),
    branch: (nameOrId, project) => setup.find(nameOrId, project)?.branch,
    endpoints: (nameOrId) => setup.endpoints(nameOrId),
    operations: (project) => state.project(project ?? projectId).operations.all(),
    annotations: (nameOrId) => setup.get(nameOrId).annotation?.value ?? {},
    addBranch: (spec) => setup.addBranch(spec),
    addBranches: (specs) => setup.addBranches(specs),
    removeBranch: (nameOrId) => setup.removeBranch(nameOrId),
    enable: (nameOrId, addons) => void Object.assign(setup.get(nameOrId), addons),
    uri: (nameOrId, target) => setup.uri(nameOrId, target),
    query: (nameOrId, sql, target) =>
      compute.query(setup.get(nameOrId).branch.id, target?.database ?? 'neondb', sql, target?.role ?? 'neondb_owner'),
    setSchema: (nameOrId, sql) => {
      if (!(compute instanceof NoCompute)) throw new Error("a schema can only be made up with compute: 'none'");
      compute.schemas.set(setup.get(nameOrId).branch.id, sql);
    },
    refuse: (ms) => listener.refuse(ms),
    idle: () => state.idle(),
    certificate: tls?.cert ?? compute.certificate,
    stop: () => {
      stopped ??= (async () => {
        forgetSecrets();
        for (const project of state.projects.values()) project.operations.stop();
        await listener.close();
        await compute.stop();
      })();
      return stopped;
    },
  };
}
