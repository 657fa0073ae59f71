import { describe, expect, it } from 'vitest';
import { pullRequest, push } from '../../tools/runner/events.ts';
import { scenario, withScenario } from '../support/scenario.ts';

const several = scenario({ compute: 'none', roles: ['app'], databases: ['app'] });

/** A new pull request, and so a new branch, for each test. */
let last = 600;
const fresh = () => {
  const number = ++last;
  return { event: pullRequest({ number }), name: `preview/pr-${number}` };
};

describe('several roles or databases', () => {
  it('have their direct and pooled connection URIs requested from the service', async () => {
    const { event, name } = fresh();
    const run = await several.succeeds({ event });
    expect(run.calls.slice(0, 2)).toEqual(['POST /branches 201', 'GET /operations 200']);
    expect(run.calls.slice(2)).toEqual(['GET /connection_uri 200', 'GET /connection_uri 200']);
    expect(
      run.requests
        .slice(-2)
        .map((request) => request.query.pooled)
        .sort(),
    ).toEqual(['false', 'true']);
    expect(run.outputs).toMatchObject({
      db_url: several.service.uri(name),
      db_url_pooled: several.service.uri(name, { pooled: true }),
      database: 'neondb',
      role: 'neondb_owner',
    });
  });

  it('are chosen by name', async () => {
    const { event, name } = fresh();
    const run = await several.succeeds({ event, inputs: { database: 'app', role: 'app' } });
    expect(run.outputs.db_url).toBe(several.service.uri(name, { role: 'app', database: 'app' }));
    expect(run.outputs).toMatchObject({ database: 'app', role: 'app' });
  });

  it.each([
    [
      { database: 'shop' },
      /has no database "shop"\. Set `database` to one of these: "(app|neondb)", "(app|neondb)"\.$/,
    ],
    [{ role: 'shop' }, /has no role "shop"\. Set `role` to one of these: "\w+", "\w+"\.$/],
  ])('are listed if the requested one does not exist: %j', async (inputs, said) => {
    const run = await several.fails({ ...fresh(), inputs });
    expect(run.message).toMatch(said);
    // The branch was still created, and the outputs say so.
    expect(run.outputs).toMatchObject({ created: 'true', branch_id: expect.stringMatching(/^br-/) });
    expect(run.outputs).not.toHaveProperty('db_url');
  });

  it('must be chosen if none has the conventional name', async () => {
    await withScenario({ roles: ['app', 'web'], databases: ['app', 'web'] }, async (scene) => {
      const { service } = scene;
      const change = async (method: string, path: string, body?: unknown) => {
        const base = `${service.baseUrl}/projects/${service.projectId}/branches/${service.main.id}`;
        const headers = { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' };
        const response = await fetch(`${base}/${path}`, { method, headers, body: body ? JSON.stringify(body) : null });
        expect({ path, ok: response.ok }).toEqual({ path, ok: true });
        await service.idle();
      };
      await change('DELETE', 'databases/neondb');
      for (const name of ['app', 'web']) await change('PATCH', `databases/${name}`, { database: { owner_name: name } });
      await change('DELETE', 'roles/neondb_owner');
      const run = await scene.fails(fresh());
      expect(run.message).toMatch(
        /Branch "[^"]+" has several databases\. Set `database` to one of these: "\w+", "\w+"\.$/,
      );
      const chosen = await scene.fails({ event: push(), inputs: { database: 'app' } });
      expect(chosen.message).toMatch(/has several roles\. Set `role` to one of these: .*\.$/);
    });
  });
});
