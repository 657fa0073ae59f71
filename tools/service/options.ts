import type { OperationAction } from '@neon/sdk/raw';
import type { DatabaseOwner } from './compute.ts';

export interface ServiceOptions {
  /**
   * `postgres` (default): every branch is a real Postgres server. `none`: only the API's objects, with host names that don't
   * resolve; starts in milliseconds.
   */
  compute?: 'postgres' | 'none';
  /** SQL to run in database `neondb` of main, as `neondb_owner`, before the service is ready. */
  seed?: string;
  /** Minimum duration of operations in milliseconds, for all or by action; default 30. `Infinity`: until `release()`. */
  operationMs?: number | Partial<Record<OperationAction, number>>;
  /** How many operations a project runs at the same time; default 1. */
  slots?: number;
  /** Further roles on main. With any role or database, the response to a create has no `connection_uris`. */
  roles?: string[];
  /** Further databases on main. neondb_owner owns one that is only a name. */
  databases?: (string | DatabaseOwner)[];
  /** The password of every role, or a function that makes one; default random. */
  password?: string | (() => string);
  /** How many branches a project may have, including main. */
  branchLimit?: number;
  /** How many root branches a project may have, including main. */
  rootBranchLimit?: number;
  /** The compute settings that the plan allows; others are a 412. */
  plan?: { maxCu?: number; suspendTimeout?: boolean };
  /** Whether main is protected. It is always the default branch. */
  protected?: boolean;
  /** Valid API keys; default: one random key. */
  apiKeys?: string[];
  /** What happens to a change that conflicts with unfinished operations: 423 (`lock`, default), or it waits for them. */
  conflicts?: 'lock' | 'queue';
  /** Whether a change locks the whole project instead of the branches it uses. */
  lockProject?: boolean;
  /** The response to a create with the name of a branch that is being deleted: 423 (`locked`, default) or 409. */
  nameBeingDeleted?: 'locked' | 'taken';
  /**
   * The propagation window of a new branch, in requests instead of seconds: the first reads of it are a 404, the first
   * changes a 422, and the first lists omit it.
   */
  propagation?: { reads?: number; changes?: number; lists?: number };
  /** The most branches on one page, even if `limit` is greater. */
  pageSize?: number;
  /** The response to a DELETE of a branch that does not exist; default 204. */
  missingDeleteStatus?: 204 | 404;
  /** The query part of connection URIs; default `sslmode=require&channel_binding=require`. */
  uriParameters?: string;
  /** Whether branches have Auth and a Data API; default false. */
  auth?: boolean;
  dataApi?: boolean;
  /** The clock, in milliseconds since the epoch, for every timestamp that the service writes or compares. */
  now?: () => number;
  port?: number;
  /** Serves HTTPS with this key and certificate, or with a self-signed one (`true`). */
  tls?: boolean | { key: string; cert: string };
  /** Whether to check every request and response against the published API description; default true. */
  check?: boolean;
}

/** The options with their defaults. */
export type Settings = ServiceOptions &
  Required<
    Pick<
      ServiceOptions,
      | 'compute'
      | 'slots'
      | 'conflicts'
      | 'lockProject'
      | 'nameBeingDeleted'
      | 'missingDeleteStatus'
      | 'uriParameters'
      | 'check'
    >
  > & { now: () => number; propagation: { reads: number; changes: number; lists: number } };

export function resolveOptions(options: ServiceOptions): Settings {
  return {
    ...options,
    compute: options.compute ?? 'postgres',
    slots: options.slots ?? 1,
    conflicts: options.conflicts ?? 'lock',
    lockProject: options.lockProject ?? false,
    nameBeingDeleted: options.nameBeingDeleted ?? 'locked',
    missingDeleteStatus: options.missingDeleteStatus ?? 204,
    uriParameters: options.uriParameters ?? 'sslmode=require&channel_binding=require',
    check: options.check ?? true,
    now: options.now ?? Date.now,
    propagation: { reads: 0, changes: 0, lists: 0, ...options.propagation },
  };
}

export function operationDuration(option: ServiceOptions['operationMs']): (action: OperationAction) => number {
  if (typeof option === 'number') return () => option;
  return (action) => option?.[action] ?? 30;
}
