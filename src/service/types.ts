import type * as Published from '@neondatabase/api-client';
import * as shape from '../http/shape.ts';

/**
 * The parts of the service's objects that are used here, under the service's own names. The types derive from the published
 * ones, so that a rename there fails the type check; the readers check each response as it comes in.
 */
export type Branch = Pick<Published.Branch, 'id' | 'name' | 'current_state' | 'created_at'> &
  Partial<Pick<Published.Branch, (typeof branchTexts)[number]>> & {
    /** Undefined if the response does not say it. */
    default: boolean | undefined;
    protected: boolean | undefined;
    /** What was recorded on the branch when it was created; may be empty. */
    metadata: Record<string, string>;
  };

const branchTexts = [
  'parent_id',
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
  const { id, string, text, texts, flag } = shape.fields(value, at);
  return {
    id: id('id'),
    name: string('name'),
    default: flag('default'),
    protected: flag('protected'),
    current_state: text('current_state') ?? 'ready',
    created_at: text('created_at') ?? '',
    metadata: metadataIn(metadata),
    ...texts(...branchTexts),
  };
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
  const { from, id, string, number } = shape.fields(value, at);
  return {
    id: id('id'),
    branch_id: id('branch_id'),
    host: string('host'),
    type: from.type === 'read_only' ? 'read_only' : 'read_write',
    autoscaling_limit_min_cu: number('autoscaling_limit_min_cu'),
    autoscaling_limit_max_cu: number('autoscaling_limit_max_cu'),
    suspend_timeout_seconds: number('suspend_timeout_seconds'),
  };
}

export function operation(value: unknown, at: string): Operation {
  const { id, string, text, texts, number } = shape.fields(value, at);
  return {
    id: id('id'),
    action: text('action') ?? 'unknown',
    status: string('status'),
    failures_count: number('failures_count') ?? 0,
    total_duration_ms: number('total_duration_ms') ?? 0,
    ...texts('project_id', 'branch_id', 'error', 'retry_at', 'updated_at'),
  };
}

export function operations(value: unknown, at: string): Operation[] {
  return shape.optionalList(value, at, operation);
}

export function connectionDetails(value: unknown, at: string): ConnectionDetails {
  const { from, string } = shape.fields(value, at);
  const parts = shape.fields(from.connection_parameters, `${at}.connection_parameters`);
  return {
    uri: string('connection_uri'),
    database: parts.string('database'),
    role: parts.string('role'),
    poolerHost: parts.string('pooler_host'),
  };
}

export function name(value: unknown, at: string): string {
  return shape.fields(value, at).string('name');
}
