import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import * as events from '../../tools/runner/events.ts';
import { NODE } from '../../tools/runner/runner.ts';
import type { ServiceOptions } from '../../tools/service/index.ts';
import { type ForwardProxy, type ProxyOptions, startProxy } from '../support/proxy.ts';
import { type Scenario, withScenario } from '../support/scenario.ts';

/**
 * Starts a service and a proxy in front of it, and writes the service's certificate to a file. The action never uses a proxy for
 * loopback, so `host` and `api_host` use `0.0.0.0`, which is the same machine.
 */
async function behindProxy(
  { service, proxy: proxyOptions }: { service: ServiceOptions; proxy?: ProxyOptions },
  test: (at: {
    scene: Scenario;
    proxy: ForwardProxy;
    ca: string;
    host: string;
    inputs: { api_host: string };
  }) => Promise<unknown>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'certificate-'));
  const proxy = await startProxy(proxyOptions);
  try {
    await withScenario(service, async (scene) => {
      const ca = join(folder, 'ca.pem');
      writeFileSync(ca, scene.service.certificate ?? '');
      const origin = scene.service.origin.replace('127.0.0.1', '0.0.0.0');
      await test({ scene, proxy, ca, host: new URL(origin).host, inputs: { api_host: origin } });
    });
  } finally {
    await proxy.close();
    rmSync(folder, { recursive: true });
  }
}

const event = events.pullRequest({ number: 7 });

/** Runs the npm package `proxy`, an independent implementation, as a separate process. */
async function withProxyProcess(test: (url: string) => Promise<unknown>): Promise<void> {
  const file = join(dirname(createRequire(import.meta.url).resolve('proxy')), 'bin/proxy.js');
  const authenticate = 'test "$PROXY_AUTH_USERNAME:$PROXY_AUTH_PASSWORD" = "octo:p@ss"';
  const child = spawn(NODE, [file, '--port', '0', '--authenticate', authenticate], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const gone = once(child, 'exit');
  try {
    const [line] = await Promise.race([once(createInterface(child.stdout), 'line'), gone.then(() => ['it ended'])]);
    const [, port] = /port (\d+)$/.exec(line) ?? [];
    if (port === undefined) throw new Error(`The proxy did not start: ${line}`);
    await test(`http://octo:p%40ss@127.0.0.1:${port}`);
  } finally {
    child.kill('SIGKILL');
    await gone;
  }
}

describe('a service behind a proxy', () => {
  it('is reached through a third-party proxy, and only with its password', async () => {
    await withProxyProcess((url) =>
      behindProxy({ service: { tls: true } }, async ({ scene, ca, inputs }) => {
        const env = { NODE_EXTRA_CA_CERTS: ca, RUNNER_DEBUG: '1' };
        const run = await scene.succeeds({ event, inputs, env: { ...env, HTTPS_PROXY: url }, secrets: ['p@ss'] });
        expect(run.outputs.created).toBe('true');
        const without = { ...env, HTTPS_PROXY: url.replace('octo:p%40ss@', '') };
        const refused = await scene.fails({ event, env: without, inputs });
        expect(refused.requests).toEqual([]);
        expect(refused.message).toMatch(/Proxy response \(407\)/);
        expect(refused.message).toContain('user name and password');
      }),
    );
  });

  it('is reached through a tunnel with a private CA', async () => {
    await behindProxy({ service: { tls: true } }, async ({ scene, proxy, ca, host, inputs }) => {
      const env = { HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: ca };
      const run = await scene.succeeds({ event, inputs, env });
      expect(run.outputs).toMatchObject({ created: 'true', branch_name: 'preview/pr-7' });
      expect(proxy.hosts.length).toBeGreaterThan(0);
      expect(new Set(proxy.hosts)).toEqual(new Set([host]));
      // Requests share tunnels, so the proxy cannot see each of them.
      expect(proxy.hosts.length).toBeLessThan(run.requests.length);
    });
  });

  it('is never reached through a proxy on loopback', async () => {
    await behindProxy({ service: { tls: true } }, async ({ scene, proxy, ca }) => {
      await scene.succeeds({ event, env: { HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: ca } });
      expect([...proxy.hosts, ...proxy.refused]).toEqual([]);
    });
  });

  it('is reached by a host name that only the proxy can resolve', async () => {
    await withScenario({ tls: true }, async (inside) => {
      const { host } = new URL(inside.service.origin);
      await behindProxy(
        { service: { tls: true }, proxy: { routes: { 'service.test:443': host } } },
        async ({ proxy, ca }) => {
          writeFileSync(ca, inside.service.certificate ?? '');
          const env = { HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: ca };
          await inside.succeeds({ event, env, inputs: { api_host: 'https://service.test' } });
          expect(new Set(proxy.hosts)).toEqual(new Set(['service.test:443']));
        },
      );
    });
  });

  it('is reached without the proxy if NO_PROXY contains the host', async () => {
    await behindProxy({ service: { tls: true } }, async ({ scene, proxy, ca, host, inputs }) => {
      const env = { HTTPS_PROXY: proxy.url, NO_PROXY: host.replace(/:\d+$/, ''), NODE_EXTRA_CA_CERTS: ca };
      expect((await scene.succeeds({ event, inputs, env })).outputs.created).toBe('true');
      expect(proxy.hosts).toEqual([]);
    });
  });

  it('is not trusted with an unknown certificate; the step fails at once and says what to set', async () => {
    await behindProxy({ service: { tls: true } }, async ({ scene, proxy, host, inputs }) => {
      const run = await scene.fails({ event, inputs, env: { HTTPS_PROXY: proxy.url } });
      expect(run.message).toMatch(/certificate.* \(\w+\)/);
      expect(run.message).toContain('NODE_EXTRA_CA_CERTS');
      // One attempt, and the key was not sent.
      expect(proxy.hosts).toEqual([host]);
      expect(run.requests).toEqual([]);
    });
  });

  it('is unreachable if the proxy is down; the step fails before its timeout', async () => {
    await behindProxy({ service: { tls: true } }, async ({ scene, ca, inputs }) => {
      // Nothing listens on port 1. The port of a proxy that was closed may be somebody else's by now.
      const env = { HTTPS_PROXY: 'http://127.0.0.1:1', NODE_EXTRA_CA_CERTS: ca };
      const run = await scene.fails({ event, env, inputs: { ...inputs, timeout: '5s' } });
      expect(run.message).toContain('connect ECONNREFUSED');
      expect(run.requests).toEqual([]);
    });
  });

  it('is not retried if the proxy refuses it', async () => {
    const status = 403;
    await behindProxy(
      { service: { tls: true }, proxy: { connectStatus: status } },
      async ({ scene, proxy, ca, inputs }) => {
        const env = { HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: ca };
        const create = { resource: 'role', verb: 'create', branch_id: scene.service.main.id, body: '{"name": "app"}' };
        for (const step of [{ inputs }, { action: 'manage' as const, inputs: { ...inputs, ...create } }]) {
          const run = await scene.fails({ event, env, ...step });
          expect(run.message).toContain(`Proxy response (${status})`);
          // Nothing reached the service, so nothing can have taken effect.
          expect(run.message).not.toMatch(/may still have taken effect|attempts/);
        }
        expect(proxy.refused).toHaveLength(2);
      },
    );
  });

  it('is retried if the proxy fails', async () => {
    await behindProxy(
      { service: { tls: true }, proxy: { connectStatus: 503, failures: 1 } },
      async ({ scene, proxy, ca, inputs }) => {
        const env = { HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: ca };
        await scene.succeeds({ event, env, inputs });
        expect(proxy.refused).toHaveLength(1);
      },
    );
  });

  it.each(['directly', 'through a proxy'])('is not trusted without a certificate check, %s', async (way) => {
    await behindProxy({ service: { tls: true } }, async ({ scene, proxy, inputs }) => {
      const env = {
        NODE_TLS_REJECT_UNAUTHORIZED: '0',
        ...(way === 'directly' ? {} : { HTTPS_PROXY: proxy.url }),
      };
      // Node.js prints a warning to stderr that verification is off.
      const run = await scene.play({ event, inputs, env });
      expect(run.code).toBe(1);
      expect(run.message).toMatch(/certificate.* \(\w+\)/);
      expect(run.annotations.warning.join()).toContain('NODE_TLS_REJECT_UNAUTHORIZED=0 is ignored');
      expect(run.requests).toEqual([]);
    });
  });
});

describe.concurrent('a step ends with its timeout, and reports, whatever the connection does', () => {
  const ends = async (scene: Scenario, api_host: string, env: Record<string, string> = {}) => {
    const run = await scene.play({ event, inputs: { api_host, timeout: '3s' }, env });
    expect(run).toMatchObject({ code: 1, outputs: { created: 'false' } });
    expect(run.message).toMatch(/Timed out after 3s|would exceed `timeout`/);
    expect(run.summary).toContain(run.message?.slice(0, 40));
  };

  it('through a proxy that never responds to CONNECT', async () => {
    await behindProxy({ service: { tls: true }, proxy: { silent: true } }, async ({ scene, proxy, inputs }) => {
      await ends(scene, inputs.api_host, { HTTPS_PROXY: proxy.url });
      expect(proxy.refused.length).toBeGreaterThan(0);
    });
  });

  it('or with SIGINT, through such a proxy', async () => {
    await behindProxy({ service: { tls: true }, proxy: { silent: true } }, async ({ scene, proxy, inputs }) => {
      const at = async () => {
        while (proxy.refused.length === 0) await delay(5);
      };
      const cancel = { at, signals: [{ signal: 'SIGINT' as const, afterMs: 0 }] };
      const run = await scene.fails({ event, inputs, env: { HTTPS_PROXY: proxy.url }, cancel });
      expect(run.message).toMatch(/^The step was cancelled \(SIGINT\) while trying to create branch "preview\/pr-7"/);
      expect(run.summary).toContain('The step was cancelled');
    });
  });

  it('with a body without end', async () => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => {}).write('HTTP/1.1 200 OK\r\n\r\n[');
      const timer = setInterval(() => socket.write(' '), 100);
      socket.on('close', () => clearInterval(timer));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const { port } = server.address() as AddressInfo;
      await withScenario({}, (scene) => ends(scene, `http://127.0.0.1:${port}`));
    } finally {
      for (const socket of sockets) socket.destroy();
      server.close();
    }
  });
});
