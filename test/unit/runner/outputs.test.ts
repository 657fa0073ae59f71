import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { emptyResult } from '../../../src/result.ts';
import { mask } from '../../../src/runner/log.ts';
import { writeOutputs } from '../../../src/runner/outputs.ts';

let folder = '';
let output = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'outputs-'));
  output = join(folder, 'output');
  writeFileSync(output, '');
  vi.stubEnv('GITHUB_OUTPUT', output);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

describe('a large response', () => {
  const result = { ...emptyResult(), response: { body: 'x'.repeat(1_000_001), status: 200 } };

  it('is in a file', () => {
    vi.stubEnv('RUNNER_TEMP', folder);
    expect(writeOutputs({ command: 'manage', result })).toEqual([]);
    expect(readFileSync(output, 'utf8')).toMatch(/^response_path<</m);
  });

  it('does not cost the other outputs if the file cannot be written', () => {
    vi.stubEnv('RUNNER_TEMP', join(folder, 'nowhere'));
    expect(writeOutputs({ command: 'manage', result })).toEqual([
      expect.stringMatching(/^Could not write the response to a file \(RUNNER_TEMP\): ENOENT.*\.$/),
    ]);
    const written = readFileSync(output, 'utf8');
    expect(written).toMatch(/^status<<\S+\n200\n/m);
    expect(written).toMatch(/^command<</m);
    expect(written).not.toMatch(/^response_path<</m);
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
