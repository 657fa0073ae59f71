import { describe, expect, it } from 'vitest';
import { workflowDispatch } from '../../../tools/runner/events.ts';
import { ScriptFailed } from '../../../tools/runner/workflow/play.ts';
import { startService } from '../../../tools/service/index.ts';
import { scenario } from '../../support/scenario.ts';
import { outcomes, playExample, type Script } from '../../support/workflow/example.ts';

const scene = scenario({ compute: 'none', operationMs: 5 });
const manage = (inputs: Record<string, string>) => ({
  action: 'manage' as const,
  inputs: { project_id: '', ...inputs },
});

interface Key {
  id: number;
  key: string;
}

describe('an API key', () => {
  it('works from its creation until it is revoked', async () => {
    const made = await scene.succeeds({
      ...manage({ resource: 'api_key', verb: 'create', body: '{"key_name": "for one job"}' }),
    });
    const { id, key } = JSON.parse(made.outputs.response ?? '') as Key;
    expect(made.masks).toContain(key);
    expect(made.annotations.notice.join()).toContain(`Created API key "for one job"`);

    const me = manage({ resource: 'user', verb: 'get', api_key: key });
    expect((await scene.succeeds(me)).outputs.status).toBe('200');

    const revoke = manage({ resource: 'API keys', verb: 'delete', resource_id: String(id) });
    expect((await scene.succeeds(revoke)).outputs).toMatchObject({ deleted: 'true', status: '200' });
    const refused = await scene.fails(me);
    expect(refused.message).toMatch(/Could not get the user: 401.*Check that `api_key` is complete/);
    expect(refused.outputs).toMatchObject({ status: '401' });
    expect((await scene.succeeds(revoke)).outputs).toMatchObject({ deleted: 'false', status: '404' });
  });

  it('never reaches another job, since the runner drops outputs with masked values', async () => {
    const made = await scene.succeeds({
      ...manage({ resource: 'api_key', verb: 'create', body: '{"key_name": "dropped"}' }),
    });
    expect(made.outputs.response).toContain('"key"');
    expect(made.jobOutputs).not.toHaveProperty('response');
    expect(made.jobOutputs).toMatchObject({ status: '200', created: 'true' });
  });
});

describe('short-lived-api-key.yml', () => {
  const name = 'short-lived-api-key.yml';

  it.each(['succeeds', 'fails'])('has a key that works only during the job, which %s', async (end) => {
    const service = await startService({ compute: 'none' });
    try {
      const ask = async (key: string, path = `/projects/${service.projectId}`) => {
        const headers = { authorization: `Bearer ${key}` };
        return (await fetch(service.baseUrl + path, { headers })).status;
      };
      let key = '';
      const script: Script = async (step) => {
        if (step.name !== 'Report') return;
        key = step.env.API_KEY ?? '';
        expect([await ask(key), await ask(key, '/projects')]).toEqual([200, 404]);
        if (end === 'fails') throw new ScriptFailed();
      };
      const played = await playExample(name, { service, event: workflowDispatch(), script });
      expect(played.jobs[0]?.result).toBe(end === 'succeeds' ? 'success' : 'failure');
      expect(key).not.toBe(service.apiKey);
      expect(await ask(key)).toBe(401);
      expect(played.jobs[0]?.steps.at(-1)?.outputs.deleted).toBe('true');
      const made = service.requests.find(({ method, path }) => method === 'POST' && path.endsWith('/api_keys'));
      expect(made?.path).toMatch(/^\/organizations\/org-/);
      expect(made?.body).toEqual({ key_name: 'run 77.1', project_id: service.projectId });
    } finally {
      await service.stop();
    }
  });

  it('revokes nothing if no key was created', async () => {
    const service = await startService({ compute: 'none' });
    try {
      service.faults.add({ method: 'POST', path: /\/api_keys$/, status: 403, body: { code: '', message: 'no' } });
      const played = await playExample(name, { service, event: workflowDispatch() });
      expect(outcomes(played).slice(1)).toEqual([
        'Create a key: failure',
        'Report: skipped',
        'Revoke the key: skipped',
      ]);
      expect(service.requests.filter(({ method }) => method === 'DELETE')).toEqual([]);
    } finally {
      await service.stop();
    }
  });
});
