import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RelationFacts } from '../rehearse/catalog.ts';
import { findingsOf, isChanged, type Result } from '../result.ts';
import { oneLine } from '../text/inert.ts';
import { limits } from './limits.ts';
import { log, redact } from './log.ts';

/** What one part of a result gives: its outputs, and a sentence if something could not be written. */
interface Some<Name extends string> {
  values: Record<Name, string | undefined>;
  problem?: string;
}

export function responseOutputs(response: Result['response']): Some<'response' | 'status' | 'response_path'> {
  const body = response && inFileIfLarge(response.body, { what: 'response', file: 'response.json' });
  return {
    values: { response: body?.value, status: response && String(response.status), response_path: body?.path },
    problem: body?.problem,
  };
}

export function diffOutputs({
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
export function rehearsalOutput(rehearsal: NonNullable<Result['rehearsal']>): string {
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
