import { describe, expect, it } from 'vitest';
import { Account } from '../../support/account.ts';
import { run } from '../../support/step.ts';

const name = 'preview/pr-7';
const unknown = { status: 404, body: { code: '', message: 'not found' } };

describe('get', () => {
  it('reads the branch and its connection details, and changes nothing', async () => {
    const account = new Account();
    account.add({ name });
    const { result, sent, calls } = await run({ command: 'get', account });
    expect(result).toMatchObject({
      ...{ action: 'read', done: `Read branch "${name}" (br-1)`, branch: { id: 'br-1' } },
      connection: { host: 'ep-1.eu.db.test', database: 'neondb', role: 'neondb_owner' },
    });
    expect(new Set(sent.map(({ method }) => method))).toEqual(new Set(['GET']));
    expect(calls().sort()).toEqual([
      'GET /branches',
      'GET /branches/*/anonymized_status',
      'GET /branches/*/databases',
      'GET /branches/*/endpoints',
      'GET /branches/*/roles',
      'GET /connection_uri',
      'GET /connection_uri',
    ]);
  });

  it('fails if the branch does not exist', async () => {
    const { message } = await run({ command: 'get' });
    expect(message).toBe(
      `The project has no branch "${name}". It may never have been created, or may have expired or been deleted. \`command: create\` creates it.`,
    );
  });

  it('fails if the branch has no read-write endpoint, but reports the branch', async () => {
    const account = new Account();
    account.add({ name }, { endpoint: { type: 'read_only' } });
    const { message, result } = await run({ command: 'get', account });
    expect(message).toBe(
      `Branch "${name}" (br-1) has no read-write compute endpoint, so it has no host. To add one, use \`command: create\` with the same branch name: it reuses the branch.`,
    );
    expect(result.branch?.id).toBe('br-1');
  });

  it.each([
    ['old', '2025-03-04T05:06:07Z'],
    ['new', '2026-03-04T05:06:05Z'],
  ])('refuses an anonymized branch whose rows are not masked, if it is %s', async (_, created_at) => {
    const account = new Account();
    account.add({ name, created_at });
    account.on('GET /branches/*/anonymized_status', () => ({ body: { state: 'anonymizing' } }));
    const { message, result } = await run({ command: 'get', account });
    expect(message).toContain('is being anonymized (state "anonymizing"), so its connection details are withheld');
    expect(result.connection).toBeUndefined();
  });

  it('does not believe a 404 of the masking state before other reads have found a new branch', async () => {
    const account = new Account();
    account.add({ name, created_at: '2026-03-04T05:06:05Z' });
    account.on('GET /branches/*/endpoints', unknown, unknown);
    const { calls, message } = await run({ command: 'get', account });
    expect(message).toBeUndefined();
    const all = calls();
    expect(all.filter((call) => call === 'GET /branches/*/endpoints')).toHaveLength(3);
    expect(all.indexOf('GET /branches/*/anonymized_status')).toBeGreaterThan(
      all.lastIndexOf('GET /branches/*/endpoints'),
    );
  });
});
