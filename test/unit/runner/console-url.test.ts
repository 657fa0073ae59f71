import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { finish } from '../../../src/finish.ts';
import { commandNames } from '../../../src/inputs/commands.ts';
import { readInputs } from '../../../src/inputs/load.ts';
import { emptyResult } from '../../../src/result.ts';
import type { Branch } from '../../../src/service/types.ts';
import { defaults, sourceOf } from '../../../tools/runner/inputs.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'console-'));
  writeFileSync(join(folder, 'output'), '');
  vi.stubEnv('GITHUB_OUTPUT', join(folder, 'output'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

it('`console_url` is an output of the commands that leave a branch to look at', () => {
  const { inputs } = readInputs({ source: sourceOf({ ...defaults, project_id: 'shiny-wind-028834' }), mask: () => {} });
  const branch = { id: 'br-1', name: 'preview/pr-7' } as Branch;
  const page = 'https://console.neon.tech/app/projects/shiny-wind-028834/branches/br-1';
  const having = commandNames.filter((command) => {
    writeFileSync(join(folder, 'output'), '');
    finish({
      ...{ command, result: { ...emptyResult(), branch }, inputs: inputs as Parameters<typeof finish>[0]['inputs'] },
      ...{ failed: undefined, wantsSummary: false, docsUrl: undefined, ms: () => 0 },
    });
    return /^console_url<<\S+\r?\n(.*)$/m.exec(readFileSync(join(folder, 'output'), 'utf8'))?.[1] === page;
  });
  expect(having.toSorted()).toEqual(['create', 'diff', 'get', 'reset', 'wait']);
});
