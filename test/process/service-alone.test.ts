import { cpSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { filesBelow, ROOT, read } from '../../tools/files.ts';
import { runProcess } from '../../tools/runner/process.ts';
import { NODE } from '../../tools/runner/runner.ts';
import { startService } from '../../tools/service/index.ts';

/** These work without GitHub: copied elsewhere, with undici and nothing else. */
const folders = ['service', 'http', 'secrets', 'text'];
const kinds = ['kinds', 'routes', 'requests'].map((name) => `manage/${name}.ts`);
const files = [
  ...folders.flatMap((folder) => filesBelow(`src/${folder}`, /\.ts$/)),
  ...kinds.map((file) => `src/${file}`),
];

describe('the client', () => {
  it('does not mention GitHub, and imports nothing from elsewhere', () => {
    const wrong = files.flatMap((file) => {
      const text = read(file);
      const words = text.match(/github|@actions|@octokit|\bINPUT_|\bRUNNER_|\bworkflow\b/gi) ?? [];
      const imports = [...text.matchAll(/\bfrom '([^'.][^']*)'|\bimport\(?\s*'([^'.][^']*)'/g)].map(
        ([, one, other]) => one ?? other ?? '',
      );
      const own = /^(node:[a-z/]+|undici)$/;
      // only types are taken from the vendor's client, and they leave nothing behind
      const types = /import type .* from '@neondatabase\/api-client'/.test(text) ? ['@neondatabase/api-client'] : [];
      const foreign = imports.filter((name) => !own.test(name) && !types.includes(name));
      return [...words, ...foreign].map((one) => `${file}: ${one}`);
    });
    expect(files.length).toBeGreaterThan(30);
    expect(wrong).toEqual([]);
  });

  const elsewhere = realpathSync(mkdtempSync(join(tmpdir(), 'alone-')));
  afterAll(() => rmSync(elsewhere, { recursive: true, force: true }));

  it('works alone in another folder', async () => {
    const service = await startService({ compute: 'none', operationMs: 5 });
    try {
      for (const part of [...folders, ...kinds])
        cpSync(join(ROOT, 'src', part), join(elsewhere, part), { recursive: true });
      symlinkSync(join(ROOT, 'node_modules'), join(elsewhere, 'node_modules'));
      writeFileSync(join(elsewhere, 'package.json'), '{"type": "module"}');
      writeFileSync(join(elsewhere, 'script.ts'), script);
      const lines: string[] = [];
      const ended = await runProcess({
        file: NODE,
        args: [join(elsewhere, 'script.ts'), service.baseUrl, service.apiKey, service.projectId],
        cwd: elsewhere,
        // not one variable of a runner's, or of this machine's
        env: {},
        timeoutMs: 150_000,
        onLine: (stream, line) => lines.push(`${stream}: ${line}`),
      });
      expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code: 0, stderr: '' });
      expect(lines).toEqual([
        'stdout: branch created: true',
        'stdout: roles: app, neondb_owner',
        'stdout: role again: false',
        'stdout: key in masks: true',
        'stdout: role gone: true',
        'stdout: branches left: main',
      ]);
      expect(service.violations).toEqual([]);
    } finally {
      await service.stop();
    }
  });
});

const script = `
import { findBranchByName } from './service/branches.ts';
import { createClient } from './http/client.ts';
import { deadlineIn, systemClock } from './http/clock.ts';
import { createFetch } from './http/transport.ts';
import { createRequest } from './service/create.ts';
import { pollOperations } from './service/operations.ts';
import { createObject, deleteObject, listObjects } from './manage/requests.ts';
import { kindOf } from './manage/kinds.ts';
import { operations } from './service/types.ts';

const [baseUrl = '', apiKey = '', projectId = ''] = process.argv.slice(2);
const masks: string[] = [];
const api = createClient({ baseUrl, apiKey, deadline: deadlineIn(120_000, { signal: AbortSignal.timeout(120_000), clock: systemClock }), fetch: await createFetch(baseUrl), mask: (secret) => masks.push(secret) });
const ended = (body: unknown) =>
  pollOperations({ api, projectId, operations: operations((body as { operations?: unknown }).operations, 'operations') });
const kind = (name: string) => kindOf(name)!;

const created = await api.request(createRequest({ projectId, branch: { name: 'alone', metadata: {} } }));
console.log('branch created:', created.status === 201);
await pollOperations({ api, projectId, operations: created.value.operations });
const branch = (await findBranchByName({ api, projectId, name: 'alone' }))!;
const owners = { projectId, branchId: branch.branch.id };

const payload = { role: { name: 'app' } };
await ended((await createObject({ api, kind: kind('role'), owners, payload })).response.value);
const roles = (await listObjects({ api, kind: kind('roles'), owners })).items as { name: string }[];
console.log('roles:', roles.map((role) => role.name).sort().join(', '));
console.log('role again:', (await createObject({ api, kind: kind('Role'), owners, payload })).created);

const key = (await createObject({ api, kind: kind('api key'), owners: {}, payload: { key_name: 'alone' } })).response.value as { key: string };
console.log('key in masks:', masks.includes(key.key));

const gone = await deleteObject({ api, kind: kind('role'), owners, id: 'app' });
await ended(gone.response.value);
console.log('role gone:', gone.deleted);
await ended((await deleteObject({ api, kind: kind('branch'), owners: { projectId }, id: branch.branch.id })).response.value);
const left = (await listObjects({ api, kind: kind('branches'), owners: { projectId } })).items as { name: string }[];
console.log('branches left:', left.map((one) => one.name).join(', '));
api.close();
`;
