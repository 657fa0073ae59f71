import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runAction } from '../../tools/runner/runner.ts';
import { selfSigned } from '../../tools/service/certificate.ts';

it('works with a service that speaks only HTTP/2', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'http2-'));
  const { key, cert } = selfSigned();
  const server = createSecureServer({ key, cert, allowHTTP1: false });
  const paths: string[] = [];
  server.on('stream', (stream, headers) => {
    paths.push(String(headers[':path']));
    stream.respond({ ':status': 200, 'content-type': 'application/json' });
    stream.end('{"branches": []}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const ca = join(folder, 'ca.pem');
    writeFileSync(ca, cert);
    const { port } = server.address() as AddressInfo;
    const run = await runAction({
      inputs: {
        ...{ api_key: 'napi_of_this_test_0123', project_id: 'quiet-moon-1', api_host: `https://127.0.0.1:${port}` },
        ...{ command: 'delete', branch_name: 'none' },
      },
      env: { NODE_EXTRA_CA_CERTS: ca },
    });
    expect(run).toMatchObject({ code: 0, outputs: { deleted: 'false' } });
    expect(paths).toEqual(['/api/v2/projects/quiet-moon-1/branches?limit=1000&sort_by=created_at&sort_order=asc']);
  } finally {
    server.close();
    rmSync(folder, { recursive: true });
  }
});
