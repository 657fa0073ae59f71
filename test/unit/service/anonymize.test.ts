import { describe, expect, it } from 'vitest';
import {
  type AnonymizedStatus,
  anonymizedStatus,
  columnsMaskedDifferently,
  failureOf,
  maskingRulesOf,
  waitUntilAnonymized,
} from '../../../src/service/anonymize.ts';
import { MaskingError } from '../../../src/service/errors.ts';
import type { Json } from '../../../src/text/json.ts';
import { mockApi, type Reply } from '../../support/mock-api.ts';
import { branch as sample, start, trail } from './samples.ts';

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

  it('is read again within the propagation window', async () => {
    const { options } = about([{ status: 404 }, state('created')]);
    const window = { statuses: [404], until: start + 5_000 };
    expect(await anonymizedStatus({ ...options, window })).toEqual({ state: 'created' });
  });

  it('is read again as long as a branch is new whose metadata says that it is anonymized', async () => {
    const masked = { ...branch, metadata: { 'database-branch-masked': 'true' } };
    const window = { statuses: [422], until: start + 5_000 };
    const isNew = about([...Array(4).fill({ status: 404 }), state('created')]);
    expect(await anonymizedStatus({ ...isNew.options, branch: masked, window })).toEqual({ state: 'created' });
    const isOld = about([{ status: 404 }, state('created')]);
    expect(await anonymizedStatus({ ...isOld.options, branch: masked })).toBeUndefined();
    const other = about([{ status: 404 }, state('created')]);
    expect(await anonymizedStatus({ ...other.options, window })).toBeUndefined();
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

  it.each(['error', 'initialization_error'])("is a failure if it is %s, in the service's own words", (name) => {
    const failure = failureOf({ branch, status: { state: name, message: 'no such\ncolumn' } });
    expect(failure).toBeInstanceOf(MaskingError);
    expect(failure?.message).toBe(`Masking branch "preview/pr-7" (br-1) failed (state "${name}"): "no such column"`);
    expect(failureOf({ branch, status: { state: name } })?.message).toMatch(/\(state "\w+"\)$/);
  });

  it.each(['created', 'initialized', 'anonymizing', 'anonymized'])('is not a failure if it is %s', (name) => {
    expect(failureOf({ branch, status: { state: name } })).toBeUndefined();
  });
});

describe('waiting until a branch is masked', () => {
  it('polls with growing delays, and reports each change once', async () => {
    const replies = ['created', 'created', 'initialized', ...Array.from({ length: 8 }, () => 'anonymizing')];
    const { options, clock } = about([...replies.map((name) => state(name)), state('anonymized')]);
    const changes: AnonymizedStatus[] = [];
    const status = await waitUntilAnonymized({ ...options, onChange: (one) => changes.push(one) });
    expect(status).toEqual({ state: 'anonymized' });
    expect(changes.map((one) => one.state)).toEqual(['created', 'initialized', 'anonymizing']);
    expect(clock.pauses.slice(0, 4)).toEqual([200, 300, 450, 675]);
    expect(clock.pauses.at(-1)).toBe(5_000);
    expect(clock.pauses).toHaveLength(11);
  });

  it('reports another message as a change too', async () => {
    const messages = [state('anonymizing', '1 of 2'), state('anonymizing', '2 of 2'), state('anonymized')];
    const changes: AnonymizedStatus[] = [];
    await waitUntilAnonymized({ ...about(messages).options, onChange: (one) => changes.push(one) });
    expect(changes.map((one) => one.message)).toEqual(['1 of 2', '2 of 2']);
  });

  it('starts with the state that is already known', async () => {
    const masked = about([]);
    expect(await waitUntilAnonymized({ ...masked.options, known: { state: 'anonymized' } })).toEqual({
      state: 'anonymized',
    });
    expect(masked.sent).toEqual([]);
    const running = about([state('anonymized')]);
    await waitUntilAnonymized({ ...running.options, known: { state: 'anonymizing' } });
    expect(running.sent).toHaveLength(1);
    expect(running.clock.pauses).toEqual([200]);
  });

  it('ends at once if the branch is not anonymized', async () => {
    const { options, clock } = about([{ status: 404 }]);
    expect(await waitUntilAnonymized(options)).toBeUndefined();
    expect(clock.pauses).toEqual([]);
  });

  it('fails if masking fails', async () => {
    const { options } = about([state('anonymizing'), state('error', 'no such column')]);
    await expect(waitUntilAnonymized(options)).rejects.toThrow('failed (state "error"): "no such column"');
  });

  it('says on timeout what it was waiting for', async () => {
    const { options } = about([state('anonymizing')], { timeoutMs: 5_000 });
    await expect(waitUntilAnonymized(options)).rejects.toThrow(
      'The time is over while waiting until branch "preview/pr-7" is masked',
    );
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
