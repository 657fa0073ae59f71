import { describe, expect, it } from 'vitest';
import { scenario } from '../support/scenario.ts';

const scene = scenario({ compute: 'none', operationMs: 5 });
const manage = { command: 'manage', project_id: '' };

interface Key {
  id: number;
  key: string;
}

describe('an API key', () => {
  it('works from the moment it is made until it is revoked', async () => {
    const made = await scene.succeeds({
      inputs: { ...manage, resource: 'api_key', verb: 'create', body: '{"key_name": "for one job"}' },
    });
    const { id, key } = JSON.parse(made.outputs.response ?? '') as Key;
    expect(made.masks).toContain(key);
    expect(made.annotations.notice.join()).toContain(`Created API key "for one job" (${id})`);

    const me = { ...manage, resource: 'user', verb: 'get', api_key: key };
    expect((await scene.succeeds({ inputs: me })).outputs.status).toBe('200');

    const revoke = { ...manage, resource: 'API keys', verb: 'delete', resource_id: String(id) };
    expect((await scene.succeeds({ inputs: revoke })).outputs).toMatchObject({ deleted: 'true', status: '200' });
    const refused = await scene.fails({ inputs: me });
    expect(refused.message).toMatch(/GET \/users\/me answered 401.*Is `api_key` the whole key/);
    expect(refused.outputs).toMatchObject({ status: '401' });
    expect((await scene.succeeds({ inputs: revoke })).outputs).toMatchObject({ deleted: 'false', status: '404' });
  });

  it('can revoke itself, which is the last thing that it does', async () => {
    const made = await scene.succeeds({
      inputs: { ...manage, resource: 'api_key', verb: 'create', body: '{"key_name": "short"}' },
    });
    const { id, key } = JSON.parse(made.outputs.response ?? '') as Key;
    const revoke = { ...manage, resource: 'api_key', verb: 'delete', resource_id: String(id), api_key: key };
    expect((await scene.succeeds({ inputs: revoke })).outputs.deleted).toBe('true');
    await scene.fails({ inputs: revoke });
  });

  it('never reaches another job: the runner drops an output with a masked value', async () => {
    const made = await scene.succeeds({
      inputs: { ...manage, resource: 'api_key', verb: 'create', body: '{"key_name": "dropped"}' },
    });
    expect(made.outputs.response).toContain('"key"');
    expect(made.jobOutputs).not.toHaveProperty('response');
    expect(made.jobOutputs).toMatchObject({ status: '200', created: 'true' });
  });

  it('that is given where its ID belongs is not sent anywhere, nor shown', async () => {
    const key = `napi_${'z'.repeat(60)}`;
    const run = await scene.fails({
      inputs: { ...manage, resource: 'api_key', verb: 'delete', resource_id: key },
      secrets: [],
    });
    expect(run.requests).toEqual([]);
    expect(run.stdout).not.toContain('zzzz');
    expect(run.message).toContain('never the key itself');
  });
});
