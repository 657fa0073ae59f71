import { describe, expect, it } from 'vitest';
import type { Context } from '../../../src/context.ts';
import { planPrune } from '../../../src/prune/plan.ts';
import { emptyResult } from '../../../src/result.ts';
import { parseEvent } from '../../../src/step/event.ts';
import { parseGlob } from '../../../src/text/glob.ts';
import * as events from '../../../tools/runner/events.ts';
import { mockApi, type Reply } from '../../support/mock-api.ts';
import { deletable, fieldsFor, type GitHubScript, pruneContext } from './prune-context.ts';

const event = parseEvent(events.pullRequest());

const raw = (id: string, more: object = {}) => ({ id, name: id, ...deletable, ...more });

function page(branches: { id: string }[], next?: string, metadata: Record<string, string> = {}): Reply {
  const annotation = { value: { 'github-commit-repo': event.repository, ...metadata } };
  const annotations = Object.fromEntries(branches.map(({ id }) => [id, annotation]));
  return { body: { branches, annotations, pagination: next === undefined ? {} : { next } } };
}

/** The IDs that a prune by age would delete, in order. */
async function planned(pages: Reply[]): Promise<string[]> {
  const { api } = mockApi(pages);
  const quiet = () => {};
  const { layers } = await planPrune({
    inputs: { project_id: 'p', older_than: 1 } as Context['inputs'],
    command: 'prune',
    event,
    api,
    log: { info: quiet, debug: quiet, notice: quiet, warning: quiet, group: quiet },
    mask: quiet,
    progress: quiet,
    result: emptyResult,
    started: quiet,
    succeeded: quiet,
    saveForPostStep: quiet,
  });
  return layers.flat().map(({ branch }) => branch.id);
}

describe('a branch that is listed twice', () => {
  it.each(['default', 'primary', 'protected'])('is kept if either entry says that it is %s', async (guard) => {
    const [now, before] = [raw('br-1'), raw('br-1', { [guard]: true })];
    expect(await planned([page([before], 'b'), page([now, raw('br-2')])])).toEqual(['br-2']);
    expect(await planned([page([now], 'b'), page([before, raw('br-2')])])).toEqual(['br-2']);
    expect(await planned([page([before, now])])).toEqual([]);
  });

  it('is kept if its last entry does not say that it may be deleted', async () => {
    const silent = raw('br-1', { protected: undefined });
    expect(await planned([page([raw('br-1')], 'b'), page([silent, raw('br-2')])])).toEqual(['br-2']);
    expect(await planned([page([silent], 'b'), page([raw('br-1'), raw('br-2')])])).toEqual(['br-1', 'br-2']);
  });

  it('has the parent of its last entry', async () => {
    const guarded = raw('br-3', { protected: true, parent_id: 'br-1' });
    expect(
      await planned([page([raw('br-1'), raw('br-2'), guarded], 'b'), page([raw('br-3', { parent_id: 'br-2' })])]),
    ).toEqual(['br-1']);
  });
});

describe('branches that are kept', () => {
  async function logged(branches: { id: string }[]) {
    const { context } = pruneContext([page(branches)]);
    const groups: [title: string, lines: string[]][] = [];
    const group = (...one: [string, string[]]) => void groups.push(one);
    await planPrune({ ...context, log: { ...context.log, group } });
    return groups;
  }

  it('have a line each, in a group', async () => {
    expect(await logged([])).toEqual([]);
    const branches = Array.from({ length: 90 }, (_, index) => raw(`br-${index}`, { protected: index % 4 === 2 }));
    const [[title, lines] = ['', []], ...others] = await logged(branches);
    expect([title, lines.length, others]).toEqual(['Kept 90 branches', 90, []]);
    expect(lines.slice(1, 3)).toEqual([
      'Kept branch "br-1" (br-1): its metadata points to no pull request',
      'Kept branch "br-2" (br-2): it is protected',
    ]);
  });
});

describe('the list of branches', () => {
  it('is sorted by creation, so that pages do not shift while branches come and go', async () => {
    const { context, sent } = pruneContext([page([])]);
    await planPrune(context);
    expect(sent.map(({ path }) => path)).toEqual([expect.stringContaining('sort_by=created_at&sort_order=asc')]);
  });

  it('says how old the plan may be: when it was requested', async () => {
    const { context, clock } = pruneContext(() => {
      clock.pass(1_000);
      return page([raw('br-1')]);
    });
    const start = clock.now();
    const { layers } = await planPrune({ ...context, inputs: { ...context.inputs, older_than: 1 } });
    expect(layers).toMatchObject([[{ readAt: start }]]);
  });
});

describe('a clock that is wrong', () => {
  const at = (ms: number) => ({ date: new Date(Date.parse('2026-03-04T05:06:07Z') + ms).toUTCString() });
  const hour = 3_600_000;
  const plan = (inputs: Partial<Context['inputs']>, skewMs: number) => {
    const { context } = pruneContext([
      { ...page([raw('br-1')], 'b'), headers: at(skewMs) },
      { ...page([raw('br-2')]), headers: at(0) },
    ]);
    return planPrune({ ...context, inputs: { ...context.inputs, ...inputs } });
  };

  it.each(['closed_for', 'older_than', 'unused_for'] as const)('fails a step with %s', async (name) => {
    for (const skewMs of [hour + 1_000, -hour - 1_000, 73 * 365 * 24 * hour]) {
      await expect(plan({ [name]: 60_000 }, skewMs)).rejects.toThrow(
        /^The service's clock \(.*Z\) and the runner's \(2026-03-04T05:06:07.000Z\) differ by more than an hour, so the ages of branches are unknown. No branch was pruned. .* remove `/,
      );
    }
  });

  it('does no harm within an hour, or if no age is needed', async () => {
    expect((await plan({ older_than: 1 }, hour)).layers.flat()).toHaveLength(2);
    expect(await plan({}, 2 * hour)).toMatchObject({ layers: [], now: undefined });
  });
});

describe('`unused_for`', () => {
  const plan = async (inputs: Partial<Context['inputs']>) => {
    const endpoints = [{ branch_id: 'br-1', last_active: '2026-03-04T00:00:00Z' }];
    const { context, sent, lines } = pruneContext(({ path }) =>
      path.includes('/endpoints') ? { body: { endpoints } } : page([raw('br-1'), raw('br-2')]),
    );
    const { layers } = await planPrune({ ...context, inputs: { ...context.inputs, ...inputs } });
    return { ids: layers.flat().map(({ branch }) => branch.id), requests: sent.length, lines };
  };

  it('keeps stale branches that have been used', async () => {
    const found = 'The project has 2 branches';
    expect(await plan({ older_than: 1 })).toEqual({ ids: ['br-1', 'br-2'], requests: 1, lines: [found] });
    expect(await plan({ older_than: 1, unused_for: 86_400_000 })).toEqual({
      ids: ['br-2'],
      requests: 2,
      lines: [
        found,
        'Kept branch "br-1" (br-1): its compute was last active 5h 6m ago, which is less than `unused_for`',
      ],
    });
  });

  it('reads no activity if no branch is stale', async () => {
    expect(await plan({ unused_for: 86_400_000 })).toMatchObject({ ids: [], requests: 1 });
  });
});

describe('`branch_pattern`', () => {
  const plan = async (pages: Reply[], pattern?: string) => {
    const { context, queries, warnings } = pruneContext(pages, undefined, (query, variables) => ({
      ...fieldsFor(query, variables, {}),
      defaultBranchRef: { name: 'main' },
      refs: { nodes: [{ name: 'main' }], pageInfo: { hasNextPage: false } },
    }));
    const branch_pattern = pattern === undefined ? undefined : parseGlob(pattern);
    const { layers, total } = await planPrune({ ...context, inputs: { ...context.inputs, branch_pattern } });
    return { ids: layers.flat().map(({ branch }) => branch.id), total, queries: queries.length, warnings };
  };
  const pageOf = (id: string, next?: string): Reply =>
    page([raw(id, { name: 'login' })], next, { 'github-commit-repo': '' });
  const bare: Reply = { body: { branches: [raw('br-2')] } };

  it('selects branches without metadata', async () => {
    expect(await plan([pageOf('br-1')], '*')).toEqual({ ids: ['br-1'], total: 1, queries: 2, warnings: [] });
  });

  it('is ignored if any page of the list has no metadata', async () => {
    const warnings = [
      'The service listed branches without their metadata, so `branch_pattern` is ignored: branches that only it selects are not pruned',
    ];
    expect(await plan([bare], '*')).toEqual({ ids: [], total: 1, queries: 0, warnings });
    expect(await plan([pageOf('br-1', 'b'), bare], '*')).toEqual({ ids: [], total: 2, queries: 0, warnings });
    expect(await plan([bare])).toEqual({ ids: [], total: 1, queries: 0, warnings: [] });
  });
});

describe('a branch whose git ref is in use', () => {
  const metadata = { 'github-pr-number': '5', 'github-commit-ref': 'feature' };
  const plan = async (of: Record<string, string>, openHead: number, inputs: Partial<Context['inputs']> = {}) => {
    const { context, lines, queries } = pruneContext(
      [page([raw('br-1')], undefined, of)],
      undefined,
      (query, variables) => fieldsFor(query, variables, { openHead: () => openHead }),
    );
    const { layers } = await planPrune({ ...context, inputs: { ...context.inputs, ...inputs } });
    return { ids: layers.flat().map(({ branch }) => branch.id), lines, queries: queries.length };
  };

  it('is kept if another pull request has the same head ref', async () => {
    const { ids, lines, queries } = await plan(metadata, 6);
    expect([ids, queries]).toEqual([[], 2]);
    expect(lines).toContain('Kept branch "br-1" (br-1): pull request #6 with the same head ref ("feature") is open');
    expect((await plan(metadata, 0)).ids).toEqual(['br-1']);
  });

  it('is kept from `older_than` even if its metadata points to no pull request', async () => {
    const of = { 'github-commit-ref': 'feature' };
    expect((await plan(of, 6, { older_than: 1 })).ids).toEqual([]);
    expect((await plan(of, 0, { older_than: 1 })).ids).toEqual(['br-1']);
  });
});

describe('GitHub', () => {
  const metadata = { 'github-pr-number': '5', 'github-commit-ref': 'feature' };
  const plan = (of: Record<string, string>, gitHub: GitHubScript, inputs: Partial<Context['inputs']> = {}) => {
    const { context, sent } = pruneContext([page([raw('br-1')], undefined, of)], undefined, gitHub);
    const planned = planPrune({ ...context, inputs: { ...context.inputs, ...inputs } });
    return { planned, sent };
  };

  it('fails the step if nothing can be read', async () => {
    await expect(plan(metadata, () => 502).planned).rejects.toThrow(
      'Could not read the state of pull request #5: GitHub responded with 502, no. No branch was pruned.',
    );
    await expect(plan(metadata, () => ({ p5: null }), { older_than: 1 }).planned).rejects.toThrow(
      'No branch was pruned',
    );
    await expect(plan({ 'github-commit-ref': 'x' }, () => 502, { older_than: 1 }).planned).rejects.toThrow(
      'Could not read the pull requests of git refs: GitHub responded with 502',
    );
    const named = { 'github-commit-repo': '' };
    await expect(plan(named, () => 502, { branch_pattern: parseGlob('*') }).planned).rejects.toThrow(
      'Could not list the git branches: GitHub responded with 502, no. No branch was pruned.',
    );
  });

  it('is not queried if nothing depends on it', async () => {
    await expect(plan({}, () => 502, { older_than: 1 }).planned).resolves.toMatchObject({ layers: [[{}]] });
  });
});
