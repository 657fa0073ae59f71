import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { jdbcUri } from '../../../src/service/uri.ts';
import { type GitHub, startGitHub } from '../../../tools/github/index.ts';
import { pullRequest, push } from '../../../tools/runner/events.ts';
import { type Service, startService } from '../../../tools/service/index.ts';
import { playExample, results, type Script } from '../../support/workflow/example.ts';

let service: Service;
let github: GitHub;
beforeAll(async () => {
  service = await startService({ compute: 'none' });
  github = await startGitHub();
  github.state.addPull({ number: 7 });
});
afterAll(async () => {
  await service?.stop();
  await github?.close();
});
// every branch of these examples is deleted when its job ends
afterEach(() => expect(service.branches().map((branch) => branch.name)).toEqual(['main']));

const play = (name: string, event: ReturnType<typeof push>, script: Script, secrets?: Record<string, string>) =>
  playExample(name, { service, event, script, env: { ...github.env }, ...(secrets && { secrets }) });

describe.each(['django-pytest-shards.yml', 'rails.yml', 'spring-boot.yml'])('%s', (name) => {
  it.each([{ fork: 'somebody/octo-repo' }, { author: 'dependabot[bot]' }])('does not run for %o', async (of) => {
    const played = await play(name, pullRequest(of), () => {}, {});
    expect(played.jobs.map(({ result }) => result)).toEqual(['skipped']);
  });
});

describe('django-pytest-shards.yml', () => {
  it('gives each shard the direct connection of its own branch', async () => {
    const seen = new Map<string, [string | undefined, string]>();
    await play('django-pytest-shards.yml', push(), ({ name, env }) => {
      const { SHARD = '', DATABASE_URL } = env;
      if (name === 'Migrate and test') seen.set(SHARD, [DATABASE_URL, service.uri(`tests/77-1-${SHARD}`)]);
    });
    expect([...seen.keys()].sort()).toEqual(['1', '2', '3']);
    for (const [uri, own] of seen.values()) expect(uri).toBe(own);
  });
});

describe('rails.yml', () => {
  it('migrates and tests with the direct connection', async () => {
    const seen: [string | undefined, string][] = [];
    const played = await play('rails.yml', pullRequest(), ({ name, env }) => {
      if (name === 'Migrate and test') seen.push([env.DATABASE_URL, service.uri('tests/77-1')]);
    });
    expect(results(played)).toEqual(['test: success']);
    expect(seen).toHaveLength(1);
    expect(seen[0]?.[0]).toBe(seen[0]?.[1]);
  });
});

describe('spring-boot.yml', () => {
  it('gives the application the pooled JDBC URI, and Flyway the direct one', async () => {
    const seen: Record<string, string | undefined>[] = [];
    await play('spring-boot.yml', push(), ({ name, env }) => {
      if (name !== 'Build and test') return;
      const [pooled, direct] = [true, false].map((to) => service.uri('tests/77-1', { pooled: to }));
      seen.push({ SPRING_DATASOURCE_URL: env.SPRING_DATASOURCE_URL, SPRING_FLYWAY_URL: env.SPRING_FLYWAY_URL });
      seen.push({
        SPRING_DATASOURCE_URL: jdbcUri(pooled ?? '', { pooled: true }),
        SPRING_FLYWAY_URL: jdbcUri(direct ?? '', { pooled: false }),
      });
    });
    expect(seen).toHaveLength(2);
    expect(seen[0]).toEqual(seen[1]);
  });
});

describe.each([
  { name: 'drizzle.yml', variable: 'DATABASE_URL', of: (uri: string) => uri },
  { name: 'flyway.yml', variable: 'FLYWAY_URL', of: (uri: string) => jdbcUri(uri, { pooled: false }) },
])('$name', ({ name, variable, of }) => {
  it('tries migrations on a fresh branch in a pull request, and shows what they change', async () => {
    const table = `added_by_${name.replace('.yml', '')}`;
    const uris: string[] = [];
    const played = await play(name, pullRequest(), (step) => {
      if (step.name !== 'Migrate') return;
      uris.push(step.env[variable] ?? '', of(service.uri('migrations/pr-7')));
      service.setSchema('migrations/pr-7', `CREATE TABLE public.${table} (\n    a text\n);\n`);
    });
    expect(results(played)).toEqual(['try: success', 'apply: skipped']);
    expect(uris).toHaveLength(2);
    expect(uris[0]).toBe(uris[1]);
    expect(github.state.comments.map(({ body }) => body).join()).toContain(`+CREATE TABLE public.${table} (`);
  });

  it('runs them on the database itself after the merge', async () => {
    const before = service.requests.length;
    const uris: (string | undefined)[] = [];
    const played = await play(name, push(), (step) => {
      if (step.name === 'Migrate') uris.push(step.env[variable]);
    });
    expect(results(played)).toEqual(['try: skipped', 'apply: success']);
    expect(uris).toEqual([of(service.main.uri)]);
    expect(service.requests.slice(before).filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  it('does not try them for forks', async () => {
    const played = await play(name, pullRequest({ fork: 'somebody/octo-repo' }), () => {}, {});
    expect(results(played)).toEqual(['try: skipped', 'apply: skipped']);
  });
});
