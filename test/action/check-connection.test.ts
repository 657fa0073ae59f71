import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scenario } from '../support/scenario.ts';

const scene = scenario({ compute: 'postgres' });
const check = (name: string, inputs: Record<string, string> = {}) => ({
  inputs: { branch_name: name, check_connection: 'true', ...inputs },
});

/** Runs a step while every address that the service hands out is changed. */
async function withUris<T>(change: (uri: string) => string, step: () => Promise<T>): Promise<T> {
  const fault = scene.service.faults.add({
    method: 'GET',
    path: /connection_uri$/,
    transform: (body) => {
      const uri = change((body as { uri: string }).uri);
      scene.service.secrets.add(uri);
      return { uri };
    },
  });
  try {
    return await step();
  } finally {
    fault.remove();
  }
}

async function listening<T>(server: Server, use: (port: number) => Promise<T>): Promise<T> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await use((server.address() as { port: number }).port);
  } finally {
    server.close();
  }
}

describe('check_connection', () => {
  it.each(['require', 'omit'])('goes on once Postgres has answered (ssl: %s)', async (ssl) => {
    const run = await scene.succeeds(check(`answers-${ssl}`, { ssl }));
    expect(run.stdout).toMatch(/answered SELECT 1 after \d+ ms \(1 try\)/);
    expect(run.outputs.db_url?.includes('sslmode')).toBe(ssl === 'require');
  });

  it('verifies the certificate where `ssl` says so', async () => {
    await scene.service.addBranch({ name: 'verified' });
    for (const ssl of ['verify-ca', 'verify-full']) {
      const run = await scene.fails(check('verified', { ssl }));
      expect(run.message).toMatch(/Could not connect to 127\.0\.0\.1:\d+ .*1 tries.*self-signed certificate/i);
      expect(run.outputs.db_url).toBeUndefined();
    }
    const folder = mkdtempSync(join(tmpdir(), 'ca-'));
    try {
      const NODE_EXTRA_CA_CERTS = join(folder, 'ca.pem');
      writeFileSync(NODE_EXTRA_CA_CERTS, scene.service.certificate ?? '');
      await scene.succeeds({ ...check('verified', { ssl: 'verify-full' }), env: { NODE_EXTRA_CA_CERTS } });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('gives up on a wrong password after a few tries, and says what Postgres said', async () => {
    await scene.service.addBranch({ name: 'locked' });
    const wrong = 'notThePassword77';
    const change = (uri: string) => uri.replace(/:[^:@/]+@/, `:${wrong}@`);
    const run = await withUris(change, () => scene.fails({ ...check('locked'), secrets: [wrong] }));
    expect(run.message).toContain('4 tries');
    expect(run.message).toContain('password authentication failed for user "neondb_owner"');
    expect(run.outputs).toMatchObject({ created: 'false', branch_id: scene.service.branch('locked')?.id });
    expect(run.outputs.db_url).toBeUndefined();
  });

  it('waits while the server starts', async () => {
    await scene.service.addBranch({ name: 'slow' });
    let visits = 0;
    const { connect } = await import('node:net');
    const to = Number(new URL(scene.service.uri('slow')).port);
    const door = createServer((visitor) => {
      visitor.on('error', () => {});
      if (++visits <= 4) return void visitor.destroy();
      const inner = connect(to, '127.0.0.1');
      inner.on('error', () => {});
      visitor.pipe(inner).pipe(visitor);
    });
    await listening(door, async (port) => {
      const run = await withUris(
        (uri) => uri.replace(/:\d+\//, `:${port}/`),
        () => scene.succeeds(check('slow')),
      );
      expect(run.stdout).toContain('does not answer yet');
      expect(run.stdout).toMatch(/answered SELECT 1 after .* \(\d tries\)/);
    });
  });

  it('ends with the time of the step where nobody ever answers, and says what it got', async () => {
    await scene.service.addBranch({ name: 'never' });
    const door = createServer((visitor) => {
      visitor.on('error', () => {});
      visitor.destroy();
    });
    await listening(door, async (port) => {
      const run = await withUris(
        (uri) => uri.replace(/:\d+\//, `:${port}/`),
        () => scene.fails(check('never', { timeout: '12s' })),
      );
      expect(run.message).toMatch(/`timeout`.*`check_connection`.*last said: /);
      expect(run.outputs.db_url).toBeUndefined();
    });
  });

  it.each<[string, string, (visitor: Socket) => void]>([
    ['says nothing', 'require', () => {}],
    ['agrees to TLS and says nothing then', 'require', (visitor) => visitor.once('data', () => visitor.write('S'))],
    ['has no TLS and says nothing then', 'omit', (visitor) => visitor.once('data', () => visitor.write('N'))],
  ])('ends with the time of the step where the server %s', async (what, ssl, greet) => {
    const name = what.replaceAll(' ', '-');
    await scene.service.addBranch({ name });
    const door = createServer((visitor) => {
      visitor.on('error', () => {});
      greet(visitor);
    });
    await listening(door, async (port) => {
      const run = await withUris(
        (uri) => uri.replace(/:\d+\//, `:${port}/`),
        () => scene.fails(check(name, { timeout: '3s', ssl })),
      );
      expect(run.message).toMatch(/`timeout`.*`check_connection`/);
      // what is left at the end must not keep the process: the client of Postgres alone would give up after 10 s
      expect(run.durationMs).toBeLessThan(9_000);
      expect(run.stdout).not.toContain('unhandledRejection');
      expect(run.outputs.db_url).toBeUndefined();
    });
  });
});
