import { appendFileSync, mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { EOL, tmpdir } from 'node:os';
import { join } from 'node:path';
import * as core from '@actions/core';
import type { RelationFacts } from '../rehearse/catalog.ts';
import { findingsOf, isChanged, type PrunedBranch, type Result } from '../result.ts';
import type { Connection } from '../service/connection.ts';
import { jdbcUri } from '../service/uri.ts';
import { cutToFit } from '../text/cut.ts';
import { oneLine } from '../text/inert.ts';
import { limits } from './limits.ts';
import { log, mask, redact } from './log.ts';

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
    if (!process.env[file]) throw new Error(`the runner has not set ${file}`);
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

/** What one part of a result gives: its outputs, and a sentence if something could not be written. */
interface Some<Name extends string> {
  values: Record<Name, string | undefined>;
  problem?: string;
}

function responseOutputs(response: Result['response']): Some<'response' | 'status' | 'response_path'> {
  const body = response && inFileIfLarge(response.body, { what: 'response', file: 'response.json' });
  return {
    values: { response: body?.value, status: response && String(response.status), response_path: body?.path },
    problem: body?.problem,
  };
}

function diffOutputs({
  diff,
  rehearsal,
}: Pick<Result, 'diff' | 'rehearsal'>): Some<
  'schema_diff' | 'schema_changed' | 'schema_diff_path' | 'findings' | 'destructive'
> {
  const all = diff?.databases.map(({ text }) => text).join('');
  const text = all === undefined ? undefined : inFileIfLarge(all, { what: 'schema diff', file: 'schema.diff' });
  const findings = diff && findingsOf(diff);
  return {
    values: {
      // A rehearsal reviews what has changed, and compares no text.
      schema_diff: rehearsal ? undefined : text?.value,
      schema_changed: rehearsal ? undefined : diff && String(diff.databases.some(isChanged)),
      schema_diff_path: text?.path,
      findings: findings && findingsOutput(findings),
      destructive: findings && String(findings.some(({ level }) => level === 'destructive')),
    },
    problem: text?.problem,
  };
}

/** Locks, and rewritten tables, that the output has; and characters of a statement. */
const inRehearsal = { most: 500, statement: 300 };

/** What a rehearsal has measured. Times are in milliseconds, sizes in bytes; what is not known is null. */
function rehearsalOutput(rehearsal: NonNullable<Result['rehearsal']>): string {
  const { exitCode, durationMs, walBytes, sampledEveryMs, locks, rewritten } = rehearsal;
  const facts = ({ relation: { name, rows, size } }: { relation: RelationFacts }) => ({
    table: name,
    rows: rows ?? null,
    size,
  });
  return redact(
    JSON.stringify({
      exit_code: exitCode,
      duration_ms: Math.round(durationMs),
      wal_bytes: walBytes,
      sampled_every_ms: Math.round(sampledEveryMs),
      locks: locks.slice(0, inRehearsal.most).map((lock) => ({
        ...facts(lock),
        mode: lock.mode,
        blocks: lock.blocks,
        held_ms: Math.round(lock.heldMs),
        statement: lock.statement === undefined ? null : oneLine(lock.statement, inRehearsal.statement),
      })),
      rewritten: rewritten.slice(0, inRehearsal.most).map((one) => ({ ...facts(one), size_after: one.sizeAfter })),
    }),
  );
}

/** As many findings as fit into an output, from the most serious on. */
function findingsOutput(findings: ReturnType<typeof findingsOf>): string {
  const kept: string[] = [];
  let size = '[]'.length;
  for (const { rule, level, database, object, detail } of findings) {
    const json = JSON.stringify({ rule, level, database, object, detail });
    size += Buffer.byteLength(json) + ','.length;
    if (size > limits.outputBytes) break;
    kept.push(json);
  }
  if (kept.length < findings.length) {
    log.warning(
      `The output \`findings\` has only the first ${kept.length} of ${findings.length} findings: an output holds 1 MB.`,
    );
  }
  return `[${kept.join(',')}]`;
}

/** A text that is too large for an output goes into a file that only this user can read. */
function inFileIfLarge(
  text: string,
  { what, file }: { what: string; file: string },
): { value: string; path?: string; problem?: string } {
  if (Buffer.byteLength(text) <= limits.outputBytes) return { value: text };
  try {
    const [folder] = file.split('.');
    const path = join(mkdtempSync(join(process.env.RUNNER_TEMP || tmpdir(), `${folder}-`)), file);
    writeFileSync(path, text, { mode: 0o600 });
    return { value: '', path };
  } catch (error) {
    const problem = `Could not write the ${what} to a file (RUNNER_TEMP): ${(error as Error).message}.`;
    return { value: '', problem };
  }
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
    log.warning(`Could not write the job summary: ${error instanceof Error ? error.message : error}`);
  }
}
