import { describe, expect, it } from 'vitest';
import * as events from '../../../tools/runner/events.ts';
import { Account } from '../../support/account.ts';
import { run } from '../../support/step.ts';
import { fieldsFor, scripted } from '../prune/prune-context.ts';

const refused = { status: 403, body: { code: '', message: 'no' } };

/** A prune in a project with branches of closed pull requests, from number 1. */
function prune(count: number, options: { account?: Account; inputs?: Record<string, string>; open?: number[] } = {}) {
  const { account = new Account(), inputs = {}, open = [] } = options;
  for (let number = 1; number <= count; number++) {
    const metadata = { 'github-commit-repo': 'octo-org/octo-repo', 'github-pr-number': String(number) };
    account.add({ name: `preview/pr-${number}` }, { metadata });
  }
  const connectGitHub = async () =>
    scripted((query, variables) => fieldsFor(query, variables, { open: (number) => open.includes(number) }));
  return run({ command: 'prune', account, inputs, event: events.schedule(), connectGitHub });
}

describe('prune', () => {
  it('deletes the branches of closed pull requests, and waits for the operations', async () => {
    const { result, calls, message } = await prune(2);
    expect(message).toBeUndefined();
    expect(result).toMatchObject({ action: 'pruned', done: 'Deleted 2 of 3 branches' });
    expect(result.pruned?.map(({ name, outcome }) => [name, outcome])).toEqual([
      ['preview/pr-1', 'deleted'],
      ['preview/pr-2', 'deleted'],
    ]);
    expect(result.operations.map(({ action, status }) => [action, status])).toEqual([
      ['delete_timeline', 'finished'],
      ['delete_timeline', 'finished'],
    ]);
    expect(calls().filter((call) => call.startsWith('DELETE'))).toHaveLength(2);
  });

  it('does not wait with `wait: false`', async () => {
    const { result, sent } = await prune(1, { inputs: { wait: 'false' } });
    expect(result.operations).toEqual([]);
    expect(sent.filter(({ path }) => path.includes('/operations'))).toEqual([]);
  });

  it('deletes nothing in a dry run', async () => {
    const { result, calls } = await prune(2, { inputs: { dry_run: 'true' } });
    expect(result.done).toBe('Would delete 2 of 3 branches (dry run)');
    expect(calls()).toEqual(['GET /branches']);
  });

  it('says that nothing is stale', async () => {
    expect((await prune(1, { open: [1] })).result.done).toBe('Checked 2 branches; found no stale branches');
    expect((await prune(0)).result.done).toBe('Checked 1 branch; found no stale branches');
  });

  it('says that nothing was deleted if the stale branches were kept after all', async () => {
    const account = new Account().on('DELETE /branches/*', () => ({
      status: 404,
      body: { code: '', message: 'gone' },
    }));
    expect((await prune(1, { account })).result.done).toBe('Checked 2 branches; deleted none');
  });

  it('names the branches that could not be deleted, and why', async () => {
    const account = new Account();
    account.on('DELETE /branches/*', (_, id) => (id === 'br-2' ? undefined : refused));
    const { message, error } = await prune(3, { account });
    expect((error as Error).name).toBe('PruneError');
    const [head, ...lines] = message?.split('\n') ?? [];
    expect(head).toBe('Could not delete 2 of 3 stale branches:');
    expect(lines).toEqual([
      expect.stringMatching(/^- "preview\/pr-1" \(br-1\): .*403/),
      expect.stringMatching(/^- "preview\/pr-3" \(br-3\): .*403/),
      expect.stringMatching(/^The key is valid, but is not allowed to do this\. /),
    ]);
  });

  it.each([
    [500, 'The service is failing (5xx); run the step again.'],
    [400, 'Run the step again.'],
  ])('says what to do about branches that could not be deleted: %i', async (status, next) => {
    const account = new Account().on('DELETE /branches/*', () => ({ status, body: { code: '', message: 'no' } }));
    const { message } = await prune(1, { account, inputs: { timeout: '30s' } });
    expect(message?.split('\n').at(-1)).toBe(next);
  });

  it.each([
    [20, []],
    [21, ['- and 1 more']],
  ])('names at most twenty of them: %d', async (count, more) => {
    const account = new Account().on('DELETE /branches/*', () => refused);
    const lines = (await prune(count, { account })).message?.split('\n') ?? [];
    expect(lines.slice(1, 21).every((line) => line.startsWith('- "preview/pr-'))).toBe(true);
    expect(lines.slice(21, -1)).toEqual(more);
  });

  it('says of a branch whose delete got no response that it may still exist', async () => {
    const account = new Account();
    account.on('DELETE /branches/*', () => ({ error: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) }));
    account.on('GET /branches/*', () => refused);
    const { message } = await prune(1, { account, inputs: { timeout: '30s' } });
    expect(message).toMatch(/\n- "preview\/pr-1" \(br-1\) may still exist: /);
  });

  it.each<[string, (parent: Record<string, string>, open: number[]) => unknown, string]>([
    ['whose pull request is reopened', (_, open) => open.push(3), 'pull request #3 is open'],
    [
      'that is assigned to another pull request',
      (parent) => Object.assign(parent, { 'github-pr-number': '4' }),
      'it was reassigned to pull request #4 of octo-org/octo-repo in the meantime (see its metadata)',
    ],
  ])('keeps a parent %s while its children are deleted', async (_, change, why) => {
    const account = new Account();
    const of = (number: string) => ({ 'github-commit-repo': 'octo-org/octo-repo', 'github-pr-number': number });
    const metadata = of('3');
    const parent = account.add({ name: 'preview/pr-3' }, { metadata });
    account.add({ name: 'child', parent_id: parent.id }, { metadata: of('2') });
    const open: number[] = [];
    const { result, calls, lines } = await run({
      ...{ command: 'prune', account, event: events.schedule() },
      connectGitHub: async () =>
        scripted((query, variables) => fieldsFor(query, variables, { open: (number) => open.includes(number) })),
      prepare: ({ clock }) =>
        account.on('GET /operations', () => {
          change(metadata, open);
          // What was read about a branch is valid for 15 s.
          clock.pass(16_000);
          return undefined;
        }),
    });
    expect(result.pruned?.filter(({ outcome }) => outcome === 'deleted').map(({ name }) => name)).toEqual(['child']);
    expect(lines).toContain(`Kept branch "preview/pr-3" (${parent.id}): ${why}`);
    expect(calls().filter((call) => call.startsWith('DELETE'))).toHaveLength(1);
  });
});
