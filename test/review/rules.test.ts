import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Review, reviewSchemas } from '../../src/schema/review.ts';
import { type Finding, ruleNames } from '../../src/schema/rules.ts';
import { type Service, startService } from '../../tools/service/index.ts';
import { call, ready } from '../../tools/service/test/client.ts';
import { type Migration, migrations } from './migrations.ts';

const signal = new AbortController().signal;
let service: Service;
/** What the review finds between the base and the branch with all migrations, and with all of those that only come close. */
let migrated: Review;
let nearly: Review;

const schemaOf = ({ rule }: Migration) => `try_${rule.replaceAll('-', '_')}`;

/** Runs a part of every case, each in its own schema. */
async function run(branch: string, sql: (one: Migration) => string): Promise<void> {
  for (const one of migrations) {
    await service.query(branch, `SET search_path = ${schemaOf(one)}, public; ${sql(one)}`, { role: 'cloud_admin' });
  }
}

async function dump(branch: string): Promise<string> {
  const path = `/projects/${service.projectId}/branches/${service.branch(branch)?.id}/schema?db_name=neondb`;
  return (await call(service, 'GET', path)).body.sql;
}

/** The findings about a case. */
function about(one: Migration, { findings }: Review): Finding[] {
  const place = one.global ?? schemaOf(one);
  return findings.filter(({ object }) => object === place || object.startsWith(`${place}.`));
}

beforeAll(async () => {
  service = await startService({ operationMs: 0 });
  await service.query('main', 'CREATE ROLE reader; CREATE ROLE writer', { role: 'cloud_admin' });
  await run('main', (one) => `CREATE SCHEMA ${schemaOf(one)}; ${one.base}`);
  for (const name of ['same', 'migrated', 'nearly']) await ready(service, name);
  await run('migrated', ({ migration }) => migration);
  await run('nearly', (one) => one.nearly);
  const before = await dump('main');
  expect(await dump('same')).toBe(before);
  migrated = await reviewSchemas({ before, after: await dump('migrated'), signal });
  nearly = await reviewSchemas({ before, after: await dump('nearly'), signal });
});

afterAll(async () => {
  await service.stop();
});

describe('migrations of real databases', () => {
  it('try every rule', () => {
    expect(migrations.map(({ rule }) => rule)).toEqual(ruleNames);
  });

  it('are reviewed completely', () => {
    expect([migrated.incomplete, nearly.incomplete]).toEqual([undefined, undefined]);
  });

  it.each(migrations)('give $rule', (one) => {
    const found = about(one, migrated);
    const object = one.global ?? `${schemaOf(one)}.${one.object}`;
    expect(found.filter(({ rule }) => rule === one.rule).map((finding) => finding.object)).toEqual([object]);
    expect(new Set(found.map(({ rule }) => rule))).toEqual(new Set([one.rule, ...(one.also ?? [])]));
  });

  it.each(migrations)('come close to $rule', (one) => {
    expect(about(one, nearly).filter(({ rule }) => rule === one.rule)).toEqual([]);
  });

  it('give nothing else', () => {
    const known = new Set(migrations.flatMap((one) => about(one, migrated)));
    expect(migrated.findings.filter((finding) => !known.has(finding))).toEqual([]);
  });
});
