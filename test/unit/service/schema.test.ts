import { expect, it } from 'vitest';
import { readSchema } from '../../../src/service/schema.ts';
import { mockApi, type Reply } from '../../support/mock-api.ts';
import { at } from './samples.ts';

const play = (replies: Reply[], over: Partial<Parameters<typeof readSchema>[0]> = {}) => {
  const mock = mockApi(replies);
  const branch = { id: 'br-main', name: 'main' };
  return { ...mock, run: () => readSchema({ api: mock.api, projectId: 'p-1', branch, database: 'd&b', ...over }) };
};

it.each([{}, { timestamp: at(0) }, { lsn: '0/1' }])('reads a schema at a point: %j', async (point) => {
  const { run, sent } = play([{ body: { sql: '\nCREATE TABLE a ();\r\n' } }], { point });
  expect(await run()).toBe('\nCREATE TABLE a ();\r\n');
  const url = new URL(sent[0]?.path ?? '', 'http://x');
  expect(url.pathname).toMatch(/\/branches\/br-main\/schema$/);
  expect(Object.fromEntries(url.searchParams)).toEqual({ db_name: 'd&b', ...point });
});

it('fails with what was tried', async () => {
  expect(await play([{ body: {} }]).run()).toBe('');
  await expect(play([{ status: 404 }]).run()).rejects.toThrow(
    'Could not read the schema of database "d&b" of branch "main": 404',
  );
});
