import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type GitHub, startGitHub } from '../../../tools/github/index.ts';
import { client } from '../../../tools/rehearse/measure.ts';
import { pullRequest } from '../../../tools/runner/events.ts';
import { type Service, startService } from '../../../tools/service/index.ts';
import { playExample, results } from '../../support/workflow/example.ts';

let service: Service;
let github: GitHub;
let folder = '';
beforeAll(async () => {
  service = await startService({ operationMs: 0 });
  github = await startGitHub();
  github.state.addPull({ number: 7 });
  folder = mkdtempSync(join(tmpdir(), 'tools-'));
  // Stands in for every tool: what it is called with to migrate makes it migrate.
  const steps = JSON.stringify([{ sql: 'CREATE TABLE IF NOT EXISTS added_by_tool (id integer)' }]);
  const script = `#!/bin/sh\ncase "$*" in *migrate*) STEPS='${steps}' exec ${client};; esac\n`;
  for (const tool of ['npm', 'npx']) {
    writeFileSync(join(folder, tool), script);
    chmodSync(join(folder, tool), 0o755);
  }
});
afterAll(async () => {
  await service?.stop();
  await github?.close();
  rmSync(folder, { recursive: true, force: true });
});

it('rehearse.yml migrates a copy, and comments on the pull request', async () => {
  const env = { ...github.env, PATH: `${folder}${delimiter}${process.env.PATH}` };
  const played = await playExample('rehearse.yml', { service, event: pullRequest(), env });
  expect(results(played)).toEqual(['rehearse: success']);
  const [run] = played.jobs.flatMap(({ steps }) => steps.flatMap((step) => step.run ?? []));
  expect(JSON.parse(run?.outputs.rehearsal ?? '{}')).toMatchObject({ exit_code: 0 });
  expect(run?.annotations.warning).toEqual([]);
  expect(github.state.comments.map(({ body }) => body)).toEqual([expect.stringContaining('✅ **The migration ran')]);
  expect(service.branches().map(({ name }) => name)).toEqual(['main']);
});
