import { describe, expect, it } from 'vitest';
import { kindOf, kinds } from '../../../src/manage/kinds.ts';
import { read } from '../../../tools/files.ts';

describe('a kind', () => {
  it.each([
    [['project', 'Projects'], 'project'],
    [['branch', 'branches'], 'branch'],
    [['compute endpoint', 'compute_endpoints', 'Compute-Endpoint', 'endpoint', 'endpoints'], 'compute endpoint'],
    [['auth', 'Auth'], 'auth'],
    [['data_api', 'Data API', 'data-apis'], 'Data API'],
    [['api_key', 'API keys', 'apiKeys'], 'API key'],
    [['function', 'functions'], 'function'],
  ])('may be spelled %j', (spellings, name) => {
    for (const one of spellings) expect(kindOf(one)?.name).toBe(name);
  });

  it.each(['gadget', 'rol', 'tokens', '', 'branch/x'])('has no guessed path: %j is unknown', (name) => {
    expect(kindOf(name)).toBeUndefined();
  });
});

describe('every route', () => {
  const sdk = read('node_modules/@neon/sdk/dist/client/sdk.gen.js');
  const published = [...sdk.matchAll(/\.(get|post|put|patch|delete)\(\{[\s\S]*?url: ['"](\/[^'"]*)['"]/g)].map(
    ([, method = '', path = '']) => `${method.toUpperCase()} ${path.replace(/\{[^}]*\}/g, '{}')}`,
  );
  const unpublished = ['cluster', 'instance', 'team', 'workspace'];
  const routes = kinds.flatMap((kind) => Object.values(kind.verbs).map((route) => ({ kind, route })));

  it.each(routes.filter(({ kind }) => !unpublished.includes(kind.name)).map(({ route }) => route))(
    '%s is published',
    (route) => {
      expect(published).toContain(route.replace(/\?.*/, '').replace(/\{[^}]*\}/g, '{}'));
    },
  );

  it('of other kinds is below the name of its kind', () => {
    for (const { kind, route } of routes.filter((one) => unpublished.includes(one.kind.name))) {
      expect(route).toMatch(new RegExp(`^[A-Z]+ /${kind.many}(/\\{resource_id\\}|\\?id=\\{resource_id\\})?$`));
    }
  });
});
