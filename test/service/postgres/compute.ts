import type { MaskingRule } from '@neon/sdk/raw';
import pg from 'pg';
import type { Address, Compute, DatabaseOwner, Inventory, Point, RoleSecret } from '../compute.ts';
import { type Problem, unprocessable } from '../problem.ts';
import { dumpSchema } from '../schema.ts';
import { Cluster } from './cluster.ts';
import { copyCluster, copyData, copyLog } from './copy.ts';
import { Door } from './door.ts';
import { inheritHistory, recoverTo } from './history.ts';
import { mask } from './masking.ts';
import { Workspace } from './workspace.ts';

const HOST = '127.0.0.1';
const GROUP = 'neon_superuser';
const { escapeIdentifier: identifier, escapeLiteral: literal } = pg;

interface OpenEndpoint {
  door: Door;
  branchId: string;
  /** `new` lets nobody in yet; `idle` is woken by whoever comes. */
  state: 'new' | 'active' | 'idle';
}

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
      await client.query(
        `CREATE ROLE ${GROUP} NOLOGIN CREATEDB CREATEROLE REPLICATION BYPASSRLS IN ROLE pg_read_all_data, pg_write_all_data`,
      );
      for (const role of content.roles) await client.query(creation(role));
      for (const { name, owner } of content.databases) {
        await client.query(`CREATE DATABASE ${identifier(name)} OWNER ${identifier(owner)}`);
      }
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
      const [row] = await cluster.query(
        'postgres',
        `SELECT ${literal(lsn)}::pg_lsn BETWEEN ${literal(cluster.since.lsn)}::pg_lsn AND pg_current_wal_lsn() AS inside`,
      );
      await this.#rest(branchId);
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
      await cluster.remove();
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
    const cluster = this.#cluster(branchId);
    for (const { name } of (await this.inventory(branchId)).databases) await cluster.query(name, EMPTYING);
    await this.#rest(branchId);
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
    return this.#administer(branchId, 'postgres', [creation(role)]);
  }

  setPassword(branchId: string, { name, password }: RoleSecret): Promise<void> {
    return this.#administer(branchId, 'postgres', [`ALTER ROLE ${identifier(name)} PASSWORD ${literal(password)}`]);
  }

  async dropRole(branchId: string, name: string): Promise<void> {
    const role = identifier(name);
    const heir = 'cloud_admin';
    for (const database of (await this.inventory(branchId))?.databases ?? []) {
      await this.#administer(branchId, database.name, [
        `REASSIGN OWNED BY ${role} TO ${heir}`,
        `DROP OWNED BY ${role}`,
      ]);
    }
    await this.#administer(branchId, 'postgres', [`DROP ROLE ${role}`]);
  }

  createDatabase(branchId: string, { name, owner }: DatabaseOwner): Promise<void> {
    return this.#administer(branchId, 'postgres', [`CREATE DATABASE ${identifier(name)} OWNER ${identifier(owner)}`]);
  }

  async changeDatabase(branchId: string, before: string, { name, owner }: DatabaseOwner): Promise<void> {
    const statements = [`ALTER DATABASE ${identifier(before)} OWNER TO ${identifier(owner)}`];
    if (name !== before) {
      // A database with somebody in it cannot be renamed.
      statements.push(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ${literal(before)}`,
        `ALTER DATABASE ${identifier(before)} RENAME TO ${identifier(name)}`,
      );
    }
    await this.#administer(branchId, 'postgres', statements);
  }

  dropDatabase(branchId: string, name: string): Promise<void> {
    return this.#administer(branchId, 'postgres', [`DROP DATABASE ${identifier(name)} WITH (FORCE)`]);
  }

  async inventory(branchId: string): Promise<Inventory> {
    const roles = await this.query(
      branchId,
      'postgres',
      `SELECT rolname FROM pg_roles WHERE rolname !~ '^pg_' AND rolname NOT IN ('cloud_admin', '${GROUP}') ORDER BY oid`,
    );
    const databases = await this.query(
      branchId,
      'postgres',
      `SELECT datname, pg_get_userbyid(datdba) AS owner FROM pg_database
       WHERE NOT datistemplate AND datname <> 'postgres' ORDER BY oid`,
    );
    return {
      roles: roles.map(({ rolname }) => String(rolname)),
      databases: databases.map(({ datname, owner }) => ({ name: String(datname), owner: String(owner) })),
    };
  }

  async query(branchId: string, database: string, sql: string, role?: string): Promise<Record<string, unknown>[]> {
    const rows = await this.#cluster(branchId).query(database, sql, role);
    await this.#rest(branchId);
    return rows;
  }

  async mask(branchId: string, rules: MaskingRule[]): Promise<number> {
    const masked = await mask(this.#cluster(branchId), rules);
    await this.#rest(branchId);
    return masked;
  }

  async schema(branchId: string, database: string, point: Point): Promise<string> {
    if (point.lsn === undefined && point.timestamp === undefined) {
      const text = await this.#cluster(branchId).session(database, dumpSchema);
      await this.#rest(branchId);
      return text;
    }
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
    const source = this.#cluster(sourceId);
    cluster.since = source.since;
    const past = point.lsn !== undefined || point.timestamp !== undefined;
    const lsn = past ? await recoverTo(source, cluster, point) : await copyCluster(source, cluster);
    inheritHistory(source, cluster);
    await this.#rest(sourceId);
    return lsn;
  }

  /** Stops a server that was only needed for a moment. */
  async #rest(branchId: string): Promise<void> {
    const cluster = this.#clusters.get(branchId);
    if (!cluster) return;
    await cluster.exclusively(async () => {
      const needed = [...this.#endpoints.values()].some((one) => one.branchId === branchId && one.state === 'active');
      if (!needed && !cluster.busy) await cluster.stop();
    });
  }

  async #administer(branchId: string, database: string, statements: string[]): Promise<void> {
    await this.#cluster(branchId).session(database, async (client) => {
      for (const statement of statements) await client.query(statement);
    });
    await this.#rest(branchId);
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

/** Takes the rows and starts sequences anew; what is computed from rows is left without. */
const EMPTYING = `DO $$
DECLARE
  tables text;
  one text;
BEGIN
  SELECT string_agg(oid::regclass::text, ', ') INTO tables FROM pg_class
  WHERE relkind IN ('r', 'p') AND relnamespace::regnamespace::text !~ '^(pg_|information_schema)';
  IF tables IS NOT NULL THEN EXECUTE 'TRUNCATE ' || tables || ' RESTART IDENTITY CASCADE'; END IF;
  FOR one IN SELECT oid::regclass::text FROM pg_class WHERE relkind = 'm' LOOP
    EXECUTE 'REFRESH MATERIALIZED VIEW ' || one || ' WITH NO DATA';
  END LOOP;
  FOR one IN SELECT oid::regclass::text FROM pg_class WHERE relkind = 'S' LOOP
    EXECUTE 'ALTER SEQUENCE ' || one || ' RESTART';
  END LOOP;
  PERFORM lo_unlink(oid) FROM pg_largeobject_metadata;
END $$`;

const creation = ({ name, password }: RoleSecret): string =>
  `CREATE ROLE ${identifier(name)} LOGIN CREATEDB CREATEROLE REPLICATION BYPASSRLS PASSWORD ${literal(password)} IN ROLE ${GROUP}`;
