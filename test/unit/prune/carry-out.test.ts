import { describe, expect, it } from 'vitest';
import type { Context } from '../../../src/context.ts';
import { carryOut } from '../../../src/prune/carry-out.ts';
import type { KeptParent } from '../../../src/prune/order.ts';
import type { PrunedBranch, Result } from '../../../src/result.ts';
import type { Sent } from '../../support/mock-api.ts';
import { pruneContext, stale } from './prune-context.ts';

/** A stale branch that is kept because of these children. */
const keptParent = (id: string, children: string[]): KeptParent => ({
  ...stale(id),
  children: children.map((child) => stale(child).branch),
});

/** Each branch has an operation, which has finished by the first poll. */
function reply({ method, path }: Sent) {
  const id = /branches\/([\w-]+)/.exec(path)?.[1] ?? '';
  const operation = { id: 'op-a', action: 'delete_timeline', status: method === 'DELETE' ? 'running' : 'finished' };
  return { body: { branch: { id, name: id }, operations: [operation] } };
}

async function carriedOut(inputs: Partial<Context['inputs']>, options = { wait: true }) {
  const { context, lines, sent } = pruneContext(reply);
  const recorded: Partial<Result>[] = [];
  const progress = (done: Partial<Result>) => {
    context.progress(done);
    const { pruned, operationIds, operations } = context.result();
    recorded.push(inputs.dry_run ? done : { pruned, operationIds, operations });
  };
  const plan = { layers: [[stale('a')]], keptParents: [keptParent('b', ['c'])], total: 3, now: 0 };
  await carryOut({ ...context, progress, inputs: { ...context.inputs, ...inputs } }, plan, options);
  const { pruned, operations } = context.result();
  return { pruned, operations, lines, sent: sent.map(({ method }) => method), recorded };
}

const outcomes = (pruned: PrunedBranch[] | undefined) => pruned?.map(({ id, outcome }) => `${id} ${outcome}`);

describe('carrying out a plan', () => {
  it('deletes the branches, and reports those that are kept for their children too', async () => {
    const { pruned, operations, lines, sent } = await carriedOut({});
    expect(outcomes(pruned)).toEqual(['a deleted', 'b kept']);
    expect(operations).toMatchObject([{ id: 'op-a', status: 'finished' }]);
    expect(lines).toEqual([
      'Kept branch "b" (b), which is stale (old), because its child branch "c" is kept',
      'Deleted branch "a" (a): old',
    ]);
    expect(sent).toEqual(['DELETE', 'GET']);
  });

  it('does not wait for the last deletions without `wait`', async () => {
    const { pruned, operations, sent } = await carriedOut({}, { wait: false });
    expect(outcomes(pruned)).toEqual(['a deleted', 'b kept']);
    expect([operations, sent]).toEqual([[], ['DELETE']]);
  });

  it('records what it has done so far, for a step that fails later', async () => {
    const { recorded } = await carriedOut({});
    expect(recorded.map(({ pruned, operationIds }) => [outcomes(pruned), operationIds])).toEqual([
      [['b kept'], []],
      [['a deleted', 'b kept'], ['op-a']],
      [['a deleted', 'b kept'], ['op-a']],
    ]);
    expect(recorded.map(({ operations }) => operations?.length)).toEqual([0, 0, 1]);
  });

  it('only says what it would delete in a dry run', async () => {
    const { pruned, lines, sent, recorded } = await carriedOut({ dry_run: true });
    expect(outcomes(pruned)).toEqual(['a planned', 'b kept']);
    expect(lines.at(-1)).toBe('Would delete branch "a" (a): old');
    expect([sent, recorded]).toEqual([[], [{ pruned }]]);
  });

  it.each([
    [['c'], 'its child branch "c" is kept'],
    [['c', 'd'], 'its child branches "c" and "d" are kept'],
    [['c', 'd', 'e', 'f'], 'its child branches "c", "d", "e" and 1 more are kept'],
  ])('names up to three of the children that are kept (%j)', async (children, why) => {
    const { context } = pruneContext([]);
    const plan = { layers: [], keptParents: [keptParent('b', children)], total: 9, now: 0 };
    await carryOut(context, plan, { wait: true });
    expect(context.result().pruned).toMatchObject([{ id: 'b', outcome: 'kept', note: why }]);
  });
});
