import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { pullRequest } from '../../tools/runner/events.ts';
import { scenario } from '../support/scenario.ts';

const rows = 500;
const seed = `
  create table users (id int primary key, email text not null unique);
  insert into users select n, 'user' || n || '@example.com' from generate_series(1, ${rows}) n;
`;
const hostile = `p@ss/w?rd:#%25&=+ '"$(x)\`|<>\\é`;
const scene = scenario({
  compute: 'postgres',
  seed,
  password: () => `${hostile}${Math.random().toString(36).slice(2)}`,
});

let last = 500;
const fresh = () => ({ event: pullRequest({ number: ++last }) });

/** Runs SQL as a deploy job would, with nothing but the step's outputs. */
async function query(uri: string | undefined, sql: string): Promise<Record<string, unknown>[]> {
  // The certificate is self-signed, and verifying it is not what this tests.
  const url = new URL(uri ?? '');
  url.searchParams.delete('sslmode');
  const client = new Client({
    connectionString: url.href,
    ssl: { rejectUnauthorized: false },
    enableChannelBinding: true,
  });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
const count = async (uri: string | undefined) => Number((await query(uri, 'select count(*) from users'))[0]?.count);

describe('a branch with its own data', () => {
  it('accepts connections on both URIs at once, and has the data of main', async () => {
    const { outputs, env } = await scene.succeeds({ ...fresh(), inputs: { export_env: 'true' } });
    for (const uri of [outputs.db_url, outputs.db_url_pooled]) {
      expect(uri).toContain('sslmode=require');
      expect(await count(uri)).toBe(rows);
    }
    const [who] = await query(
      outputs.db_url,
      'select current_user, current_database(), ssl from pg_stat_ssl where pid = pg_backend_pid()',
    );
    expect(who).toEqual({ current_user: outputs.role, current_database: outputs.database, ssl: true });

    // The separate variables work as well as the URI.
    const client = new Client({
      host: env.PGHOST,
      port: Number(env.PGPORT),
      user: env.PGUSER,
      password: env.PGPASSWORD,
      database: env.PGDATABASE,
      ssl: { rejectUnauthorized: false },
    });
    await client.connect();
    await client.end();
  });

  it('is isolated from main, keeps its data when reused, and is gone once deleted', async () => {
    const { event } = fresh();
    const { outputs } = await scene.succeeds({ event });
    await query(
      outputs.db_url,
      "alter table users add column name text; insert into users values (0, 'new@example.com', 'new')",
    );
    expect(await count(outputs.db_url_pooled)).toBe(rows + 1);
    expect(await scene.service.query('main', 'select count(*)::int from users')).toEqual([{ count: rows }]);
    expect(
      await scene.service.query(
        'main',
        "select 1 from information_schema.columns where table_name = 'users' and column_name = 'name'",
      ),
    ).toEqual([]);

    const again = await scene.succeeds({ event });
    expect(again.outputs).toMatchObject({ created: 'false', db_url: outputs.db_url });
    expect(await count(again.outputs.db_url)).toBe(rows + 1);

    const closed = await scene.succeeds({ event: pullRequest({ number: last, action: 'closed' }) });
    expect(closed.outputs.deleted).toBe('true');
    await expect(query(outputs.db_url, 'select 1')).rejects.toThrow();
    expect(await scene.service.query('main', 'select count(*)::int from users')).toEqual([{ count: rows }]);
  });

  it('comes from the requested parent', async () => {
    const { outputs: parent } = await scene.succeeds({ inputs: { branch_name: 'staging' } });
    await query(parent.db_url, 'delete from users where id > 10');
    const { outputs } = await scene.succeeds({ ...fresh(), inputs: { parent_branch: 'staging' } });
    expect(outputs.parent_id).toBe(parent.branch_id);
    expect(await count(outputs.db_url)).toBe(10);
  });

  it('schema-only has the tables and no rows', async () => {
    const { outputs } = await scene.succeeds({ ...fresh(), inputs: { branch_type: 'schema-only' } });
    expect(await count(outputs.db_url)).toBe(0);
    await expect(query(outputs.db_url, "insert into users values (1, 'a'), (2, 'a')")).rejects.toThrow('duplicate key');
  });
});
