import type { Branch, Endpoint, Operation } from '@neon/sdk/raw';
import { defaultBranch } from './branches/checks.ts';
import type { Compute } from './compute.ts';
import { type AddedBranch, DirectAccess } from './direct-access.ts';
import { FaultScript } from './faults.ts';
import type { RecordedRequest } from './http/recorded-request.ts';
import { startServer } from './http/server.ts';
import { NoCompute } from './no-compute.ts';
import { addKey } from './objects/account.ts';
import { conventionalRoutes, undescribed } from './objects/conventions.ts';
import { setEndpointState } from './objects/endpoint-record.ts';
import { startProject } from './objects/new-project.ts';
import { resolveOptions, type ServiceOptions } from './options.ts';
import { routes } from './routes.ts';
import { registerSecrets } from './secrets.ts';
import { State } from './state.ts';

export type { AddedBranch } from './direct-access.ts';
export type { Fault, FaultAction, FaultMatch, FaultScript, OperationFault } from './faults.ts';
export type { RecordedRequest } from './http/recorded-request.ts';
export type { ServiceOptions } from './options.ts';

/** A running service. A project ID defaults to the first project. */
export interface Service {
  /** `http://127.0.0.1:<port>/api/v2` */
  baseUrl: string;
  /** `http://127.0.0.1:<port>` */
  origin: string;
  apiKey: string;
  projectId: string;
  main: { id: string; name: string; uri: string };
  /** Every request, in order of arrival. */
  requests: RecordedRequest[];
  /** Every password, API key and connection URI issued so far, not percent-encoded. */
  secrets: Set<string>;
  /** Requests and responses that violate the published API description. */
  violations: string[];
  faults: FaultScript;
  /** The live objects, as the API returns them. */
  branches(projectId?: string): Branch[];
  branch(nameOrId: string, projectId?: string): Branch | undefined;
  endpoints(nameOrId?: string): Endpoint[];
  operations(projectId?: string): Operation[];
  annotations(nameOrId: string): Record<string, string>;
  /** Adds a ready branch without a request and without operations. */
  addBranch(spec: AddedBranch): Promise<Branch>;
  addBranches(specs: AddedBranch[]): Promise<Branch[]>;
  removeBranch(nameOrId: string): Promise<void>;
  /** Turns Auth and the Data API on or off for one branch. */
  enable(nameOrId: string, addons: { auth?: boolean; dataApi?: boolean }): void;
  /** The connection URI of a branch; defaults to role `neondb_owner`, database `neondb`, not pooled. */
  uri(nameOrId: string, target?: { role?: string; database?: string; pooled?: boolean }): string;
  /** Runs SQL in a branch and returns the rows of the last statement; defaults as for `uri`. */
  query(
    nameOrId: string,
    sql: string,
    target?: { role?: string; database?: string },
  ): Promise<Record<string, unknown>[]>;
  /** Sets the schema that the API returns for a branch. Only with compute `none`. */
  setSchema(nameOrId: string, sql: string): void;
  /** Resolves when no operation is in progress that can still finish. */
  idle(): Promise<void>;
  /** Lets one operation go on whose duration or backoff is `Infinity`: the one that has waited longest or, if there is none, the next one. */
  release(projectId?: string): void;
  /** The certificate to trust: the API's or, if that uses plain HTTP, the one of the Postgres servers. */
  certificate: string | undefined;
  /** The path of the Postgres servers' certificate. */
  certificateFile: string | undefined;
  /** Stops the HTTP server and the Postgres processes and deletes their files. */
  stop(): Promise<void>;
}

const BASE_PATH = '/api/v2';

/** Starts a service that shares nothing with others in the same process. */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const settings = resolveOptions(options);
  const compute: Compute =
    settings.compute === 'none' ? new NoCompute() : await (await import('./postgres/compute.ts')).startPostgres();
  try {
    return await start(new State(settings, compute, new FaultScript()));
  } catch (error) {
    await compute.stop();
    throw error;
  }
}

async function start(state: State): Promise<Service> {
  const { settings, compute, faults } = state;
  const forgetSecrets = registerSecrets(state.secrets);
  for (const [index, key] of (settings.apiKeys ?? []).entries()) addKey(state, `given ${index + 1}`, { key });
  const apiKey = settings.apiKeys?.[0] ?? addKey(state, 'local').key;

  compute.onWake = (id) => {
    for (const { endpoints } of state.projects.values()) {
      const woken = endpoints.get(id);
      if (woken) setEndpointState(state, woken, 'active');
    }
  };
  const first = await startProject(state, {
    name: 'local',
    roles: ['neondb_owner', ...(settings.roles ?? [])],
    databases: ['neondb', ...(settings.databases ?? [])].map((one) =>
      typeof one === 'string' ? { name: one, owner: 'neondb_owner' } : one,
    ),
    protected: settings.protected ?? false,
    durationMs: 0,
  });
  await first.project.operations.idle();
  const failed = first.operations.find(({ status }) => status === 'error');
  if (failed) throw new Error(`could not create the first branch: ${failed.error}`);
  const main = defaultBranch(first.project).branch;
  const projectId = first.project.project.id;
  if (settings.seed) await compute.query(main.id, 'neondb', settings.seed, 'neondb_owner');

  const requests: RecordedRequest[] = [];
  const violations: string[] = [];
  const tls = settings.tls === true ? (await import('./certificate.ts')).selfSigned() : settings.tls || undefined;
  const server = await startServer({
    state,
    routes: [...routes, ...conventionalRoutes],
    basePath: BASE_PATH,
    requests,
    inspector: settings.check
      ? new (await import('./openapi/check.ts')).OpenApiCheck(violations, undescribed)
      : undefined,
    tls,
    port: settings.port ?? 0,
  });
  const origin = `${tls ? 'https' : 'http'}://127.0.0.1:${server.port}`;
  const direct = new DirectAccess(state, projectId);
  let stopped: Promise<void> | undefined;
  return {
    baseUrl: `${origin}${BASE_PATH}`,
    origin,
    apiKey,
    projectId,
    main: { id: main.id, name: main.name, uri: direct.uri(main.id) },
    requests,
    secrets: state.secrets,
    violations,
    faults,
    branches: (project) => direct.branches(project),
    branch: (nameOrId, project) => direct.find(nameOrId, project)?.branch,
    endpoints: (nameOrId) => direct.endpoints(nameOrId),
    operations: (project) => state.project(project ?? projectId).operations.all(),
    annotations: (nameOrId) => direct.get(nameOrId).annotation?.value ?? {},
    addBranch: (spec) => direct.addBranch(spec),
    addBranches: (specs) => direct.addBranches(specs),
    removeBranch: (nameOrId) => direct.removeBranch(nameOrId),
    enable: (nameOrId, addons) => direct.enable(nameOrId, addons),
    uri: (nameOrId, target) => direct.uri(nameOrId, target),
    query: (nameOrId, sql, target) =>
      compute.query(direct.get(nameOrId).branch.id, target?.database ?? 'neondb', sql, target?.role ?? 'neondb_owner'),
    setSchema: (nameOrId, sql) => {
      if (!(compute instanceof NoCompute)) throw new Error("setSchema() requires compute: 'none'");
      compute.schemas.set(direct.get(nameOrId).branch.id, sql);
    },
    idle: () => state.idle(),
    release: (project) => state.project(project ?? projectId).operations.release(),
    certificate: tls?.cert ?? compute.certificate,
    certificateFile: compute.certificateFile,
    stop: () => {
      stopped ??= (async () => {
        forgetSecrets();
        for (const project of state.projects.values()) project.operations.stop();
        await server.close();
        await compute.stop();
      })();
      return stopped;
    },
  };
}
