import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findingsOf, isChanged, type Result } from '../result.ts';
import { limits } from './limits.ts';
import { log } from './log.ts';

/** What one part of a result gives: its outputs, and a sentence if something could not be written. */
interface Some<Name extends string> {
  values: Record<Name, string | undefined>;
  problem?: string | undefined;
}

export function responseOutputs(response: Result['response']): Some<'response' | 'status' | 'response_path'> {
  const body = response && inFileIfLarge(response.body, { what: 'response', file: 'response.json' });
  return {
    values: { response: body?.value, status: response && String(response.status), response_path: body?.path },
    problem: body?.problem,
  };
}

export function diffOutputs(
  diff: Result['diff'],
): Some<'schema_diff' | 'schema_changed' | 'schema_diff_path' | 'findings' | 'destructive'> {
  const all = diff?.databases.map(({ text }) => text).join('');
  const text = all === undefined ? undefined : inFileIfLarge(all, { what: 'schema diff', file: 'schema.diff' });
  const findings = diff && findingsOf(diff);
  return {
    values: {
      schema_diff: text?.value,
      schema_changed: diff && String(diff.databases.some(isChanged)),
      schema_diff_path: text?.path,
      findings: findings && findingsOutput(findings),
      destructive: findings && String(findings.some(({ level }) => level === 'destructive')),
    },
    problem: text?.problem,
  };
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
