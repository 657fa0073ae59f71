import { describe, expect, it } from 'vitest';
import { anonymizedStatus, columnsMaskedDifferently, maskingRulesOf } from '../../../src/service/anonymize.ts';
import type { Json } from '../../../src/text/json.ts';
import { mockApi, type Reply } from '../../support/mock-api.ts';
import { branch as sample, trail } from './samples.ts';

const branch = sample();
const about = (replies: Reply[], options: { timeoutMs?: number } = {}) => {
  const mock = mockApi(replies, options);
  return { ...mock, options: { api: mock.api, projectId: 'p-1', branch } };
};
const state = (name: string, status_message?: string): Reply => ({ body: { state: name, status_message } });

describe("the state of a branch's masking", () => {
  it("has the service's message, if there is one", async () => {
    const { options, sent } = about([state('anonymizing'), state('error', 'no such column')]);
    expect(await anonymizedStatus(options)).toEqual({ state: 'anonymizing' });
    expect(await anonymizedStatus(options)).toEqual({ state: 'error', message: 'no such column' });
    expect(trail(sent)[0]).toBe('GET /branches/br-1/anonymized_status');
  });

  it('is undefined for a branch that is not anonymized', async () => {
    expect(await anonymizedStatus(about([{ status: 404 }]).options)).toBeUndefined();
  });

  it.each([
    ['may not be read', { status: 403 }, '403'],
    ['has no name', { body: {} }, 'state is missing'],
  ] satisfies [string, Reply, string][])('is an error if it %s', async (_, reply, message) => {
    await expect(anonymizedStatus(about([reply]).options)).rejects.toThrow(
      /^Could not read the masking state of branch "preview\/pr-7": /,
    );
    await expect(anonymizedStatus(about([reply]).options)).rejects.toThrow(message);
  });
});

describe('the masking rules of a branch', () => {
  const rule = (over: Json = {}): Json => ({
    database_name: 'neondb',
    schema_name: 'public',
    table_name: 'users',
    column_name: 'email',
    masking_function: 'anon.fake_email()',
    ...over,
  });

  it('are as the service has them', async () => {
    const { options, sent } = about([{ body: { masking_rules: [rule()] } }]);
    expect(await maskingRulesOf(options)).toEqual([rule()]);
    expect(trail(sent)).toEqual(['GET /branches/br-1/masking_rules']);
    await expect(maskingRulesOf(about([{ body: { masking_rules: ['x'] } }]).options)).rejects.toThrow(
      'Could not read the masking rules of branch "preview/pr-7": 200 with an unexpected body: masking_rules[0]',
    );
  });

  it.each<[string, Json[], Json[], string[]]>([
    ['are the same', [rule()], [rule()], []],
    [
      'are the same in another order',
      [rule({ column_name: 'name' }), rule()],
      [rule(), rule({ column_name: 'name' })],
      [],
    ],
    ['are the same except for fields that do not matter', [rule({ id: 1 })], [rule({ id: 2 })], []],
    ['are the same, with empty fields', [rule({ masking_value: '' })], [rule({ masking_value: null })], []],
    ['are more than wanted', [rule()], [rule(), rule({ column_name: 'name' })], []],
    ['lack a column', [rule(), rule({ column_name: 'name' })], [rule()], ['neondb.public.users.name']],
    [
      'have another function',
      [rule()],
      [rule({ masking_function: 'anon.fake_name()' })],
      ['neondb.public.users.email'],
    ],
    ['have another value', [rule({ masking_value: "'x'" })], [rule()], ['neondb.public.users.email']],
    ['are about another table', [rule()], [rule({ table_name: 'staff' })], ['neondb.public.users.email']],
    ['lack two rules for a column', [rule({ masking_value: '1' }), rule()], [], ['neondb.public.users.email']],
    ['lack a rule without a database', [rule({ database_name: undefined })], [], ['?.public.users.email']],
  ])('%s', (_, wanted, existing, columns) => {
    expect(columnsMaskedDifferently({ wanted, existing })).toEqual(columns);
  });
});
