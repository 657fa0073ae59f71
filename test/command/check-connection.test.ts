import { createServer, type Server, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { Running } from '../../tools/runner/process.ts';
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
    expect(run.stdout).toMatch(/answered SELECT 1 after /);
    expect(run.outputs.db_url?.includes('sslmode')).toBe(ssl === 'require');
  });

  it('gives up on a wrong password after a few attempts, and quotes Postgres', async () => {
    await scene.service.addBranch({ name: 'locked' });
    const wrong = 'notThePassword77';
    const change = (uri: string) => uri.replace(/:[^:@/]+@/, `:${wrong}@`);
    const run = await withUris('locked', change, () => scene.fails({ ...check('locked'), secrets: [wrong] }));
    expect(run.message).toContain('4 attempts');
    expect(run.message).toContain('password authentication failed for user "neondb_owner"');
    expect(run.message).toContain(
      'Check `role` and `database`, that the role may connect to this database, and that its password was not changed',
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
      expect(run.stdout).toMatch(/answered SELECT 1 after /);
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
  ])('if the server %s', async (what, ssl, greet) => {
    const run = await fails(what.replaceAll(' ', '-'), { timeout: '10s', ssl }, greet);
    for (const input of ['`timeout`', '`check_connection`']) expect(run.message).toContain(input);
    // Open handles must not keep the process alive: the Postgres client alone would give up 10 s after it has started.
    expect(run.afterErrorMs).toBeLessThan(5_000);
    expect(run.stdout).not.toContain('unhandledRejection');
    expect(run.outputs.db_url).toBeUndefined();
  });
});
