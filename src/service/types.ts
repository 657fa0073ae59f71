import type * as Published from '@neondatabase/api-client';
import * as shape from '../http/shape.ts';
import type { Json } from '../text/json.ts';

/**
 * The parts of the service's objects that are used here, under the service's own names. The types derive from the published
 * ones, so that a rename there fails the type check; the readers check each response as it comes in.
 */
export type Branch = Pick<Published.Branch, 'id' | 'name' | 'current_state' | 'created_at'> &
  Partial<Pick<Published.Branch, 'parent_id' | (typeof branchTexts)[number]>> & {
    /** Undefined if the response does not say it. */
    default: boolean | undefined;
    protected: boolean | undefined;
    /** Bytes. */
    logical_size?: number;
    /** What was recorded on the branch when it was created; may be empty. */
    metadata: Record<string, string>;
  };

const branchTexts = [
  'parent_lsn',
  'parent_timestamp',
  'expires_at',
  'pending_state',
  'init_source',
  'last_reset_at',
  'restored_from',
  'restored_as',
] as const;

export type Endpoint = Pick<Published.Endpoint, 'id' | 'branch_id' | 'host'> & {
  type: 'read_write' | 'read_only';
  autoscaling_limit_min_cu?: number;
  autoscaling_limit_max_cu?: number;
  /** Seconds. */
  suspend_timeout_seconds?: number;
};

export type Operation = Pick<Published.Operation, 'id' | 'failures_count'> & {
  action: string;
  status: string;
  project_id?: string;
  branch_id?: string;
  error?: string;
  retry_at?: string;
  updated_at?: string;
  /** Milliseconds, as the service measured them. */
  total_duration_ms: number;
};

/** A connection URI in a response, with its parts. */
export interface ConnectionDetails {
  uri: string;
  database: string;
  role: string;
  poolerHost: string;
}

export function branch(value: unknown, at: string, metadata?: unknown): Branch {
  const from = shape.object(value, at);
  return {
    id: shape.id(from.id, `${at}.id`),
    name: shape.string(from.name, `${at}.name`),
    default: flag(from.default),
    protected: flag(from.protected),
    current_state: shape.optionalString(from.current_state, `${at}.current_state`) ?? 'ready',
    created_at: shape.optionalString(from.created_at, `${at}.created_at`) ?? '',
    metadata: metadataIn(metadata),
    parent_id: shape.optionalString(from.parent_id, `${at}.parent_id`),
    ...texts(from, at, branchTexts),
    logical_size: number(from.logical_size),
  };
}

/** The fields of these names, each a text or missing. */
function texts<Name extends string>(from: Json, at: string, names: readonly Name[]): Partial<Record<Name, string>> {
  const values = names.map((name) => [name, shape.optionalString(from[name], `${at}.${name}`)]);
  return Object.fromEntries(values) as Partial<Record<Name, string>>;
}

function flag(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

/** The metadata in an annotation object. A value that is not text counts as its JSON, such as the number 7 as `7`. */
function metadataIn(annotation: unknown): Record<string, string> {
  const values = shape.optionalObject(shape.optionalObject(annotation).value);
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) =>
      value === null ? [] : [[key, typeof value === 'string' ? value : JSON.stringify(value)]],
    ),
  );
}

export function endpoint(value: unknown, at: string): Endpoint {
  const from = shape.object(value, at);
  return {
    id: shape.id(from.id, `${at}.id`),
    branch_id: shape.id(from.branch_id, `${at}.branch_id`),
    host: shape.string(from.host, `${at}.host`),
    type: from.type === 'read_only' ? 'read_only' : 'read_write',
    autoscaling_limit_min_cu: number(from.autoscaling_limit_min_cu),
    autoscaling_limit_max_cu: number(from.autoscaling_limit_max_cu),
    suspend_timeout_seconds: number(from.suspend_timeout_seconds),
  };
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

export function operation(value: unknown, at: string): Operation {
  const from = shape.object(value, at);
  return {
    id: shape.id(from.id, `${at}.id`),
    action: shape.optionalString(from.action, `${at}.action`) ?? 'unknown',
    status: shape.string(from.status, `${at}.status`),
    failures_count: number(from.failures_count) ?? 0,
    total_duration_ms: number(from.total_duration_ms) ?? 0,
    project_id: shape.optionalString(from.project_id, `${at}.project_id`),
    branch_id: shape.optionalString(from.branch_id, `${at}.branch_id`),
    ...texts(from, at, ['error', 'retry_at', 'updated_at']),
  };
}

/** The operations in a response. */
export function operations(value: unknown, at: string): Operation[] {
  return shape.optionalList(value, at, operation);
}

export function connectionDetails(value: unknown, at: string): ConnectionDetails {
  const from = shape.object(value, at);
  const parts = shape.object(from.connection_parameters, `${at}.connection_parameters`);
  return {
    uri: shape.string(from.connection_uri, `${at}.connection_uri`),
    database: shape.string(parts.database, `${at}.connection_parameters.database`),
    role: shape.string(parts.role, `${at}.connection_parameters.role`),
    poolerHost: shape.string(parts.pooler_host, `${at}.connection_parameters.pooler_host`),
  };
}

export function name(value: unknown, at: string): string {
  return shape.string(shape.object(value, at).name, `${at}.name`);
}
