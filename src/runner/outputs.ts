import * as core from '@actions/core';
import type { PrunedBranch, Result } from '../result.ts';
import type { Connection } from '../service/connection.ts';
import { jdbcUri } from '../service/uri.ts';
import { diffOutputs, rehearsalOutput, responseOutputs } from './large-outputs.ts';
import { mask } from './log.ts';

export const outputNames = [
  'command',
  'skipped',
  'console_url',
  'branch_id',
  'branch_name',
  'parent_id',
  'expires_at',
  'created',
  'deleted',
  'endpoint_id',
  'db_url',
  'db_url_pooled',
  'jdbc_url',
  'jdbc_url_pooled',
  'db_host',
  'db_host_pooled',
  'db_port',
  'database',
  'role',
  'password',
  'auth_url',
  'data_api_url',
  'operation_ids',
  'schema_diff',
  'schema_changed',
  'schema_diff_path',
  'findings',
  'destructive',
  'rehearsal',
  'comment_url',
  'pruned',
  'response',
  'status',
  'response_path',
] as const;

type OutputName = (typeof outputNames)[number];

/**
 * Writes the outputs that have a value, also those of a run that failed halfway. Returns what could not be written, as sentences; the
 * rest is written all the same.
 */
export function writeOutputs(options: { command: string; result: Result; consoleUrl?: string | undefined }): string[] {
  const { command, result, consoleUrl } = options;
  const { branch, connection } = result;
  const jdbc = connection && jdbcUris(connection);
  if (connection) maskConnection(connection);
  const response = responseOutputs(result.response);
  const diff = diffOutputs(result);
  const values: Record<OutputName, string | undefined> = {
    command,
    console_url: consoleUrl,
    skipped: String(result.skipped),
    branch_id: branch?.id ?? result.missing?.id,
    branch_name: branch?.name ?? result.missing?.name,
    parent_id: branch?.parent_id,
    expires_at: branch?.expires_at,
    created: String(result.created),
    deleted: String(result.deleted),
    endpoint_id: connection?.endpointId,
    db_url: connection?.uri,
    db_url_pooled: connection?.pooledUri,
    jdbc_url: jdbc?.direct,
    jdbc_url_pooled: jdbc?.pooled,
    db_host: connection?.host,
    db_host_pooled: connection?.pooledHost,
    db_port: connection?.port,
    database: connection?.database,
    role: connection?.role,
    password: connection?.password,
    auth_url: result.authUrl,
    data_api_url: result.dataApiUrl,
    operation_ids: result.operationIds && JSON.stringify(result.operationIds),
    ...diff.values,
    rehearsal: result.rehearsal && rehearsalOutput(result.rehearsal),
    comment_url: result.commentUrl,
    pruned:
      result.pruned &&
      JSON.stringify(result.pruned.filter(isPruned).map(({ id, name, reason }) => ({ id, name, reason }))),
    ...response.values,
  };
  const written = writeEach({ values, file: 'GITHUB_OUTPUT', what: 'the outputs', write: core.setOutput });
  return [response.problem, diff.problem, written].filter((problem) => problem !== undefined);
}

/** Writes values to one of the runner's command files. Without the file, the toolkit would print them to the log instead. */
function writeEach(options: {
  values: Record<string, string | undefined>;
  file: 'GITHUB_OUTPUT' | 'GITHUB_ENV';
  what: string;
  write: (name: string, value: string) => void;
}): string | undefined {
  const { values, file, what, write } = options;
  try {
    if (!process.env[file]) throw new Error('the runner has not set it');
    for (const [name, value] of Object.entries(values)) if (value !== undefined) write(name, value);
    return undefined;
  } catch (error) {
    return `Could not write ${what} (${file}): ${(error as Error).message}.`;
  }
}

function jdbcUris({ uri, pooledUri }: Connection): { direct: string; pooled: string } {
  return { direct: jdbcUri(uri, { pooled: false }), pooled: jdbcUri(pooledUri, { pooled: true }) };
}

function maskConnection(connection: Connection): void {
  const { password, uri, pooledUri } = connection;
  const { direct, pooled } = jdbcUris(connection);
  for (const secret of [password, uri, pooledUri, direct, pooled]) mask(secret);
}

/** Whether this run has deleted a branch, or in a dry run would have. */
function isPruned({ outcome }: PrunedBranch): boolean {
  return outcome === 'deleted' || outcome === 'planned';
}

/** Sets the usual environment variables for later steps. Returns a sentence if it could not. */
export function exportEnvironment(result: Result): string[] {
  const { connection } = result;
  if (!connection) return [];
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
  const write = core.exportVariable;
  return [writeEach({ values, file: 'GITHUB_ENV', what: 'the environment variables', write }) ?? []].flat();
}
