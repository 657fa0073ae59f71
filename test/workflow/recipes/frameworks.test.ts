import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { jdbcUri } from '../../../src/postgres/uri.ts';
import { type GitHub, startGitHub } from '../../../tools/github/index.ts';
import { pullRequest, push } from '../../../tools/runner/events.ts';
import { type Service, startService } from '../../../tools/service/index.ts';
import { playExample, type Script } from '../../support/workflow/example.ts';

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

describe('spring-boot.yml', () => {
  it.each([{ fork: 'somebody/octo-repo' }, { author: 'dependabot[bot]' }])('does not run for %o', async (of) => {
    const played = await play('spring-boot.yml', pullRequest(of), () => {}, {});
    expect(played.jobs.map(({ result }) => result)).toEqual(['skipped']);
  });

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
