import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Running } from '../../tools/runner/process.ts';
import { selfSigned } from '../../tools/service/certificate.ts';
import { accepted, authentication, sasl, startPostgresServer } from '../support/postgres-server.ts';
import { scenario } from '../support/scenario.ts';

const scene = scenario({ compute: 'postgres' });
const check = (name: string, inputs: Record<string, string> = {}) => ({
  inputs: { branch_name: name, check_connection: 'true', ...inputs },
});

/** Runs a step while every response has modified connection URIs for one branch. */
async function withUris<T>(branch: string, change: (uri: string) => string, step: () => Promise<T>): Promise<T> {
  const { service } = scene;
  const id = service.branch(branch)?.id;
  const fault = service.faults.add({
    method: 'GET',
    path: /connection_uri$/,
    when: ({ query }) => query.branch_id === id,
    transform: (body) => {
      const uri = change((body as { uri: string }).uri);
      service.secrets.add(uri);
      return { uri };
    },
  });
  try {
    return await step();
  } finally {
    fault.remove();
  }
}

/** Points the connection at another server, `<address>:<port>`. */
const to = (host: string) => (uri: string) => uri.replace(/@[^/]+\//, `@${host}/`);

async function listening<T>(server: Server, use: (host: string) => Promise<T>): Promise<T> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await use(`127.0.0.1:${(server.address() as { port: number }).port}`);
  } finally {
    server.close();
  }
}

describe('check_connection', () => {
  it.each(['require', 'omit'])('continues once Postgres accepts a connection (ssl: %s)', async (ssl) => {
    const run = await scene.succeeds(check(`answers-${ssl}`, { ssl }));
    expect(run.stdout).toMatch(/answered SELECT 1 after \S+s \(1 attempt\)/);
    expect(run.outputs.db_url?.includes('sslmode')).toBe(ssl === 'require');
  });

  it('verifies the certificate if `ssl` requires it', async () => {
    await scene.service.addBranch({ name: 'verified' });
    for (const ssl of ['verify-ca', 'verify-full']) {
      const run = await scene.fails(check('verified', { ssl }));
      expect(run.message).toMatch(
        /Could not connect to 127\.0\.0\.1:\d+ .*1 attempt\).*self-signed certificate.*NODE_EXTRA_CA_CERTS/i,
      );
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

  it('verifies the certificate regardless of NODE_TLS_REJECT_UNAUTHORIZED', async () => {
    await scene.service.addBranch({ name: 'verified-anyway' });
    for (const ssl of ['verify-ca', 'verify-full']) {
      const env = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
      const run = await scene.play({ ...check('verified-anyway', { ssl }), env });
      expect(run.message).toMatch(/self-signed certificate/i);
      expect(run.annotations.warning.join()).toContain('NODE_TLS_REJECT_UNAUTHORIZED=0 is ignored');
    }
  });

  it.each<[string, Buffer[], RegExp]>([
    ['a clear-text password', [authentication(3)], /asked for a clear-text or MD5 password/],
    ['an MD5 password', [authentication(5, 'salt')], /asked for a clear-text or MD5 password/],
    ['SCRAM without channel binding', [sasl('SCRAM-SHA-256')], /does not offer SCRAM-SHA-256-PLUS/],
    [
      'a clear-text password after SCRAM with channel binding',
      [sasl('SCRAM-SHA-256-PLUS', 'SCRAM-SHA-256'), authentication(3)],
      /asked for a clear-text or MD5 password/,
    ],
    ['nothing', [accepted], /accepted the login without it/],
    [
      'nothing after SCRAM with channel binding',
      [sasl('SCRAM-SHA-256-PLUS'), accepted],
      /accepted the login without it/,
    ],
  ])(
    'sends no password to a server that requests %s if the URI has channel_binding=require',
    async (what, messages, error) => {
      const name = `bound-${what.replace(/\W+/g, '-').toLowerCase()}`;
      await scene.service.addBranch({ name });
      const login = (_: number, message: number) => messages[message - 1] ?? Buffer.alloc(0);
      const { host, received, close } = await startPostgresServer({ tls: selfSigned(), login });
      try {
        const change = (uri: string) => to(host)(uri).replace(/\?.*$/, '?sslmode=require&channel_binding=require');
        const run = await withUris(name, change, () => scene.fails(check(name)));
        expect(run.message).toContain('channel_binding=require');
        expect(run.message).toMatch(error);
        expect(run.message).toContain('1 attempt');
        expect(run.message).toContain('Check whether a proxy between the runner and the server terminates TLS.');
        const password = new URL(scene.service.uri(name)).password;
        expect(received.join('')).not.toContain(decodeURIComponent(password));
      } finally {
        close();
      }
    },
  );

  it('sends no password without TLS if the URI has channel_binding=require', async () => {
    await scene.service.addBranch({ name: 'bound-plain' });
    const { host, received, visits, close } = await startPostgresServer();
    try {
      for (const query of ['channel_binding=require', 'sslmode=disable&channel_binding=require']) {
        const change = (uri: string) => to(host)(uri).replace(/\?.*$/, `?${query}`);
        const run = await withUris('bound-plain', change, () => scene.fails(check('bound-plain', { ssl: 'omit' })));
        expect(run.message).toMatch(/channel_binding=require, but/);
      }
      // Requests for TLS, but no login.
      expect(visits()).toBeGreaterThan(0);
      expect(received).toEqual([]);
    } finally {
      close();
    }
  });

  it('gives up on a wrong password after a few attempts, and quotes Postgres', async () => {
    await scene.service.addBranch({ name: 'locked' });
    const wrong = 'notThePassword77';
    const change = (uri: string) => uri.replace(/:[^:@/]+@/, `:${wrong}@`);
    const run = await withUris('locked', change, () => scene.fails({ ...check('locked'), secrets: [wrong] }));
    expect(run.message).toContain('4 attempts');
    expect(run.message).toContain('password authentication failed for user "neondb_owner"');
    expect(run.message).toContain(
      'Check that `role` exists on this branch. If it does, its password may have been changed',
    );
    expect(run.outputs).toMatchObject({ created: 'false', branch_id: scene.service.branch('locked')?.id });
    expect(run.outputs.db_url).toBeUndefined();
  });

  it('waits while the server starts', async () => {
    await scene.service.addBranch({ name: 'slow' });
    let visits = 0;
    const { connect } = await import('node:net');
    const behind = Number(new URL(scene.service.uri('slow')).port);
    const door = createServer((visitor) => {
      visitor.on('error', () => {});
      if (++visits <= 4) return void visitor.destroy();
      const inner = connect(behind, '127.0.0.1');
      inner.on('error', () => {});
      visitor.pipe(inner).pipe(visitor);
    });
    await listening(door, async (host) => {
      const run = await withUris('slow', to(host), () => scene.succeeds(check('slow')));
      expect(run.stdout).toMatch(/Could not connect to \S+ yet: /);
      expect(run.stdout).toMatch(/answered SELECT 1 after .* \(\d attempts\)/);
    });
  });
});

// Slow, so concurrent.
describe.concurrent('check_connection stops at the timeout of the step', () => {
  async function fails(name: string, inputs: Record<string, string>, greet: (visitor: Socket) => void) {
    let saidAt = Number.NaN;
    const cancel = {
      // No signal is sent.
      at: async ({ line }: Running) => {
        await line(/^::error/);
        saidAt = performance.now();
      },
      signals: [],
    };
    await scene.service.addBranch({ name });
    const server = createServer((visitor) => {
      visitor.on('error', () => {});
      greet(visitor);
    });
    // These servers have no working TLS.
    const change = (host: string) => (uri: string) => to(host)(uri).replace('&channel_binding=require', '');
    return listening(server, (host) =>
      withUris(name, change(host), async () => {
        const run = await scene.fails({ ...check(name, inputs), cancel });
        return { ...run, afterErrorMs: performance.now() - saidAt };
      }),
    );
  }

  it('if the server closes every connection, and quotes the last error', async () => {
    const run = await fails('never', { timeout: '12s' }, (visitor) => visitor.destroy());
    expect(run.message).toMatch(
      /Timed out.*`check_connection`.*the previous attempt failed: |`check_connection`.*the next attempt would exceed `timeout`/,
    );
    expect(run.outputs.db_url).toBeUndefined();
  });

  it.each<[string, string, (visitor: Socket) => void]>([
    ['says nothing', 'require', () => {}],
    ['agrees to TLS and then says nothing', 'require', (visitor) => visitor.once('data', () => visitor.write('S'))],
    ['has no TLS and then says nothing', 'omit', (visitor) => visitor.once('data', () => visitor.write('N'))],
  ])('if the server %s', async (what, ssl, greet) => {
    const run = await fails(what.replaceAll(' ', '-'), { timeout: '10s', ssl }, greet);
    for (const input of ['`timeout`', '`check_connection`']) expect(run.message).toContain(input);
    // Open handles must not keep the process alive: the Postgres client alone would give up 10 s after it has started.
    expect(run.afterErrorMs).toBeLessThan(5_000);
    expect(run.stdout).not.toContain('unhandledRejection');
    expect(run.outputs.db_url).toBeUndefined();
  });
});
