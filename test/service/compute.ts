import type { MaskingRule } from '@neon/sdk/raw';

/** Where clients reach a compute endpoint. `port` only where it is not 5432. */
export interface Address {
  host: string;
  poolerHost: string;
  port?: number;
}

/** A point in a branch's history; its head where neither is given. */
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

/** What a branch really holds, as read from it. */
export interface Inventory {
  roles: string[];
  databases: DatabaseOwner[];
}

/** What stands behind the branches: real servers, or nothing at all. Branches and endpoints go by their IDs. */
export interface Compute {
  readonly pgVersion: number;
  /** Where all endpoints of the deployment are found: the end of their host names. */
  readonly proxyHost: string;
  /** What the servers' TLS goes by, as PEM. */
  readonly certificate: string | undefined;
  /** Called when somebody connects to a suspended endpoint and so starts it. */
  onWake: (endpointId: string) => void;
  createRoot(branchId: string, content: { roles: RoleSecret[]; databases: DatabaseOwner[] }): Promise<void>;
  /** A copy of the parent as it is now, or was; answers the log position it was taken at. */
  fork(branchId: string, parentId: string, point: Point): Promise<string>;
  /** Refuses a point that the branch's history does not reach: throws a `Problem`. */
  checkPoint(branchId: string, point: Point): Promise<void>;
  /**
   * Puts the source's state in the place of the branch's own, which goes to the new branch `keepAs` where one is named.
   * The branch's endpoints keep their addresses, and let nobody in until they are started again.
   */
  restore(branchId: string, source: { id: string; point: Point; keepAs?: string | undefined }): Promise<string>;
  /** Takes all rows away and keeps the schema. */
  empty(branchId: string): Promise<void>;
  /** Stops the branch's server; its data stays. */
  halt(branchId: string): Promise<void>;
  remove(branchId: string): Promise<void>;

  openEndpoint(endpointId: string, branchId: string): Promise<Address>;
  startEndpoint(endpointId: string): Promise<void>;
  suspendEndpoint(endpointId: string): Promise<void>;
  /** Lets nobody in any more, but keeps the address, for a branch that may be recovered. */
  lockEndpoint(endpointId: string): Promise<void>;
  closeEndpoint(endpointId: string): Promise<void>;

  createRole(branchId: string, role: RoleSecret): Promise<void>;
  setPassword(branchId: string, role: RoleSecret): Promise<void>;
  dropRole(branchId: string, name: string): Promise<void>;
  createDatabase(branchId: string, database: DatabaseOwner): Promise<void>;
  changeDatabase(branchId: string, name: string, to: DatabaseOwner): Promise<void>;
  dropDatabase(branchId: string, name: string): Promise<void>;
  /** Nothing where there is nothing to read. */
  inventory(branchId: string): Promise<Inventory | undefined>;
  /** Runs SQL as the administrator, or as `role`, and answers the rows of the last statement. */
  query(branchId: string, database: string, sql: string, role?: string): Promise<Record<string, unknown>[]>;
  /** Rewrites what the rules name and answers how many columns it was; throws with a readable message. */
  mask(branchId: string, rules: MaskingRule[]): Promise<number>;
  /** The schema of a database as SQL text, the same for equal schemas. */
  schema(branchId: string, database: string, point: Point): Promise<string>;

  stop(): Promise<void>;
}
