import { appendFileSync, statSync } from 'node:fs';
import { EOL } from 'node:os';
import * as core from '@actions/core';
import type { PrunedBranch, Result } from '../result.ts';
import type { Connection } from '../service/connection.ts';
import { jdbcUri } from '../service/uri.ts';
import { limits } from '../step/limits.ts';
import { log, mask, redact } from '../step/log.ts';
import { cutToFit } from '../text/cut.ts';
import { messageOf } from '../text/format.ts';

/** What the outputs are made of. */
interface Step {
  command: string;
  result: Result;
  consoleUrl?: string;
}

/**
 * Writes the outputs that have a value, also those of a run that failed halfway. Returns what could not be written, as sentences; the
 * rest is written all the same.
 */
export function writeOutputs(step: Step): string[] {
  const { connection } = step.result;
  if (connection) {
    const { password, uri, pooledUri } = connection;
    const { direct, pooled } = jdbcUris(connection);
    for (const secret of [password, uri, pooledUri, direct, pooled]) mask(secret);
  }
  const { values, problems } = outputsOf(step);
  const written = writeEach({ values, file: 'GITHUB_OUTPUT', what: 'the outputs', write: core.setOutput });
  return [...problems, ...written];
}

/** Every output; one without a value is undefined. A large one is written to a file; if that fails, there is a sentence about it. */
export function outputsOf({ command, result, consoleUrl }: Step): {
  values: Record<string, string | undefined>;
  problems: string[];
} {
  const { branch, connection } = result;
  const jdbc = connection && jdbcUris(connection);
  const pruned = result.pruned?.filter(isPruned).map(({ id, name, reason }) => ({ id, name, reason }));
  const values = {
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
    comment_url: result.commentUrl,
    pruned: pruned && JSON.stringify(pruned),
  };
  return { values, problems: [] };
}

/**
 * Writes values to one of the runner's command files. Without the file, the toolkit would print them to the log instead. Returns a sentence if
 * it could not.
 */
function writeEach(options: {
  values: Record<string, string | undefined>;
  file: 'GITHUB_OUTPUT' | 'GITHUB_ENV';
  what: string;
  write: (name: string, value: string) => void;
}): string[] {
  const { values, file, what, write } = options;
  try {
    if (!process.env[file]) throw new Error(`the runner has not set ${file}`);
    for (const [name, value] of Object.entries(values)) if (value !== undefined) write(name, value);
    return [];
  } catch (error) {
    return [`Could not write ${what} (${file}): ${(error as Error).message}.`];
  }
}

function jdbcUris({ uri, pooledUri }: Connection): { direct: string; pooled: string } {
  return { direct: jdbcUri(uri, { pooled: false }), pooled: jdbcUri(pooledUri, { pooled: true }) };
}

/** Whether this run has deleted a branch, or in a dry run would have. */
function isPruned({ outcome }: PrunedBranch): boolean {
  return outcome === 'deleted' || outcome === 'planned';
}

/** Sets the usual environment variables for later steps, once the outputs are masked. Returns a sentence if it could not. */
export function exportEnvironment(result: Result): string[] {
  const { connection } = result;
  if (!connection) return [];
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
  return writeEach({ values, file: 'GITHUB_ENV', what: 'the environment variables', write });
}

/** Appends to the job summary. A failure to do so is only a warning. */
export function writeSummary(markdown: string): void {
  const path = process.env.GITHUB_STEP_SUMMARY;
  if (!path) {
    log.info('No job summary: the runner has not set GITHUB_STEP_SUMMARY');
    return;
  }
  try {
    const written = statSync(path).size;
    const fitting = cutToFit(redact(markdown), {
      limit: limits.summaryBytes - written - EOL.length,
      size: Buffer.byteLength,
      note: '_Truncated: GitHub accepts at most 1 MiB per step summary._',
    });
    if (fitting !== '') appendFileSync(path, `${fitting}${EOL}`);
  } catch (error) {
    log.warning(`Could not write the job summary: ${messageOf(error)}`);
  }
}
