import { describe, expect, it } from 'vitest';
import { readSchema } from '../../../src/service/schema.ts';
import { mockApi, type Reply } from '../../support/mock-api.ts';
import { at, start } from './samples.ts';

const base = { id: 'br-main', name: 'main' };
const window = { statuses: [404], until: start + 5_000 };
const queryOf = (path = '') => Object.fromEntries(new URL(path, 'http://x').searchParams);

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
