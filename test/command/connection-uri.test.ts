import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pullRequest } from '../../tools/runner/events.ts';
import { rendered, seen } from '../support/rendered.ts';
import { type Played, scenario, withScenario } from '../support/scenario.ts';

/** A password that is as hard as possible on URIs, shells, logs and Markdown. */
const hostile = `p@ss/w?rd:#%25&=+ '"$(x)\`|<b>*_\\é😀::error::`;

const scene = scenario({ compute: 'none', password: () => `${hostile}${Math.random().toString(36).slice(2, 8)}` });
const plain = scenario({ compute: 'none', uriParameters: '' });

let last = 200;
const fresh = () => ({ event: pullRequest({ number: ++last }) });

const parameters = (uri: string | undefined) => Object.fromEntries(new URL(uri ?? '').searchParams);
const without = (uri: string | undefined) => (uri ?? '').split('?')[0];

describe('a hostile password', () => {
  it('is complete in the outputs, encoded in the connection URIs, and appears nowhere else', async () => {
    const run = await scene.succeeds(fresh());
    const { password = '', db_url = '', db_url_pooled = '' } = run.outputs;
    expect(password.startsWith(hostile)).toBe(true);
    for (const uri of [db_url, db_url_pooled]) expect(decodeURIComponent(new URL(uri).password)).toBe(password);
    // Every form that a later step might print is masked.
    expect(run.masks).toEqual(expect.arrayContaining([password, encodeURIComponent(password)]));
    expect(Object.keys(run.jobOutputs)).not.toContain('password');
  });

  it('is complete in the environment of later steps', async () => {
    const run = await scene.succeeds({ ...fresh(), inputs: { export_env: 'true' } });
    expect(run.env.PGPASSWORD).toBe(run.outputs.password);
  });

  it('is masked in an API error that contains it', async () => {
    const { event } = fresh();
    const { password = '', db_url = '' } = (await scene.succeeds({ event })).outputs;
    const messages = [
      password,
      db_url,
      JSON.stringify({ password }),
      encodeURIComponent(password),
      `<b>${password}</b>`,
    ];
    for (const message of messages) {
      // The last request: by then the run knows the password.
      const fault = scene.service.faults.add({
        path: /\/data-api\//,
        status: 400,
        body: { message: `no: ${message}`, code: '' },
      });
      try {
        const run = await scene.fails({ event, inputs: { command: 'get', get_data_api_url: 'true' } });
        expect(run.message).toMatch(/: 400, no: \S*\*\*\*/);
        expect(seen(rendered(run.summary))).not.toContain(password.slice(0, 12));
      } finally {
        fault.remove();
      }
    }
  });
});

describe('ssl', () => {
  it.each(['require', 'verify-ca', 'verify-full'])(
    '%s is set in both connection URIs; the other parameters are kept',
    async (ssl) => {
      const run = await scene.succeeds({ ...fresh(), inputs: { ssl } });
      for (const uri of [run.outputs.db_url, run.outputs.db_url_pooled])
        expect(parameters(uri)).toEqual({ sslmode: ssl, channel_binding: 'require' });
    },
  );

  it('omit removes sslmode and channel_binding, and nothing else', async () => {
    const run = await scene.succeeds({ ...fresh(), inputs: { ssl: 'omit', prisma: 'true' } });
    expect(parameters(run.outputs.db_url)).toEqual({ connect_timeout: '30' });
    expect(run.outputs.jdbc_url).not.toMatch(/sslmode|channelBinding/);
    expect(Object.keys(parameters(run.outputs.db_url_pooled))).not.toContain('channel_binding');
  });

  it('defaults to require if the service sets no sslmode', async () => {
    const { event } = fresh();
    const run = await plain.succeeds({ event });
    expect(run.outputs.db_url).toBe(`${plain.service.uri(run.outputs.branch_name ?? '')}?sslmode=require`);
    const bare = await plain.succeeds({ event, inputs: { ssl: 'omit' } });
    expect(bare.outputs.db_url).toBe(plain.service.uri(run.outputs.branch_name ?? ''));
  });

  it('works the same with get', async () => {
    const { event } = fresh();
    const created = await scene.succeeds({ event, inputs: { ssl: 'verify-full' } });
    const got = await scene.succeeds({ event, inputs: { ssl: 'verify-full', command: 'get' } });
    expect(got.outputs.db_url).toBe(created.outputs.db_url);
    expect(got.outputs.db_url_pooled).toBe(created.outputs.db_url_pooled);
  });
});

it('prisma adds its parameters and keeps the others', async () => {
  const run = await scene.succeeds({ ...fresh(), inputs: { prisma: 'true' } });
  const kept = { sslmode: 'require', channel_binding: 'require', connect_timeout: '30' };
  expect(parameters(run.outputs.db_url)).toEqual(kept);
  expect(parameters(run.outputs.db_url_pooled)).toEqual({ ...kept, pgbouncer: 'true', pool_timeout: '30' });
  expect(without(run.outputs.db_url)).toBe(without(scene.service.uri(run.outputs.branch_name ?? '')));
});

it.each(['%68ost=10.0.0.1', 'host%61ddr=10.0.0.1', 'd%62name=other'])(
  'a URI that leads a client elsewhere is refused (%s)',
  async (uriParameters) => {
    await withScenario({ compute: 'none', uriParameters }, async (scene) => {
      const run = await scene.fails({ ...fresh(), inputs: { export_env: 'true' } });
      expect(run.message).toContain('The service returned a connection URI');
      expect(run.outputs.db_url).toBeUndefined();
      expect(run.env).toEqual({});
    });
  },
);

describe('export_env', () => {
  const names = [
    'DATABASE_URL',
    'DATABASE_URL_UNPOOLED',
    'PGDATABASE',
    'PGHOST',
    'PGHOST_UNPOOLED',
    'PGPASSWORD',
    'PGPORT',
    'PGUSER',
  ];

  it.each(['create', 'get'])('sets all eight variables (%s)', async (command) => {
    const { event } = fresh();
    await scene.succeeds({ event });
    const { env, outputs } = await scene.succeeds({ event, inputs: { command, export_env: 'true', prisma: 'true' } });
    expect(Object.keys(env).sort()).toEqual(names);
    expect(env).toEqual({
      DATABASE_URL: outputs.db_url_pooled,
      DATABASE_URL_UNPOOLED: outputs.db_url,
      PGDATABASE: outputs.database,
      PGHOST: outputs.db_host_pooled,
      PGHOST_UNPOOLED: outputs.db_host,
      PGPASSWORD: outputs.password,
      PGPORT: '5432',
      PGUSER: outputs.role,
    });
  });

  it('sets nothing if the step fails', async () => {
    const { env } = await scene.fails({ ...fresh(), inputs: { export_env: 'true', database: 'none' } });
    expect(env).toEqual({});
  });
});

describe('auth_url and data_api_url', () => {
  const both = { get_auth_url: 'true', get_data_api_url: 'true' };
  const of = (run: Played) => [run.outputs.auth_url, run.outputs.data_api_url];

  it('are output if they are enabled, and not masked', async () => {
    await withScenario({ auth: true, dataApi: true }, async (scene) => {
      const run = await scene.succeeds({ ...fresh(), inputs: both });
      const [endpoint] = scene.service.endpoints(run.outputs.branch_name);
      expect(of(run)).toEqual([
        `https://${endpoint?.id}.auth.local.test/neondb/auth`,
        `https://${endpoint?.id}.apirest.local.test/neondb/rest/v1`,
      ]);
      expect(run.jobOutputs).toMatchObject({ auth_url: run.outputs.auth_url, data_api_url: run.outputs.data_api_url });
      expect(run.calls.slice(2).sort()).toEqual([
        'GET /branches/{branch}/auth 200',
        'GET /branches/{branch}/data-api/{database} 200',
      ]);
      const got = await scene.succeeds({ inputs: { ...both, command: 'get', branch_id: run.outputs.branch_id ?? '' } });
      expect(of(got)).toEqual(of(run));
    });
  });

  it('are neither requested nor output by default', async () => {
    await withScenario({ auth: true, dataApi: true }, async (scene) => {
      const run = await scene.succeeds({ event: fresh().event });
      expect(of(run)).toEqual([undefined, undefined]);
      expect(run.calls.join()).not.toMatch(/auth|data-api/);
    });
  });

  it.each([
    ['get_auth_url', /Neon Auth is off for branch "preview\/pr-\d+"/],
    ['get_data_api_url', /the Data API is off/],
  ])('%s is a warning if the feature is off', async (input, said) => {
    const { event } = fresh();
    const { outputs } = await scene.succeeds({ event });
    // A 404 for a new branch is checked a second time.
    const run = await scene.succeeds({ event, inputs: { command: 'get', [input]: 'true' } });
    expect(run.annotations.warning).toEqual([expect.stringMatching(said)]);
    expect(of(run)).toEqual([undefined, undefined]);
    expect(run.outputs.db_url).toBe(outputs.db_url);
    const early = await scene.succeeds({ event, inputs: { [input]: 'true', wait: 'false' } });
    expect(early.annotations.warning.join()).toContain('or the branch is not ready yet (`wait: false`)');
  });
});

describe('api_host', () => {
  it('accepts a base URL, an origin or a host', async () => {
    const { event } = fresh();
    const { baseUrl, origin } = scene.service;
    await scene.succeeds({ event });
    for (const api_host of [baseUrl, `${baseUrl}/`, origin, new URL(origin).host])
      expect((await scene.succeeds({ event, inputs: { api_host, command: 'get' } })).outputs.db_url).toBeDefined();
  });

  it('may use HTTPS with a private certificate', async () => {
    await withScenario({ tls: true }, async (scene) => {
      const unknown = await scene.fails(fresh());
      expect(unknown.message).toMatch(/certificate.*NODE_EXTRA_CA_CERTS/);
      expect(scene.service.requests).toEqual([]);

      const folder = mkdtempSync(join(tmpdir(), 'certificate-'));
      try {
        const path = join(folder, 'ca.pem');
        writeFileSync(path, scene.service.certificate ?? '');
        const known = await scene.succeeds({ ...fresh(), env: { NODE_EXTRA_CA_CERTS: path } });
        expect(known.outputs.created).toBe('true');
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  });

  it('is named in the error if it is unreachable, with what to check', async () => {
    // Nothing listens there; `fetch` refuses the well-known ports.
    const run = await scene.fails({ ...fresh(), inputs: { api_host: 'http://127.0.0.1:59321', timeout: '5s' } });
    expect(run.message).toMatch(
      /^Could not create branch "preview\/pr-\d+": no response from 127\.0\.0\.1:59321: connect ECONNREFUSED .*; gave up: the next attempt would exceed `timeout`/,
    );
    expect(run.message).toContain('Check that the runner can reach `api_host` (http://127.0.0.1:59321/api/v2)');
  });
});
