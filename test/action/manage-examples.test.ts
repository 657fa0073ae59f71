import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Service, startService } from '../service/index.ts';
import * as events from '../support/events.ts';
import { type OtherStep, type PlayedWorkflow, playWorkflow, ScriptFailed } from '../support/workflow/play.ts';
import { ROOT } from '../unit/repository/files.ts';

type Script = (step: OtherStep) => Promise<void> | void;

async function play(
  name: string,
  options: { service: Service; event: events.GitHubEvent; script?: Script; runId?: string },
): Promise<PlayedWorkflow> {
  const { service, event, script, runId = '77' } = options;
  const played = await playWorkflow(readFileSync(join(ROOT, 'examples', name), 'utf8'), {
    event,
    vars: { PROJECT_ID: service.projectId },
    secrets: { API_KEY: service.apiKey },
    inputs: { api_host: service.baseUrl },
    runId,
    script: async (step) => {
      await script?.(step);
      return undefined;
    },
  });
  if (!played) throw new Error(`${name} is not started by ${event.name}`);
  for (const { run, post } of played.jobs.flatMap((job) => job.steps)) {
    for (const stage of [run, post]) expect(stage?.leaks([...service.secrets]) ?? []).toEqual([]);
  }
  expect(service.violations).toEqual([]);
  return played;
}

const outcomes = (played: PlayedWorkflow) =>
  played.jobs.flatMap((job) => job.steps.map(({ name, outcome }) => `${name}: ${outcome}`));

describe('manage-role-and-database.yml', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ compute: 'postgres', operationMs: 5, uriParameters: '' });
  });
  afterAll(() => service?.stop());
  const name = 'manage-role-and-database.yml';

  /** What the application does with its address. */
  async function work({ name: step, env }: OtherStep): Promise<void> {
    if (step !== 'Migrate and test') return;
    const uri = new URL(env.DATABASE_URL ?? '');
    uri.search = '';
    const client = new pg.Client({ connectionString: uri.href });
    await client.connect();
    try {
      await client.query('CREATE TABLE IF NOT EXISTS orders (id serial); INSERT INTO orders DEFAULT VALUES');
      const { rows } = await client.query(
        'SELECT current_user AS who, current_database() AS at, count(*)::int FROM orders',
      );
      seen.push(rows[0] as object);
    } finally {
      await client.end();
    }
  }
  const seen: object[] = [];

  it('makes both, works as the role in the database, uses them again, and deletes them with the branch', async () => {
    const on = (action: 'opened' | 'synchronize' | 'closed') =>
      play(name, { service, event: events.pullRequest({ action }), script: work });
    const opened = await on('opened');
    expect(new Set(outcomes(opened).map((line) => line.split(': ')[1]))).toEqual(new Set(['success']));
    const pushed = await on('synchronize');
    expect(seen).toEqual([
      { who: 'app', at: 'shop', count: 1 },
      { who: 'app', at: 'shop', count: 2 },
    ]);
    const made = (played: PlayedWorkflow) => played.jobs[0]?.steps.map((step) => step.outputs.created);
    expect(made(opened)?.slice(0, 3)).toEqual(['true', 'true', 'true']);
    expect(made(pushed)?.slice(0, 3)).toEqual(['false', 'false', 'false']);
    const closed = await on('closed');
    expect(outcomes(closed).filter((line) => line.endsWith('success'))).toHaveLength(1);
    expect(service.branches().map((branch) => branch.name)).toEqual(['main']);
    expect(await service.query('main', "SELECT 1 FROM pg_roles WHERE rolname = 'app'")).toEqual([]);
  });
});

describe('short-lived-api-key.yml', () => {
  const name = 'short-lived-api-key.yml';

  it.each(['well', 'badly'])(
    'has a key that works during the job and no longer, though the job ends %s',
    async (end) => {
      const service = await startService({ compute: 'none' });
      try {
        const ask = async (key: string) => {
          const headers = { authorization: `Bearer ${key}` };
          return (await fetch(`${service.baseUrl}/users/me`, { headers })).status;
        };
        let key = '';
        const script: Script = async (step) => {
          if (step.name !== 'Report') return;
          key = step.env.API_KEY ?? '';
          expect(await ask(key)).toBe(200);
          if (end === 'badly') throw new ScriptFailed();
        };
        const played = await play(name, { service, event: events.workflowDispatch(), script });
        expect(played.jobs[0]?.result).toBe(end === 'well' ? 'success' : 'failure');
        expect(key).not.toBe(service.apiKey);
        expect(await ask(key)).toBe(401);
        expect(played.jobs[0]?.steps.at(-1)?.outputs.deleted).toBe('true');
        const made = service.requests.find(({ method, path }) => method === 'POST' && path === '/api_keys');
        expect(made?.body).toEqual({ key_name: 'run 77.1' });
      } finally {
        await service.stop();
      }
    },
  );

  it('revokes nothing where no key was made', async () => {
    const service = await startService({ compute: 'none' });
    try {
      service.faults.add({ method: 'POST', path: /^\/api_keys$/, status: 403, body: { code: '', message: 'no' } });
      const played = await play(name, { service, event: events.workflowDispatch() });
      expect(outcomes(played).slice(1)).toEqual(['Mint a key: failure', 'Report: skipped', 'Revoke the key: skipped']);
      expect(service.requests.filter(({ method }) => method === 'DELETE')).toEqual([]);
    } finally {
      await service.stop();
    }
  });
});
