import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { push, schedule } from '../../tools/runner/events.ts';
import { playWorkflow, ScriptFailed } from '../../tools/runner/workflow/play.ts';
import { workflow } from '../support/workflow/own.ts';
import { type Script, scripts } from '../support/workflow/scripts.ts';

let temp = '';
beforeEach(() => {
  temp = mkdtempSync(join(tmpdir(), 'gh-'));
});
afterEach(() => rmSync(temp, { recursive: true, force: true }));

/** A `gh` that notes its arguments, and exits with 1 if they contain one of `failing`. */
function fakeGh(...failing: string[]): { path: string; calls: () => string[] } {
  const path = join(temp, 'bin');
  mkdirSync(path, { recursive: true });
  const script = `#!/usr/bin/env bash\necho "$*" >> '${temp}/calls'\n${failing.map((one) => `[[ "$*" != *'${one}'* ]] || exit 1\n`).join('')}`;
  writeFileSync(join(path, 'gh'), script);
  chmodSync(join(path, 'gh'), 0o755);
  return { path, calls: () => readFileSync(join(temp, 'calls'), 'utf8').trim().split('\n') };
}

describe('release.yml', () => {
  /** The scripts of the job that publishes. */
  async function publish(
    gh: ReturnType<typeof fakeGh>,
    vars: Record<string, string> = { RELEASE_READY: 'true' },
  ): Promise<Script[]> {
    const done: Script[] = [];
    const run = scripts({ env: {}, path: [gh.path], done });
    await playWorkflow(workflow('release'), {
      event: push({ ref: 'refs/tags/v1.4.2' }),
      vars,
      secrets: {},
      inputs: {},
      script: (step) => (step.job === 'publish' ? run(step) : undefined),
    });
    return done;
  }

  it('publishes the files with their notes, and moves the major tag', async () => {
    const gh = fakeGh('release view');
    expect((await publish(gh)).map(({ code }) => code)).toEqual([0, 0, 0]);
    const [, create = '', ...tags] = gh.calls();
    expect(create).toMatch(/^release create v1\.4\.2 --verify-tag --title v1\.4\.2 --notes-file release\/notes\.md /);
    expect(create).toMatch(/ release\/sbom\.cdx\.json release\/SHA256SUMS$/);
    expect(tags).toEqual([
      'api repos/octo-org/octo-repo/git/ref/tags/v1 --silent',
      expect.stringMatching(
        /^api --method PATCH repos\/octo-org\/octo-repo\/git\/refs\/tags\/v1 -f sha=[0-9a-f]{40} -F force=true/,
      ),
    ]);
  });

  it('creates the major tag if there is none', async () => {
    const gh = fakeGh('git/ref/tags/v1 ', 'release view');
    expect((await publish(gh)).map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(gh.calls().at(-1)).toMatch(
      /^api --method POST repos\/octo-org\/octo-repo\/git\/refs -f ref=refs\/tags\/v1 -f sha=[0-9a-f]{40}/,
    );
  });

  it.each(['npm run build -- --check', 'npm run release'])('publishes nothing if `%s` fails', async (failing) => {
    const played = await playWorkflow(workflow('release'), {
      event: push({ ref: 'refs/tags/v1.4.2' }),
      vars: {},
      secrets: {},
      inputs: {},
      script: ({ run }) => {
        if (run === failing) throw new ScriptFailed(failing);
        return undefined;
      },
    });
    expect(played?.jobs.map(({ id, result }) => [id, result])).toEqual([
      ['check', 'success'],
      ['build', 'failure'],
      ['publish', 'skipped'],
    ]);
  });

  it('moves no tag if the release could not be created', async () => {
    const gh = fakeGh('release create', 'release view');
    expect((await publish(gh)).map(({ code }) => code)).toEqual([0, 1]);
    expect(gh.calls()).toHaveLength(2);
  });

  it('moves the major tag if the job is run again after the release was created', async () => {
    const gh = fakeGh();
    expect((await publish(gh)).map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(gh.calls().map((call) => call.split(' ')[0])).toEqual(['release', 'api', 'api']);
  });

  it('publishes nothing from an environment that nobody has set up', async () => {
    const gh = fakeGh();
    expect((await publish(gh, {})).map(({ code }) => code)).toEqual([1]);
  });
});

describe('drift.yml', () => {
  it.each([
    ['opens an issue', '', 'issue create --title'],
    ['updates the open issue', '17', 'issue edit 17 --body'],
  ])('%s', async (_, open, last) => {
    const gh = fakeGh();
    writeFileSync(
      join(gh.path, 'gh'),
      `${readFileSync(join(gh.path, 'gh'), 'utf8')}case "$*" in *list*) echo '${open}';; esac\n`,
    );
    const done: Script[] = [];
    const run = scripts({ path: [gh.path], done });
    const played = await playWorkflow(workflow('drift'), {
      event: schedule(),
      vars: {},
      secrets: {},
      inputs: {},
      script: (step) =>
        step.job === 'report' ? run(step) : step.run === 'npm run drift' ? { report: 'gone: $(x)' } : undefined,
    });
    expect(played?.jobs.map(({ result }) => result)).toEqual(['success', 'success']);
    expect(gh.calls().at(-1)).toContain(last);
    expect(gh.calls().at(-1)).toContain('gone: $(x)');
  });

  it('opens none if nothing has changed', async () => {
    const played = await playWorkflow(workflow('drift'), {
      event: schedule(),
      vars: {},
      secrets: {},
      inputs: {},
      script: () => ({}),
    });
    expect(played?.jobs.map(({ result }) => result)).toEqual(['success', 'skipped']);
  });
});
