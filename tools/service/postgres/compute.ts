import type { MaskingRule } from '@neon/sdk/raw';
import { isHistorical } from '../branches/checks.ts';
import type { Address, Compute, DatabaseOwner, Inventory, Point, RoleSecret } from '../compute.ts';
import { type ApiError, unprocessable } from '../http/errors.ts';
import { BranchClusters } from './branch-clusters.ts';
import type { Cluster } from './cluster.ts';
import { dumpSchema } from './dump/index.ts';
import { Endpoints } from './endpoints.ts';
import { mask } from './masking.ts';
import * as sql from './statements.ts';
import { Workspace } from './workspace.ts';

export async function startPostgres(): Promise<PostgresCompute> {
  return new PostgresCompute(await Workspace.create());
}

/** Every branch has its own Postgres server. */
export class PostgresCompute implements Compute {
  readonly pgVersion = 18;
  readonly proxyHost = '127.0.0.1';
  readonly certificate: string;
  readonly certificateFile: string;
  onWake: (endpointId: string) => void = () => {};
  readonly #workspace: Workspace;
  readonly #clusters: BranchClusters;
  readonly #endpoints: Endpoints;
  /** Schemas at points in the past, by database and point. */
  readonly #pastSchemas = new WeakMap<Cluster, Map<string, Promise<string>>>();

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
    this.certificate = workspace.certificate;
    this.certificateFile = workspace.certificateFile;
    this.#clusters = new BranchClusters(workspace, (branchId) => this.#endpoints.isActive(branchId));
    this.#endpoints = new Endpoints({
      clusters: this.#clusters,
      onWake: (endpointId) => this.onWake(endpointId),
    });
  }

  async createRoot(branchId: string, content: { roles: RoleSecret[]; databases: DatabaseOwner[] }): Promise<void> {
    const cluster = this.#clusters.newCluster();
    this.#clusters.set(branchId, cluster);
    await this.#workspace.newCluster(cluster.data);
    await cluster.exclusively(() => cluster.start());
    await cluster.session('postgres', async (client) => {
      await client.query(sql.createGroup);
      for (const role of content.roles) await client.query(sql.createRole(role));
      for (const database of content.databases) await client.query(sql.createDatabase(database));
      const { rows } = await client.query<{ lsn: string }>('SELECT pg_current_wal_lsn() AS lsn');
      cluster.historyStart = { time: Date.now(), lsn: rows[0]?.lsn ?? '0/0' };
    });
  }

  async fork(branchId: string, parentId: string, point: Point): Promise<string> {
    const cluster = this.#clusters.newCluster();
    const lsn = await this.#clusters.copyState(cluster, parentId, point);
    this.#clusters.set(branchId, cluster);
    return lsn;
  }

  async assertInHistory(branchId: string, { lsn, timestamp }: Point): Promise<void> {
    const { historyStart } = this.#clusters.get(branchId);
    const outside = (what: string): ApiError => unprocessable(`${what} is outside of the branch's history`);
    if (timestamp !== undefined && Date.parse(timestamp) < historyStart.time) throw outside(`time ${timestamp}`);
    if (lsn !== undefined) {
      const [row] = await this.query(branchId, 'postgres', sql.isLsnInHistory(lsn, historyStart.lsn));
      if (row?.inside !== true) throw outside(`LSN ${lsn}`);
    }
  }

  async restore(
    branchId: string,
    { id, point, backupId }: { id: string; point: Point; backupId?: string | undefined },
  ): Promise<string> {
    const previous = this.#clusters.get(branchId);
    const release = this.#endpoints.holdBranch(branchId);
    const cluster = this.#clusters.newCluster();
    let lsn: string;
    try {
      lsn = await this.#clusters.copyState(cluster, id, point);
      this.#clusters.set(branchId, cluster);
    } finally {
      release();
    }
    if (backupId === undefined) await previous.remove();
    else {
      this.#clusters.set(backupId, previous);
      await this.#clusters.stopIfUnused(backupId);
    }
    return lsn;
  }

  async truncate(branchId: string): Promise<void> {
    for (const { name } of (await this.inventory(branchId)).databases)
      await this.query(branchId, name, sql.truncateAll);
  }

  remove(branchId: string): Promise<void> {
    return this.#clusters.remove(branchId);
  }

  openEndpoint(endpointId: string, branchId: string): Promise<Address> {
    return this.#endpoints.open(endpointId, branchId);
  }

  startEndpoint(endpointId: string): Promise<void> {
    return this.#endpoints.start(endpointId);
  }

  suspendEndpoint(endpointId: string): Promise<void> {
    return this.#endpoints.suspend(endpointId);
  }

  closeEndpoint(endpointId: string): Promise<void> {
    return this.#endpoints.close(endpointId);
  }

  moveEndpoint(endpointId: string, branchId: string): Promise<void> {
    return this.#endpoints.move(endpointId, branchId);
  }

  createRole(branchId: string, role: RoleSecret): Promise<void> {
    return this.#clusters.execute(branchId, 'postgres', [sql.createRole(role)]);
  }

  setPassword(branchId: string, role: RoleSecret): Promise<void> {
    return this.#clusters.execute(branchId, 'postgres', [sql.setPassword(role)]);
  }

  async dropRole(branchId: string, name: string): Promise<void> {
    for (const database of (await this.inventory(branchId)).databases) {
      await this.#clusters.execute(branchId, database.name, sql.releaseOwnership(name));
    }
    await this.#clusters.execute(branchId, 'postgres', [sql.dropRole(name)]);
  }

  createDatabase(branchId: string, database: DatabaseOwner): Promise<void> {
    return this.#clusters.execute(branchId, 'postgres', [sql.createDatabase(database)]);
  }

  updateDatabase(branchId: string, name: string, to: DatabaseOwner): Promise<void> {
    return this.#clusters.execute(branchId, 'postgres', sql.updateDatabase(name, to));
  }

  dropDatabase(branchId: string, name: string): Promise<void> {
    return this.#clusters.execute(branchId, 'postgres', [sql.dropDatabase(name)]);
  }

  inventory(branchId: string): Promise<Inventory> {
    return this.#clusters.use(branchId, (cluster) =>
      cluster.session('postgres', async (client) => {
        const roles = await client.query<{ name: string }>(sql.listRoles);
        const databases = await client.query<DatabaseOwner>(sql.listDatabases);
        return { roles: roles.rows.map(({ name }) => name), databases: databases.rows };
      }),
    );
  }

  query(branchId: string, database: string, text: string, role?: string): Promise<Record<string, unknown>[]> {
    return this.#clusters.use(branchId, (cluster) => cluster.query(database, text, role));
  }

  mask(branchId: string, rules: MaskingRule[]): Promise<number> {
    return this.#clusters.use(branchId, (cluster) => mask(cluster, rules));
  }

  async schema(branchId: string, database: string, point: Point): Promise<string> {
    if (!isHistorical(point)) {
      return this.#clusters.use(branchId, (cluster) => cluster.session(database, dumpSchema));
    }
    // What a cluster was never changes, and a recovery takes half a second.
    const cluster = this.#clusters.get(branchId);
    const known = this.#pastSchemas.get(cluster) ?? new Map<string, Promise<string>>();
    this.#pastSchemas.set(cluster, known);
    const key = JSON.stringify([database, point]);
    const schema = known.get(key) ?? this.#pastSchema(branchId, database, point);
    known.set(key, schema);
    schema.catch(() => known.delete(key));
    return schema;
  }

  async #pastSchema(branchId: string, database: string, point: Point): Promise<string> {
    const past = this.#clusters.newCluster();
    try {
      await this.#clusters.copyState(past, branchId, point);
      return await past.session(database, dumpSchema);
    } finally {
      await past.remove();
    }
  }

  async stop(): Promise<void> {
    await this.#endpoints.closeAll();
    await this.#workspace.close();
  }
}
