import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as core from '@actions/core';
import type { PrunedBranch, Result } from '../result.ts';
import { mask } from './log.ts';

export const outputNames = [
  'command',
  'skipped',
  'branch_id',
  'branch_name',
  'parent_id',
  'expires_at',
  'created',
  'deleted',
  'db_url',
  'db_url_pooled',
  'db_host',
  'db_host_pooled',
  'database',
  'role',
  'password',
  'auth_url',
  'data_api_url',
  'operation_ids',
  'schema_diff',
  'schema_changed',
  'comment_url',
  'pruned',
  'response',
  'status',
  'response_path',
] as const;

export type OutputName = (typeof outputNames)[number];

/** Writes the outputs that have a value, also those of a run that failed halfway. */
export function writeOutputs(options: { command: string; result: Result }): void {
  const { command, result } = options;
  const { branch, connection } = result;
  if (connection) maskConnection(connection);
  const values: Record<OutputName, string | undefined> = {
    command,
    skipped: String(result.skipped),
    branch_id: branch?.id ?? result.missing?.id,
    branch_name: branch?.name ?? result.missing?.name,
    parent_id: branch?.parent_id,
    expires_at: branch?.expires_at,
    created: String(result.created),
    deleted: String(result.deleted),
    db_url: connection?.uri,
    db_url_pooled: connection?.pooledUri,
    db_host: connection?.host,
    db_host_pooled: connection?.pooledHost,
    database: connection?.database,
    role: connection?.role,
    password: connection?.password,
    auth_url: result.authUrl,
    data_api_url: result.dataApiUrl,
    operation_ids: result.operationIds && JSON.stringify(result.operationIds),
    schema_diff: result.diff?.text,
    schema_changed: result.diff && String(result.diff.text !== ''),
    comment_url: result.commentUrl,
    pruned:
      result.pruned &&
      JSON.stringify(result.pruned.filter(isPruned).map(({ id, name, reason }) => ({ id, name, reason }))),
    ...responseOutputs(result.response),
  };
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) core.setOutput(name, value);
  }
}

function maskConnection({ password, uri, pooledUri }: NonNullable<Result['connection']>): void {
  for (const secret of [password, uri, pooledUri]) mask(secret);
}

/** Whether this run has deleted a branch, or in a dry run would have. */
function isPruned({ outcome }: PrunedBranch): boolean {
  return outcome === 'deleted' || outcome === 'planned';
}

/** The largest value of an output, in bytes. */
const largestOutput = 1_000_000;

/** A body that is too large for an output goes into a file that only this user can read. */
function responseOutputs(
  response: Result['response'],
): Record<'response' | 'status' | 'response_path', string | undefined> {
  if (!response) return { response: undefined, status: undefined, response_path: undefined };
  const status = String(response.status);
  if (Buffer.byteLength(response.body) <= largestOutput) {
    return { response: response.body, status, response_path: undefined };
  }
  const path = join(mkdtempSync(join(process.env.RUNNER_TEMP || tmpdir(), 'response-')), 'response.json');
  writeFileSync(path, response.body, { mode: 0o600 });
  return { response: '', status, response_path: path };
}

/** Sets the usual environment variables for later steps. */
export function exportEnvironment(result: Result): void {
  const { connection } = result;
  if (!connection) return;
  maskConnection(connection);
  const values = {
    DATABASE_URL: connection.pooledUri,
    DATABASE_URL_UNPOOLED: connection.uri,
    PGHOST: connection.pooledHost,
    PGHOST_UNPOOLED: connection.host,
    PGPORT: connection.port,
    PGUSER: connection.role,
    PGDATABASE: connection.database,
    PGPASSWORD: connection.password,
  };
  for (const [name, value] of Object.entries(values)) core.exportVariable(name, value);
}
