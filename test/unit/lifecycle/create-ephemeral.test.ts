import { describe, expect, it } from 'vitest';
import { Account, projectId } from '../../support/account.ts';
import { run } from '../../support/lifecycle.ts';

const refused = { status: 422, body: { code: 'LIMIT', message: 'no' } };
const failed = { status: 500, body: { code: '', message: 'oops' } };
const taken = { status: 409, body: { code: 'BRANCH_ALREADY_EXISTS', message: 'exists' } };
const lost = { error: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) };

/** What the post step of an ephemeral create would know, in order: the outcome of the create and the ID of the branch. */
async function savedBy(account: Account, inputs: Record<string, string> = {}) {
  const step = await run({ command: 'create', account, inputs: { ephemeral: 'true', ...inputs }, timeoutMs: 60_000 });
  expect(new Set(step.saved.map((one) => one.createId)).size).toBe(1);
  expect(step.saved[0]?.where).toEqual({ project_id: projectId, api_host: 'https://console.neon.tech/api/v2' });
  const bodies = step.bodies('POST /branches') as { annotation_value: Record<string, string> }[];
  const sent = new Set(bodies.map((body) => body.annotation_value['database-branch-create-id']));
  if (bodies.length > 0) expect([...sent]).toEqual([step.saved[0]?.createId]);
  return { ...step, saved: step.saved.map(({ create, id }) => (id === undefined ? create : `${create} ${id}`)) };
}

describe('the post step of an ephemeral create', () => {
  it('knows the branch before the create is sent, and its ID once it has responded', async () => {
    const account = new Account();
    const beforeCreate: number[] = [];
    const { saved } = await savedBy(account.on('POST /branches', () => void beforeCreate.push(1) as undefined));
    expect(saved).toEqual(['sent', 'created br-1']);
  });

  it('knows that a create was rejected', async () => {
    expect((await savedBy(new Account().on('POST /branches', refused))).saved).toEqual(['sent', 'none']);
  });

  it('does not treat a failed create as rejected', async () => {
    expect((await savedBy(new Account().on('POST /branches', () => failed))).saved).toEqual(['sent']);
  });

  it('does not treat a lost create as rejected, whatever comes next', async () => {
    const account = new Account().on('POST /branches', lost, () => refused);
    expect((await savedBy(account)).saved).toEqual(['sent']);
  });

  it('does not treat a lost create as rejected if it cannot be looked up', async () => {
    const account = new Account().on('POST /branches', (request) => {
      account.carryOut(request);
      account.on('GET /branches', { status: 403, body: { code: '', message: 'no' } });
      return lost;
    });
    const { saved, message } = await savedBy(account);
    expect(saved).toEqual(['sent']);
    expect(message).toMatch(/^Could not create branch .*; could not look up branch .*403/);
  });

  it('does not treat a create as rejected if another branch is returned', async () => {
    const account = new Account().on('POST /branches', (request) => {
      Object.assign((request.body as { branch: object }).branch, { name: 'other' });
      return undefined;
    });
    const { saved, message } = await savedBy(account);
    expect(message).toContain('instead of a new one named "preview/pr-7"');
    expect(saved).toEqual(['sent']);
  });

  it('knows that a service which was never available has created nothing', async () => {
    const unavailable = { status: 503, body: { code: '', message: 'later' }, headers: { 'retry-after': '5' } };
    const account = new Account().on('POST /branches', () => unavailable);
    expect((await savedBy(account)).saved).toEqual(['sent', 'none']);
  });

  it('knows that a step which was cancelled before it could send has created nothing', async () => {
    const inputs = { ephemeral: 'true' };
    const step = await run({ command: 'create', inputs, prepare: ({ stop }) => stop('cancelled') });
    expect(step.message).toContain('The step was cancelled');
    expect([step.sent, step.saved.map(({ create }) => create)]).toEqual([[], ['sent', 'none']]);
  });

  it('does not treat a create as rejected if it was cancelled while it was sent', async () => {
    const account = new Account();
    const step = await run({
      ...{ command: 'create', account, inputs: { ephemeral: 'true' } },
      prepare: ({ stop }) =>
        account.on('POST /branches', () => {
          stop('cancelled');
          return failed;
        }),
    });
    expect(step.saved.map(({ create }) => create)).toEqual(['sent']);
  });

  it('does not say so about its own branch', async () => {
    const { lines } = await savedBy(new Account());
    expect(lines.join()).not.toContain('will not delete');
  });

  it('still looks for a branch whose name was taken after a lost create', async () => {
    const account = new Account();
    account.on('POST /branches', lost, taken, () => undefined);
    expect((await savedBy(account)).saved).not.toContain('refused');
  });
});
