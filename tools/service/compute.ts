import type { MaskingRule } from '@neon/sdk/raw';

/** Where clients connect to a compute endpoint. Without `port`, it is 5432. */
export interface Address {
  host: string;
  poolerHost: string;
  port?: number;
}

/** A point in a branch's history: an LSN or a time, or neither for its head. */
export interface Point {
  lsn?: string;
  timestamp?: string;
}

export interface RoleSecret {
  name: string;
  password: string;
}

export interface DatabaseOwner {
  name: string;
  owner: string;
}

/** The roles and databases that exist in a branch's Postgres. */
export interface Inventory {
  roles: string[];
  databases: DatabaseOwner[];
}

/** What runs the branches: Postgres servers, or nothing. Branches and endpoints are identified by their IDs. */
export interface Compute {
  readonly pgVersion: number;
  /** The common suffix of all endpoints' host names. */
  readonly proxyHost: string;
  /** The servers' TLS certificate, as PEM. */
  readonly certificate: string | undefined;
  /** Its path, until the compute stops. */
  readonly certificateFile: string | undefined;
  /** Called when a connection starts a suspended endpoint. */
  onWake: (endpointId: string) => void;
  createRoot(branchId: string, content: { roles: RoleSecret[]; databases: DatabaseOwner[] }): Promise<void>;
  /** Creates a branch as a copy of the parent at a point. Returns the LSN of the copy. */
  fork(branchId: string, parentId: string, point: Point): Promise<string>;
  /** Throws an `ApiError` if the point is outside the branch's history. */
  assertInHistory(branchId: string, point: Point): Promise<void>;
  /**
   * Replaces the branch's state with that of the source at a point. The old state is kept as the new branch `backupId`, if
   * given. The branch's endpoints keep their addresses and hold new connections in the meantime.
   */
  restore(branchId: string, source: { id: string; point: Point; backupId?: string | undefined }): Promise<string>;
  /** Deletes all rows and keeps the schema. */
  truncate(branchId: string): Promise<void>;
  remove(branchId: string): Promise<void>;

  /** New connections are held until the endpoint is started. */
  openEndpoint(endpointId: string, branchId: string): Promise<Address>;
  startEndpoint(endpointId: string): Promise<void>;
  suspendEndpoint(endpointId: string): Promise<void>;
  closeEndpoint(endpointId: string): Promise<void>;
  /** Ends the connections of an endpoint, which then leads to another branch, and makes it idle. */
  moveEndpoint(endpointId: string, branchId: string): Promise<void>;

  createRole(branchId: string, role: RoleSecret): Promise<void>;
  setPassword(branchId: string, role: RoleSecret): Promise<void>;
  dropRole(branchId: string, name: string): Promise<void>;
  createDatabase(branchId: string, database: DatabaseOwner): Promise<void>;
  updateDatabase(branchId: string, name: string, to: DatabaseOwner): Promise<void>;
  dropDatabase(branchId: string, name: string): Promise<void>;
  /** Undefined if there is no Postgres to read from. */
  inventory(branchId: string): Promise<Inventory | undefined>;
  /** Runs SQL as the administrator, or as `role`, and returns the rows of the last statement. */
  query(branchId: string, database: string, sql: string, role?: string): Promise<Record<string, unknown>[]>;
  /** Masks the columns in the rules and returns how many there were. The error message is shown to users of the API. */
  mask(branchId: string, rules: MaskingRule[]): Promise<number>;
  /** The schema of a database as SQL. Equal schemas give equal text. */
  schema(branchId: string, database: string, point: Point): Promise<string>;

  stop(): Promise<void>;
}
