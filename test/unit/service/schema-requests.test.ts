import { describe, expect, it } from 'vitest';
import { compareSchema, readSchema } from '../../../src/service/schema.ts';
import { mockApi, type Reply } from '../../support/mock-api.ts';
import { at, branch, start } from './samples.ts';

const base = { id: 'br-main', name: 'main' };
const head = '--- a/neondb\n+++ b/neondb\n';
const diff = `${head}@@ -1 +1 @@\n-a\n+b\n`;
const window = { statuses: [404], until: start + 5_000 };
const queryOf = (path = '') => Object.fromEntries(new URL(path, 'http://x').searchParams);

describe('comparing schemas', () => {
  const play = (replies: Reply[], over: Partial<Parameters<typeof compareSchema>[0]> = {}) => {
    const mock = mockApi(replies);
    const options = { api: mock.api, projectId: 'p-1', branch: branch(), base, basePoint: {}, database: 'd&b' };
    return { ...mock, run: () => compareSchema({ ...options, ...over }) };
  };

  it('sends base and database, and returns the diff', async () => {
    const { run, sent } = play([{ body: { diff: `${diff}\n\n` } }]);
    expect(await run()).toBe(diff);
    expect(sent[0]?.path).toMatch('/branches/br-1/compare_schema?');
    expect(queryOf(sent[0]?.path)).toEqual({ base_branch_id: 'br-main', db_name: 'd&b' });
  });

  it.each([
    [{ timestamp: at(0) }, { base_timestamp: at(0) }],
    [{ lsn: '0/1' }, { base_lsn: '0/1' }],
  ])('sends the point in the history of the base: %j', async (basePoint, query) => {
    const { run, sent } = play([{ body: { diff } }], { basePoint });
    await run();
    expect(queryOf(sent[0]?.path)).toMatchObject(query);
  });

  it.each([{}, { diff: '' }, { diff: null }])('returns an empty diff for %j', async (body) => {
    expect(await play([{ body }]).run()).toBe('');
  });

  it('is retried within the propagation window, and fails with what was tried', async () => {
    expect(await play([{ status: 404 }, { body: { diff } }], { window }).run()).toBe(diff);
    await expect(play([{ status: 404 }]).run()).rejects.toThrow(
      'Could not compare database "d&b" of branch "preview/pr-7" with branch "main": 404',
    );
    await expect(play([{ body: [] }]).run()).rejects.toThrow('the response is not an object');
  });
});

describe('reading a schema', () => {
  const play = (replies: Reply[], over: Partial<Parameters<typeof readSchema>[0]> = {}) => {
    const mock = mockApi(replies);
    const options = { api: mock.api, projectId: 'p-1', branch: base, database: 'd&b' };
    return { ...mock, run: () => readSchema({ ...options, ...over }) };
  };

  it('sends the database, and returns the SQL unchanged', async () => {
    const { run, sent } = play([{ body: { sql: '\nCREATE TABLE a ();\r\n' } }]);
    expect(await run()).toBe('\nCREATE TABLE a ();\r\n');
    expect(sent[0]?.path).toMatch('/branches/br-main/schema?');
    expect(queryOf(sent[0]?.path)).toEqual({ db_name: 'd&b' });
  });

  it.each([{ timestamp: at(0) }, { lsn: '0/1' }])('sends the point in history: %j', async (point) => {
    const { run, sent } = play([{ body: { sql: '' } }], { point });
    expect(await run()).toBe('');
    expect(queryOf(sent[0]?.path)).toEqual({ db_name: 'd&b', ...point });
  });

  it('is retried within the propagation window, and fails with what was tried', async () => {
    expect(await play([{ status: 404 }, { body: {} }], { window }).run()).toBe('');
    await expect(play([{ status: 404 }]).run()).rejects.toThrow(
      'Could not read the schema of database "d&b" of branch "main": 404',
    );
  });
});
