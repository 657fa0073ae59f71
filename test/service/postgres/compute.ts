import type { MaskingRule } from '@neon/sdk/raw';
import type { Address, Compute, DatabaseOwner, Inventory, Point, RoleSecret } from '../compute.ts';
import { type Problem, unprocessable } from '../http/errors.ts';
import { Cluster } from './cluster.ts';
import { copyCluster, copyData, copyLog } from './copy.ts';
import { inheritHistory, recoverTo } from './history.ts';
import { mask } from './masking.ts';
import { Door } from './proxy.ts';
import { dumpSchema } from './schema-dump.ts';
import * as sql from './statements.ts';
import { Workspace } from './workspace.ts';

const HOST = '127.0.0.1';

interface OpenEndpoint {
  door: Door;
  branchId: string;
  /** `new` lets nobody in yet; `idle` is woken by whoever comes. */
  state: 'new' | 'active' | 'idle';
}

const inThePast = ({ lsn, timestamp }: Point): boolean => lsn !== undefined || timestamp !== undefined;

export async function startPostgres(): Promise<PostgresCompute> {
  return new PostgresCompute(await Workspace.create());
}

/** Every branch is a Postgres server of its own; every endpoint is a port that leads to its branch's server. */
export class PostgresCompute implements Compute {
  readonly pgVersion = 18;
  readonly proxyHost = HOST;
  readonly certificate: string;
  readonly workspace: Workspace;
  onWake: (endpointId: string) => void = () => {};
  readonly #clusters = new Map<string, Cluster>();
  readonly #endpoints = new Map<string, OpenEndpoint>();

  constructor(workspace: Workspace) {
    this.workspace = workspace;
    this.certificate = workspace.certificate;
  }

  async createRoot(branchId: string, content: { roles: RoleSecret[]; databases: DatabaseOwner[] }): Promise<void> {
    const cluster = new Cluster(this.workspace);
    this.#clusters.set(branchId, cluster);
    await copyData(this.workspace, this.workspace.template, cluster.data);
    await copyLog(this.workspace, `${this.workspace.template}/pg_wal`, `${cluster.data}/pg_wal`, '');
    await cluster.exclusively(() => cluster.start());
    await cluster.session('postgres', async (client) => {
      await client.query(sql.groupCreation);
      for (const role of content.roles) await client.query(sql.roleCreation(role));
      for (const database of content.databases) await client.query(sql.databaseCreation(database));
      const { rows } = await client.query<{ lsn: string }>('SELECT pg_current_wal_lsn() AS lsn');
      cluster.since = { time: Date.now(), lsn: rows[0]?.lsn ?? '0/0' };
    });
  }

  async fork(branchId: string, parentId: string, point: Point): Promise<string> {
    const cluster = new Cluster(this.workspace);
    const lsn = await this.#fill(cluster, parentId, point);
    this.#clusters.set(branchId, cluster);
    return lsn;
  }

  async checkPoint(branchId: string, { lsn, timestamp }: Point): Promise<void> {
    const cluster = this.#cluster(branchId);
    const outside = (what: string): Problem => unprocessable(`${what} is outside of the branch's history`);
    if (timestamp !== undefined && Date.parse(timestamp) < cluster.since.time) throw outside(`time ${timestamp}`);
    if (lsn !== undefined) {
      const [row] = await this.query(branchId, 'postgres', sql.withinHistory(lsn, cluster.since.lsn));
      if (row?.inside !== true) throw outside(`LSN ${lsn}`);
    }
  }

  async restore(
    branchId: string,
    { id, point, keepAs }: { id: string; point: Point; keepAs?: string | undefined },
  ): Promise<string> {
    const before = this.#cluster(branchId);
    const endpoints = [...this.#endpoints.values()].filter((endpoint) => endpoint.branchId === branchId);
    for (const endpoint of endpoints) {
      endpoint.state = 'new';
      endpoint.door.clear();
    }
    const cluster = new Cluster(this.workspace);
    let lsn: string;
    try {
      lsn = await this.#fill(cluster, id, point);
    } catch (error) {
      for (const endpoint of endpoints) endpoint.state = 'idle';
      throw error;
    }
    this.#clusters.set(branchId, cluster);
    if (keepAs === undefined) await before.remove();
    else {
      this.#clusters.set(keepAs, before);
      await this.#rest(keepAs);
    }
    return lsn;
  }

  async empty(branchId: string): Promise<void> {
    for (const { name } of (await this.inventory(branchId)).databases) await this.query(branchId, name, sql.emptying);
  }

  async halt(branchId: string): Promise<void> {
    const cluster = this.#cluster(branchId);
    await cluster.exclusively(() => cluster.stop());
  }

  async remove(branchId: string): Promise<void> {
    const cluster = this.#clusters.get(branchId);
    this.#clusters.delete(branchId);
    await cluster?.remove();
  }

  async openEndpoint(endpointId: string, branchId: string): Promise<Address> {
    const door = await Door.open(() => this.#enter(endpointId));
    this.#endpoints.set(endpointId, { door, branchId, state: 'new' });
    return { host: HOST, poolerHost: HOST, port: door.port };
  }

  async startEndpoint(endpointId: string): Promise<void> {
    const endpoint = this.#endpoint(endpointId);
    const cluster = this.#cluster(endpoint.branchId);
    await cluster.exclusively(() => cluster.start());
    endpoint.state = 'active';
  }

  async suspendEndpoint(endpointId: string): Promise<void> {
    const endpoint = this.#endpoints.get(endpointId);
    if (!endpoint) return;
    endpoint.state = 'idle';
    endpoint.door.clear();
    await this.#rest(endpoint.branchId);
  }

  async lockEndpoint(endpointId: string): Promise<void> {
    const endpoint = this.#endpoint(endpointId);
    endpoint.state = 'new';
    endpoint.door.clear();
    await this.#rest(endpoint.branchId);
  }

  async closeEndpoint(endpointId: string): Promise<void> {
    const endpoint = this.#endpoints.get(endpointId);
    if (!endpoint) return;
    this.#endpoints.delete(endpointId);
    await endpoint.door.close();
    await this.#rest(endpoint.branchId);
  }

  createRole(branchId: string, role: RoleSecret): Promise<void> {
    return this.#administer(branchId, 'postgres', [sql.roleCreation(role)]);
  }

  setPassword(branchId: string, role: RoleSecret): Promise<void> {
    return this.#administer(branchId, 'postgres', [sql.passwordChange(role)]);
  }

  async dropRole(branchId: string, name: string): Promise<void> {
    for (const database of (await this.inventory(branchId)).databases) {
      await this.#administer(branchId, database.name, sql.roleEviction(name));
    }
    await this.#administer(branchId, 'postgres', [sql.roleRemoval(name)]);
  }

  createDatabase(branchId: string, database: DatabaseOwner): Promise<void> {
    return this.#administer(branchId, 'postgres', [sql.databaseCreation(database)]);
  }

  changeDatabase(branchId: string, before: string, to: DatabaseOwner): Promise<void> {
    return this.#administer(branchId, 'postgres', sql.databaseChange(before, to));
  }

  dropDatabase(branchId: string, name: string): Promise<void> {
    return this.#administer(branchId, 'postgres', [sql.databaseRemoval(name)]);
  }

  inventory(branchId: string): Promise<Inventory> {
    return this.#visit(branchId, (cluster) =>
      cluster.session('postgres', async (client) => {
        const roles = await client.query<{ name: string }>(sql.listRoles);
        const databases = await client.query<DatabaseOwner>(sql.listDatabases);
        return { roles: roles.rows.map(({ name }) => name), databases: databases.rows };
      }),
    );
  }

  query(branchId: string, database: string, text: string, role?: string): Promise<Record<string, unknown>[]> {
    return this.#visit(branchId, (cluster) => cluster.query(database, text, role));
  }

  mask(branchId: string, rules: MaskingRule[]): Promise<number> {
    return this.#visit(branchId, (cluster) => mask(cluster, rules));
  }

  async schema(branchId: string, database: string, point: Point): Promise<string> {
    if (!inThePast(point)) return this.#visit(branchId, (cluster) => cluster.session(database, dumpSchema));
    const past = new Cluster(this.workspace);
    try {
      await this.#fill(past, branchId, point);
      return await past.session(database, dumpSchema);
    } finally {
      await past.remove();
    }
  }

  async stop(): Promise<void> {
    for (const { door } of this.#endpoints.values()) await door.close();
    await this.workspace.close();
  }

  /** The way in: waits for a server that is suspended, and turns away from one that has never been started. */
  async #enter(endpointId: string): Promise<number> {
    const endpoint = this.#endpoint(endpointId);
    if (endpoint.state === 'new') throw new Error('the compute is not there yet');
    const cluster = this.#cluster(endpoint.branchId);
    const port = await cluster.exclusively(() => cluster.start());
    if (endpoint.state === 'idle') {
      endpoint.state = 'active';
      this.onWake(endpointId);
    }
    return port;
  }

  /** Fills a new cluster with another's state, as it is or as it was. */
  async #fill(cluster: Cluster, sourceId: string, point: Point): Promise<string> {
    try {
      return await this.#visit(sourceId, async (source) => {
        cluster.since = source.since;
        const lsn = inThePast(point) ? await recoverTo(source, cluster, point) : await copyCluster(source, cluster);
        inheritHistory(source, cluster);
        return lsn;
      });
    } catch (error) {
      await cluster.remove();
      throw error;
    }
  }

  /** Does something with a branch's cluster; a server that was started only for that is stopped afterwards. */
  async #visit<T>(branchId: string, use: (cluster: Cluster) => Promise<T>): Promise<T> {
    try {
      return await use(this.#cluster(branchId));
    } finally {
      await this.#rest(branchId);
    }
  }

  /** Stops a server that no endpoint leads to. */
  async #rest(branchId: string): Promise<void> {
    const cluster = this.#clusters.get(branchId);
    if (!cluster) return;
    await cluster.exclusively(async () => {
      const needed = [...this.#endpoints.values()].some((one) => one.branchId === branchId && one.state === 'active');
      if (!needed && !cluster.busy) await cluster.stop();
    });
  }

  #administer(branchId: string, database: string, statements: string[]): Promise<void> {
    return this.#visit(branchId, (cluster) =>
      cluster.session(database, async (client) => {
        for (const statement of statements) await client.query(statement);
      }),
    );
  }

  #cluster(branchId: string): Cluster {
    const cluster = this.#clusters.get(branchId);
    if (!cluster) throw new Error(`branch ${branchId} has no data`);
    return cluster;
  }

  #endpoint(endpointId: string): OpenEndpoint {
    const endpoint = this.#endpoints.get(endpointId);
    if (!endpoint) throw new Error(`endpoint ${endpointId} is not open`);
    return endpoint;
  }
}
