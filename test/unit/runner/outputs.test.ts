import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { EOL, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
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
