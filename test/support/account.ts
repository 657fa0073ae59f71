import type { Reply, Sent } from './mock-api.ts';

/** Objects as the service returns them. */
export type Raw = Record<string, unknown>;
export type RawBranch = Raw & { id: string; name: string };
export type RawEndpoint = Raw & { id: string; branch_id: string };
export type RawOperation = Raw & { id: string; action: string; status: string };

/** The response to a request; a function may return undefined for the account's own. */
type Replacement = Reply | ((request: Sent, id: string) => Reply | undefined);

export const projectId = 'shiny-wind-028834';
export const secret = 'npg_Secret99';

/**
 * A project in memory: the root branch `main`, and whatever a test adds. Responds to requests as the service does; operations are
 * finished when they are first read, unless a test says otherwise. `on` replaces responses.
 */
export class Account {
  readonly branches: RawBranch[] = [];
  readonly endpoints: RawEndpoint[] = [];
  /** Oldest first. */
  readonly operations: RawOperation[] = [];
  /** Metadata by branch ID. */
  readonly metadata: Record<string, Record<string, string>> = {};
  databases = ['neondb'];
  roles = ['neondb_owner'];
  /** Replaced by the clock of the step that uses the account. */
  now = () => Date.parse('2026-03-04T05:06:07Z');
  readonly #on: { route: string; replacements: Replacement[] }[] = [];
  #count = 0;

  constructor() {
    this.add({ id: 'br-main', name: 'main', default: true, parent_id: undefined });
  }

  /** Adds a branch that is ready, a year old, and a child of `main`, with an endpoint unless `endpoint` is false. */
  add(
    fields: Raw & { name: string },
    options: { endpoint?: Raw | false; metadata?: Record<string, string> } = {},
  ): RawBranch {
    const branch: RawBranch = {
      id: fields.id === undefined ? `br-${++this.#count}` : String(fields.id),
      project_id: projectId,
      parent_id: 'br-main',
      current_state: 'ready',
      default: false,
      protected: false,
      created_at: '2025-03-04T05:06:07Z',
      ...fields,
    };
    this.branches.push(branch);
    if (options.metadata) this.metadata[branch.id] = options.metadata;
    if (options.endpoint !== false) this.addEndpoint(branch.id, options.endpoint);
    return branch;
  }

  addEndpoint(branchId: string, fields: Raw = {}): RawEndpoint {
    const id = `ep-${branchId.slice(3)}`;
    const endpoint = {
      ...{ id, branch_id: branchId, project_id: projectId, type: 'read_write', current_state: 'idle' },
      ...{ host: `${id}.eu.db.test`, autoscaling_limit_min_cu: 0.25, autoscaling_limit_max_cu: 2 },
      ...{ suspend_timeout_seconds: 0, ...fields },
    };
    this.endpoints.push(endpoint);
    return endpoint;
  }

  /** Starts an operation, which is running when it is read first. */
  start(action: string, branchId: string, fields: Raw = {}): RawOperation {
    const operation = {
      ...{ id: `op-${++this.#count}`, project_id: projectId, branch_id: branchId, action, status: 'running' },
      ...{ failures_count: 0, total_duration_ms: 0, created_at: this.#time(), ...fields },
    };
    this.operations.push(operation);
    return { ...operation };
  }

  branch(nameOrId: string): RawBranch | undefined {
    return this.branches.find(({ id, name }) => id === nameOrId || name === nameOrId);
  }

  remove(nameOrId: string): void {
    const index = this.branches.findIndex(({ id, name }) => id === nameOrId || name === nameOrId);
    if (index >= 0) this.branches.splice(index, 1);
  }

  /**
   * Replaces the next responses to a route such as `GET /branches/*`, one each; the last one stays if it is a function. A function may
   * return undefined for the account's own response, or change the account first.
   */
  on(route: string, ...replacements: Replacement[]): this {
    this.#on.push({ route, replacements });
    return this;
  }

  /** The route of a request below its project, with `*` for IDs. */
  static route({ method, path }: Pick<Sent, 'method' | 'path'>): string {
    const below = path.replace(/\?.*$/, '').replace(/^\/api\/v2(\/projects\/[^/]+)?/, '');
    return `${method} ${below.replace(/^\/(branches|endpoints|operations)\/[^/]+/, '/$1/*').replace(/^(.*data-api)\/.*/, '$1/*') || '/'}`;
  }

  /** Responds to a request, and carries it out. */
  readonly respond = (request: Sent): Reply => {
    const route = Account.route(request);
    const id = /\/(?:branches|endpoints|operations)\/([^/?]+)/.exec(request.path)?.[1] ?? '';
    const reply = this.#replaced(route, request, id) ?? this.#own(route, request, id);
    return { ...reply, headers: { date: new Date(this.now()).toUTCString(), ...reply.headers } };
  };

  /** The account's own response. */
  carryOut(request: Sent): Reply {
    const id = /\/(?:branches|endpoints|operations)\/([^/?]+)/.exec(request.path)?.[1] ?? '';
    return this.#own(Account.route(request), request, id);
  }

  #replaced(route: string, request: Sent, id: string): Reply | undefined {
    for (const entry of this.#on) {
      if (entry.route !== route || entry.replacements.length === 0) continue;
      const [first] = entry.replacements as [Replacement];
      if (typeof first !== 'function' || entry.replacements.length > 1) entry.replacements.shift();
      return typeof first === 'function' ? first(request, id) : first;
    }
    return undefined;
  }

  #own(route: string, request: Sent, id: string): Reply {
    const query = new URL(request.path, request.origin).searchParams;
    const sent = (request.body ?? {}) as Record<string, Raw | undefined>;
    const branch = this.branch(id);
    if (route.includes('/branches/*') && !branch) return notFound;
    switch (route) {
      case 'GET /':
        return ok({ project: { id: projectId, name: 'shop' } });
      case 'GET /branches':
        return ok(this.#list(query.get('search') ?? ''));
      case 'POST /branches':
        return this.#create(sent);
      case 'POST /branch_anonymized':
        return this.#create({
          ...(sent.branch_create as Record<string, Raw>),
          annotation_value: sent.annotation_value,
        });
      case 'GET /branches/*':
        return ok({ branch, annotation: this.#annotation(id) });
      case 'PATCH /branches/*':
        Object.assign(branch as Raw, sent.branch);
        return ok({ branch, operations: [] });
      case 'DELETE /branches/*':
        this.remove(id);
        return ok({ branch, operations: [this.start('delete_timeline', id)] });
      case 'POST /branches/*/restore':
        Object.assign(branch as Raw, { last_reset_at: this.#time() });
        return ok({ branch, operations: [this.start('create_timeline', id)] });
      case 'GET /branches/*/endpoints':
        return ok({ endpoints: this.endpoints.filter((one) => one.branch_id === id) });
      case 'GET /endpoints':
        return ok({ endpoints: this.endpoints });
      case 'POST /endpoints': {
        const endpoint = this.addEndpoint(String(sent.endpoint?.branch_id), sent.endpoint);
        return ok({ endpoint, operations: [this.start('start_compute', endpoint.branch_id)] }, 201);
      }
      case 'PATCH /endpoints/*': {
        const endpoint = this.endpoints.find((one) => one.id === id) as RawEndpoint;
        Object.assign(endpoint, sent.endpoint);
        return ok({ endpoint, operations: [this.start('apply_config', endpoint.branch_id)] });
      }
      case 'GET /branches/*/databases':
        return ok({ databases: this.databases.map((name) => ({ name, branch_id: id })) });
      case 'GET /branches/*/roles':
        return ok({ roles: this.roles.map((name) => ({ name, branch_id: id })) });
      case 'GET /connection_uri':
        return this.#uri(query);
      case 'GET /operations':
        return ok({ operations: this.operations.map((one) => this.#read(one)).reverse() });
      case 'GET /operations/*': {
        const operation = this.operations.find((one) => one.id === id);
        return operation ? ok({ operation: this.#read(operation) }) : notFound;
      }
      default:
        return notFound;
    }
  }

  /** An operation as it is now; if it is running, it has finished when it is read next. */
  #read(operation: RawOperation): RawOperation {
    const copy = { ...operation };
    if (operation.status === 'running') operation.status = 'finished';
    return copy;
  }

  #list(search: string) {
    const branches = this.branches.filter(({ id, name }) => id.includes(search) || name.includes(search));
    const annotations = Object.fromEntries(branches.map(({ id }) => [id, this.#annotation(id)]));
    return { branches, annotations, pagination: {} };
  }

  #annotation(id: string) {
    return { object: { type: 'console/branch', id }, value: this.metadata[id] ?? { note: 'made by hand' } };
  }

  #create(sent: Record<string, Raw | undefined>): Reply {
    const fields = sent.branch as Raw & { name: string };
    if (this.branch(fields.name)) return { status: 409, body: { code: 'BRANCH_ALREADY_EXISTS', message: 'exists' } };
    const metadata = sent.annotation_value as Record<string, string>;
    const [endpoint] = (sent.endpoints ?? []) as unknown as Raw[];
    const branch = this.add(
      { parent_id: 'br-main', ...fields, created_at: this.#time() },
      { endpoint: endpoint ?? false, metadata },
    );
    const endpoints = this.endpoints.filter((one) => one.branch_id === branch.id);
    const body = {
      ...{ branch, endpoints, annotation: this.#annotation(branch.id) },
      roles: this.roles.map((name) => ({ name })),
      databases: this.databases.map((name) => ({ name })),
      operations: [this.start('create_branch', branch.id), this.start('start_compute', branch.id)],
      connection_uris: endpoints.map(({ id }) => this.#details(id)),
    };
    return ok(body, 201);
  }

  #details(endpoint: string) {
    const [database = '', role = ''] = [this.databases[0], this.roles[0]];
    return {
      connection_uri: uriOf({ endpoint, database, role }),
      connection_parameters: {
        ...{ database, role, password: secret },
        ...{ host: `${endpoint}.eu.db.test`, pooler_host: `${endpoint}-pooler.eu.db.test` },
      },
    };
  }

  #uri(query: URLSearchParams): Reply {
    const branchId = query.get('branch_id');
    const endpoint = query.get('endpoint_id') ?? this.endpoints.find((one) => one.branch_id === branchId)?.id;
    if (endpoint === undefined || !this.branch(branchId ?? '')) return notFound;
    const [database, role] = [query.get('database_name') ?? '', query.get('role_name') ?? ''];
    return ok({ uri: uriOf({ endpoint, database, role, pooled: query.get('pooled') === 'true' }) });
  }

  #time(): string {
    return new Date(this.now()).toISOString();
  }
}

const notFound: Reply = { status: 404, body: { code: '', message: 'not found' } };

const ok = (body: unknown, status = 200): Reply => ({ status, body });

function uriOf(of: { endpoint: string; database: string; role: string; pooled?: boolean }): string {
  const { endpoint, database, role, pooled = false } = of;
  return `postgresql://${role}:${secret}@${endpoint}${pooled ? '-pooler' : ''}.eu.db.test/${database}?sslmode=require`;
}
