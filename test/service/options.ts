import type { OperationAction } from '@neon/sdk/raw';

export interface ServiceOptions {
  /**
   * `postgres` (default): every branch is a Postgres of its own. `none`: metadata only, with hosts that nobody can
   * connect to; starts in milliseconds.
   */
  compute?: 'postgres' | 'none';
  /** SQL that is run in main's `neondb`, as `neondb_owner`, before the service is ready. */
  seed?: string;
  /** How long operations take at least, in milliseconds: all of them, or each by its action; default 30. */
  operationMs?: number | Partial<Record<OperationAction, number>>;
  /** How many operations a project runs at the same time; default 1. */
  slots?: number;
  /** Roles and databases on main besides `neondb_owner` and `neondb`; with any, no create answers `connection_uris`. */
  roles?: string[];
  databases?: string[];
  /** The passwords to hand out. */
  password?: string | (() => string);
  /** How many branches a project may have, main included. */
  branchLimit?: number;
  /** How many root branches a project may have, main included. */
  rootBranchLimit?: number;
  /** What the plan allows of a compute; anything beyond is a 412. */
  plan?: { maxCu?: number; suspendTimeout?: boolean };
  /** Whether main is protected; it is the default branch either way. */
  protected?: boolean;
  /** Keys that work from the start; default: one new key. */
  apiKeys?: string[];
  /** What a change meets that conflicts with running operations: a 423, or a place in the queue; default `lock`. */
  conflicts?: 'lock' | 'queue';
  /** Every change locks the whole project, not only the branches it touches. */
  lockProject?: boolean;
  /** What a create meets whose name belongs to a branch that is being deleted: 423 (default) or 409. */
  nameOfDeleting?: 'locked' | 'taken';
  /**
   * How long a new branch is unsettled: so many first reads of it answer 404, so many first changes 422, and so many
   * first lists leave it out.
   */
  settle?: { reads?: number; changes?: number; lists?: number };
  /** The most branches on one page, whatever the limit asked for. */
  pageSize?: number;
  /** What DELETE answers for a branch that is not there; default 204. */
  gone?: 204 | 404;
  /** Requests a minute for an account and a second for one route, beyond which the answer is 429; default: no limit. */
  rateLimit?: { perMinute?: number; perSecond?: number; retryAfter?: boolean };
  /** The query of connection URIs; default `sslmode=require&channel_binding=require`. */
  uriParameters?: string;
  /** Whether branches have an auth service and a data API; default false: 404. */
  auth?: boolean;
  dataApi?: boolean;
  /** Kinds of object, in the plural, that the account has besides, by the plain convention. */
  kinds?: string[];
  /** Milliseconds since the epoch, for every time that the service writes or compares. */
  now?: () => number;
  port?: number;
  /** Serves https: with this key and certificate, or with one made for loopback. */
  tls?: boolean | { key: string; cert: string };
  /** Hold every request and answer against the service's published description; default true. */
  check?: boolean;
}

/** The options with their defaults. */
export type Settings = ServiceOptions &
  Required<
    Pick<
      ServiceOptions,
      'compute' | 'slots' | 'conflicts' | 'lockProject' | 'nameOfDeleting' | 'gone' | 'uriParameters' | 'check'
    >
  > & { now: () => number; settle: { reads: number; changes: number; lists: number } };

export function settings(options: ServiceOptions): Settings {
  return {
    ...options,
    compute: options.compute ?? 'postgres',
    slots: options.slots ?? 1,
    conflicts: options.conflicts ?? 'lock',
    lockProject: options.lockProject ?? false,
    nameOfDeleting: options.nameOfDeleting ?? 'locked',
    gone: options.gone ?? 204,
    uriParameters: options.uriParameters ?? 'sslmode=require&channel_binding=require',
    check: options.check ?? true,
    now: options.now ?? Date.now,
    settle: { reads: 0, changes: 0, lists: 0, ...options.settle },
  };
}

export function operationDuration(option: ServiceOptions['operationMs']): (action: OperationAction) => number {
  if (typeof option === 'number') return () => option;
  return (action) => option?.[action] ?? 30;
}
