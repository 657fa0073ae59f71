import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { EOL, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Rehearsal } from '../../../src/rehearse/observe.ts';
import { emptyResult } from '../../../src/result.ts';
import { writeOutputs } from '../../../src/runner/outputs.ts';
import { mask } from '../../../src/step/log.ts';

let folder = '';
let output = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'outputs-'));
  output = join(folder, 'output');
  writeFileSync(output, '');
  vi.stubEnv('GITHUB_OUTPUT', output);
});
/** What is in the file of outputs, with the same line breaks on every system. */
const content = () => readFileSync(output, 'utf8').replaceAll(EOL, '\n');

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

it('has null for what a rehearsal could not find out', () => {
  const relation = { name: 'public.users', rows: undefined, size: 8_192 };
  const lock = { relation, mode: 'ShareLock', blocks: 'writes', heldMs: 1.5, statement: undefined };
  const rehearsal = {
    exitCode: 0,
    durationMs: 3.4,
    walBytes: undefined,
    sampledEveryMs: 25,
    locks: [lock],
    rewritten: [],
  };
  writeOutputs({ command: 'rehearse', result: { ...emptyResult(), rehearsal: rehearsal as unknown as Rehearsal } });
  const [, json = ''] = /^rehearsal<<\S+\n(.*)$/m.exec(content()) ?? [];
  expect(JSON.parse(json)).toEqual({
    ...{ exit_code: 0, duration_ms: 3, wal_bytes: null, sampled_every_ms: 25, rewritten: [] },
    locks: [
      {
        table: 'public.users',
        rows: null,
        size: 8_192,
        mode: 'ShareLock',
        blocks: 'writes',
        held_ms: 2,
        statement: null,
      },
    ],
  });
});

describe('a schema diff', () => {
  const finding = { rule: 'drop-column', object: 'public.t.a', detail: 'text' } as const;
  const database = { database: 'app', isNew: false, isGone: false, text: '', findings: [], ignored: [] };
  const written = (name: string) => new RegExp(`^${name}<<(\\S+)\n([\\s\\S]*?)\n\\1$`, 'm').exec(content())?.[2];
  const write = (...databases: object[]) => {
    const all = databases.map((one) => ({ ...database, ...one }));
    const diff = { branchName: 'x', baseName: 'main', basePoint: undefined, all: true, failOn: [], databases: all };
    return writeOutputs({ command: 'diff', result: { ...emptyResult(), diff } });
  };

  it('is that of all databases, and findings are sorted by level', () => {
    const index = { rule: 'add-index', object: 'public.t_a', detail: '' };
    write({ text: '@@ a\n', findings: [index] }, { database: 'b', text: '@@ b\n', findings: [finding] });
    expect(written('schema_diff')).toBe('@@ a\n@@ b\n');
    expect(written('schema_changed')).toBe('true');
    expect(written('destructive')).toBe('true');
    expect(JSON.parse(written('findings') ?? '')).toEqual([
      { rule: 'drop-column', level: 'destructive', database: 'b', object: 'public.t.a', detail: 'text' },
      { rule: 'add-index', level: 'locking', database: 'app', object: 'public.t_a', detail: '' },
    ]);
    expect(written('schema_diff_path')).toBeUndefined();
  });

  it('without changes has no findings, ignored ones do not count', () => {
    write({});
    expect([written('schema_changed'), written('findings'), written('destructive')]).toEqual(['false', '[]', 'false']);
    writeFileSync(output, '');
    write({ text: '@@ a\n', ignored: [finding] });
    expect([written('schema_changed'), written('findings'), written('destructive')]).toEqual(['true', '[]', 'false']);
  });

  it('over 1 MB is in a file', () => {
    vi.stubEnv('RUNNER_TEMP', folder);
    const text = `@@ a\n${'+ä\n'.repeat(300_000)}`;
    expect(write({ text })).toEqual([]);
    expect(written('schema_diff')).toBe('');
    expect(written('schema_changed')).toBe('true');
    expect(readFileSync(written('schema_diff_path') ?? '', 'utf8')).toBe(text);
  });

  it('with too many findings has the most serious ones, and warns', () => {
    const lines: string[] = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
    const index = { rule: 'add-index', object: 'ä'.repeat(300), detail: '' };
    write({ findings: Array.from({ length: 3_000 }, () => index) }, { database: 'b', findings: [finding] });
    const kept = JSON.parse(written('findings') ?? '') as { rule: string }[];
    expect(kept[0]?.rule).toBe('drop-column');
    expect(Buffer.byteLength(written('findings') ?? '')).toBeLessThanOrEqual(1_000_000);
    expect(Buffer.byteLength(written('findings') ?? '')).toBeGreaterThan(999_000);
    expect(lines.join('')).toContain(`The output \`findings\` has only the first ${kept.length} of 3001 findings`);
  });
});

it('a text of fewer than four characters is no mask', () => {
  const written: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  for (const secret of ['', 'p', 'abc', ' abc ', '%41%42', 'abcd']) mask(secret);
  expect(written.map((line) => line.trim())).toEqual([
    '::add-mask::%2541%2542',
    '::add-mask::%252541%252542',
    '::add-mask::abcd',
  ]);
});
