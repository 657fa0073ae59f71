import { describe, expect, it } from 'vitest';
import { createIdKey } from '../../../src/branch/metadata.ts';
import { Account, type RawBranch } from '../../support/account.ts';
import { run } from '../../support/lifecycle.ts';
import type { Reply, Sent } from '../../support/mock-api.ts';

const name = 'preview/pr-7';
const lost: Reply = { error: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) };
const taken: Reply = { status: 409, body: { code: 'BRANCH_ALREADY_EXISTS', message: 'exists' } };

/** How a create ends if these are the responses to its requests, in order. `acts`: it has created the branch all the same. */
type Attempt = Reply | 'lost' | 'acts, lost' | ((account: Account) => Reply);

async function create(attempts: Attempt[], inputs: Record<string, string> = {}) {
  const account = new Account();
  const replies = attempts.map((attempt) => (request: Sent): Reply => {
    if (attempt === 'acts, lost') account.carryOut(request);
    if (typeof attempt === 'function') return attempt(account);
    return typeof attempt === 'string' ? lost : attempt;
  });
  const step = await run({
    command: 'create',
    account: account.on('POST /branches', ...replies, (request) => account.carryOut(request)),
    inputs,
  });
  const calls = step.calls();
  /** Creates and lookups by name, up to the last create or the lookup after it. */
  const asked = calls.filter((call) => call === 'POST /branches' || call === 'GET /branches').join(' ');
  return { ...step, asked: asked.replaceAll(' /branches', '') };
}

/** Someone else creates a branch of this name. */
const theirs =
  (reply: Reply) =>
  (account: Account): Reply => {
    account.add({ name, id: 'br-theirs' }, { metadata: { [createIdKey]: 'another' } });
    return reply;
  };

describe('a create whose response is lost', () => {
  it.each([
    ['is not sent again if the branch has our ID', ['acts, lost'], 'POST GET', { created: true }],
    ['uses a branch of its name that has another ID', [theirs(lost)], 'POST GET', { created: false }],
    ['is sent again if no branch is listed', ['lost'], 'POST GET POST', { created: true }],
    [
      'waits for its name if that is taken, and no branch is listed',
      ['lost', taken],
      'POST GET POST GET POST',
      { created: true },
    ],
  ] satisfies [string, Attempt[], string, object][])('%s', async (_, attempts, asked, result) => {
    const step = await create(attempts);
    expect(step.asked).toBe(asked);
    expect(step.result).toMatchObject(result);
    expect(step.message).toBeUndefined();
  });

  it.each([409, 412, 422])('is found even if the next attempt fails with %i because of it', async (status) => {
    let late: RawBranch | undefined;
    const account = new Account();
    account.on(
      'POST /branches',
      (request) => {
        account.carryOut(request);
        // No list shows it yet.
        late = account.branches.pop();
        return lost;
      },
      () => {
        if (late) account.branches.push(late);
        return { status, body: { code: '', message: 'no' } };
      },
    );
    const step = await run({ command: 'create', account });
    expect(step.message).toBeUndefined();
    expect(step.result).toMatchObject({ created: true, branch: { name } });
    expect(step.calls().filter((call) => call === 'POST /branches')).toHaveLength(2);
  });

  it.each([
    ['no permission', ['lost', { status: 403, body: { code: '', message: 'no' } }], 'POST GET POST GET'],
  ] satisfies [string, Attempt[], string][])('fails with the next error: %s', async (_, attempts, asked) => {
    const step = await create(attempts);
    expect(step.asked).toBe(asked);
    expect(step.message).toMatch(/^Could not create branch "preview\/pr-7": 403/);
    expect(step.result).toMatchObject({ created: false });
    expect(step.result.branch).toBeUndefined();
  });
});

describe('a create in a full project', () => {
  const full: Reply = { status: 422, body: { code: 'BRANCHES_LIMIT_EXCEEDED', message: 'full' } };

  it.each(['fail', 'prune'])('uses a branch that exists (`on_limit: %s`)', async (on_limit) => {
    const { asked, result } = await create([theirs(full)], { on_limit });
    expect(asked).toBe('POST GET');
    expect(result).toMatchObject({ created: false, branch: { id: 'br-theirs' } });
  });
});
