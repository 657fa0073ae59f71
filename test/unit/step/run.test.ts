import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../../src/http/errors.ts';
import { type Action, type Facts, noFacts, type Step } from '../../../src/step/action.ts';
import { type CommonInputs, common, flag, optional, project } from '../../../src/step/inputs.ts';
import { forgetSecrets } from '../../../src/step/log.ts';
import { runAction } from '../../../src/step/run.ts';
import { branchName } from '../../../src/step/values.ts';

interface Inputs extends CommonInputs {
  project_id: string;
  branch_name: string | undefined;
}

function action(run: (step: Step<Inputs, Facts>) => Promise<void>): Action<Inputs, Facts> {
  return {
    title: 'test',
    inputs: { ...common, project_id: project, branch_name: optional(branchName), wait: flag(true) },
    check: ({ inputs }) => (inputs.branch_name === 'main' ? ['branch_name must not be main'] : []),
    empty: noFacts,
    run,
    outputs: ({ done, skipped }) => ({ done, skipped: String(skipped), absent: undefined }),
    report: ({ done }) => [`About ${done}`],
  };
}

let folder: string;
let lines: string[];
const kept = { env: process.env, exitCode: process.exitCode };

beforeEach(() => {
  forgetSecrets();
  folder = mkdtempSync(join(tmpdir(), 'step-'));
  const file = (name: string) => {
    writeFileSync(join(folder, name), '');
    return join(folder, name);
  };
  process.env = {
    GITHUB_OUTPUT: file('output'),
    GITHUB_STEP_SUMMARY: file('summary'),
    GITHUB_EVENT_NAME: 'push',
    INPUT_API_KEY: 'napi_secret',
    INPUT_PROJECT_ID: 'shiny-wind-028834',
  };
  lines = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text).trimEnd()) > 0);
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  process.env = kept.env;
  process.exitCode = kept.exitCode;
  rmSync(folder, { recursive: true });
});

const written = (name: string) => readFileSync(join(folder, name), 'utf8');
const outputs = () =>
  Object.fromEntries(
    [...written('output').matchAll(/^(\w+)<<(\S+)\n(.*)\n\2$/gm)].map(([, name, , value]) => [name, value]),
  );

describe('a step', () => {
  it('writes what its action has recorded: notice, outputs and summary', async () => {
    await runAction(action(async ({ record }) => record({ done: 'Read branch "x"' })));
    expect(process.exitCode).toBe(kept.exitCode);
    expect(lines).toContain('::notice title=Database Branch%3A test::Read branch "x"');
    expect(outputs()).toEqual({ done: 'Read branch "x"', skipped: 'false' });
    expect(written('summary')).toMatch(
      /^### Database branch: test\n\nRead branch "x"\. The step took .+\n\nAbout Read/,
    );
  });

  it('writes what was recorded before an error, and fails', async () => {
    await runAction(
      action(async ({ record }) => {
        record({ done: 'half' });
        throw new Error('the rest went wrong');
      }),
    );
    expect(process.exitCode).toBe(1);
    expect(lines).toContain('::error title=Database Branch::the rest went wrong.');
    expect(outputs()).toMatchObject({ done: 'half' });
    expect(written('summary')).toContain('❌ **Failed** after');
  });

  it('reports all invalid inputs at once, before the action runs', async () => {
    const run = vi.fn();
    Object.assign(process.env, { INPUT_BRANCH_NAME: 'main', INPUT_TIMEOUT: 'soon', INPUT_PROJECT_ID: '' });
    await runAction(action(run));
    expect(run).not.toHaveBeenCalled();
    const [error = ''] = lines.filter((line) => line.startsWith('::error'));
    expect(error).toContain('3 invalid inputs:');
    for (const part of ['project_id is required', 'timeout: "soon" is invalid', 'branch_name must not be main'])
      expect(error).toContain(part);
  });

  it('refuses unknown inputs that look like one of its own, and no others', async () => {
    const run = vi.fn();
    Object.assign(process.env, { INPUT_PARENT_ID: 'br-x', INPUT_COLOR: 'red', INPUT_MASKED: '' });
    await runAction(action(run));
    expect(run).not.toHaveBeenCalled();
    const [error = ''] = lines.filter((line) => line.startsWith('::error'));
    expect(error).toContain('parent_id is not an input of this action; its inputs are api_key,');
    expect(error).not.toContain('color');
  });

  it('is skipped without a key if it may be', async () => {
    const run = vi.fn();
    Object.assign(process.env, { INPUT_API_KEY: '', INPUT_ON_MISSING_KEY: 'skip', INPUT_TIMEOUT: 'soon' });
    await runAction(action(run));
    expect(run).not.toHaveBeenCalled();
    expect(process.exitCode).toBe(kept.exitCode);
    expect(outputs()).toMatchObject({ skipped: 'true' });
  });

  it('masks the key before anything else, and writes no summary if none is wanted', async () => {
    Object.assign(process.env, { INPUT_SUMMARY: 'false' });
    await runAction(action(async ({ record }) => record({ done: 'The key is napi_secret' })));
    expect(lines[0]).toBe('::add-mask::napi_secret');
    expect(lines.slice(1).join('\n')).not.toContain('napi_secret');
    expect(written('summary')).toBe('');
  });

  it('ends seconds after its timeout, with what is known, even if its action waits for ever', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    Object.assign(process.env, { INPUT_TIMEOUT: '3s' });
    const ended = runAction(
      action(async ({ record }) => {
        record({ done: 'half' });
        await new Promise(() => {});
      }),
    );
    await vi.advanceTimersByTimeAsync(10_000);
    await ended;
    expect(process.exitCode).toBe(1);
    expect(lines.join('\n')).toContain('::error title=Database Branch::Timed out after 3s (`timeout`).');
    expect(outputs()).toMatchObject({ done: 'half' });
    expect(written('summary')).toContain('❌ **Failed** after');
  });

  it.each([true, false])('says once whether a failed request may have taken effect (%s)', async (mayHaveActed) => {
    const failure = { kind: 'status', what: '502', mayHaveActed, status: 502 } as const;
    await runAction(
      action(async () => {
        throw new ApiError({ goal: 'make it', path: '/x', failure, attempts: 1, mayHaveActed });
      }),
    );
    const unsure = mayHaveActed ? ' The request may still have taken effect.' : '';
    expect(lines).toContain(
      `::error title=Database Branch::Could not make it: 502.${unsure} The service is failing (5xx); run the step again.`,
    );
  });

  it('takes a mistake in the code for a bug of the action', async () => {
    await runAction(
      action(async () => {
        throw new TypeError('x is not a function');
      }),
    );
    expect(lines.join('\n')).toContain('Bug in this action: x is not a function. Please report it');
  });
});
