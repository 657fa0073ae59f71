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
const files = folders.flatMap((folder) => filesBelow(`src/${folder}`, /\.ts$/));

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
      for (const part of folders) cpSync(join(ROOT, 'src', part), join(elsewhere, part), { recursive: true });
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
        'stdout: branch found: true',
        'stdout: password in masks: true',
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

const [baseUrl = '', apiKey = '', projectId = ''] = process.argv.slice(2);
const masks: string[] = [];
const api = createClient({ baseUrl, apiKey, deadline: deadlineIn(120_000, { signal: AbortSignal.timeout(120_000), clock: systemClock }), fetch: await createFetch(baseUrl), mask: (secret) => masks.push(secret) });

const created = await api.request(createRequest({ projectId, branch: { name: 'alone', metadata: {} } }));
console.log('branch created:', created.status === 201);
await pollOperations({ api, projectId, operations: created.value.operations });
const branch = await findBranchByName({ api, projectId, name: 'alone' });
console.log('branch found:', branch?.branch.name === 'alone');
const { value: role } = await api.request({
  ...{ goal: 'create a role', method: 'POST', path: \`/projects/\${projectId}/branches/\${branch?.branch.id}/roles\` },
  ...{ body: { role: { name: 'app' } }, read: (body) => (body as { role: { password: string } }).role },
});
console.log('password in masks:', masks.includes(role.password));
api.close();
`;
