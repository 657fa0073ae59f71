import { describe, expect, it } from 'vitest';
import { summarize } from '../../../src/report/summary.ts';
import { emptyResult, type PrunedBranch, type Result } from '../../../src/result.ts';
import { livingIn, rendered, seen } from '../../../tools/docs/rendered.ts';

const branch = {
  id: 'br-1',
  name: 'preview/pr-7',
  parent_id: 'br-main',
  default: false,
  protected: false,
  current_state: 'ready',
  created_at: '2026-03-04T05:06:07Z',
  metadata: {},
};
const connection = {
  endpointId: 'ep-1',
  uri: 'postgresql://app:hunter22@ep-1.local.test/neondb',
  pooledUri: 'postgresql://app:hunter22@ep-1-pooler.local.test/neondb',
  host: 'ep-1.local.test',
  pooledHost: 'ep-1-pooler.local.test',
  port: '5432',
  database: 'neondb',
  role: 'app',
  password: 'hunter22',
};
const operation = (action: string, total_duration_ms: number) => ({
  id: `id-of-${action}`,
  action,
  status: 'finished',
  failures_count: 0,
  total_duration_ms,
});

const summary = (result: Partial<Result>, failure?: string) =>
  summarize({ command: 'create', result: { ...emptyResult(), ...result }, failure, ms: 2_440 });

/** The rows of a table, by their first cell. */
function rows(markdown: string): Record<string, string[]> {
  const cells = [...rendered(markdown).matchAll(/<tr>([\s\S]*?)<\/tr>/g)].map(([, row = '']) =>
    [...row.matchAll(/<t[dh][^>]*>([\s\S]*?)<\/t[dh]>/g)].map(([, cell = '']) => seen(cell)),
  );
  return Object.fromEntries(cells.map(([first = '', ...rest]) => [first, rest]));
}

describe('the summary', () => {
  it('shows a failure of several lines as a list, with what to do next below it', () => {
    const list = '**Failed** after 2.4s. Two failed:\n\n- a\n- b';
    expect(summary({}, 'Two failed:\n- a\n- b')).toContain(`${list}\n`);
    expect(summary({}, 'Two failed:\n- a\n- b\nRun the step again.')).toContain(`${list}\n\nRun the step again.`);
  });

  it('says what was done, the facts, and the duration', () => {
    const text = summary({
      done: 'Created branch "preview/pr-7" (br-1)',
      branch: { ...branch, expires_at: '2026-03-18T05:06:07Z' },
      connection,
      operations: [operation('create_branch', 1_200), operation('start_compute', 340)],
    });
    expect(text).toMatch(
      /^### Database branch: create\n\nCreated branch "preview\/pr-7" \(br-1\)\. The step took 2\.4s\.\n/,
    );
    expect(summary({ done: 'Kept it. Use `command: delete`.' })).toContain(
      '\n\nKept it. Use `command: delete`. The step took 2.4s.\n',
    );
    expect(rows(text)).toEqual({
      Property: ['Value'],
      Branch: ['preview/pr-7'],
      ID: ['br-1'],
      Parent: ['br-main'],
      Host: ['ep-1.local.test'],
      'Pooled host': ['ep-1-pooler.local.test'],
      Database: ['neondb'],
      Role: ['app'],
      Expires: ['2026-03-18 05:06 UTC'],
      Operation: ['Status', 'Duration', ''],
      create_branch: ['finished', '1.2s', '━'.repeat(20)],
      start_compute: ['finished', '340ms', '━'.repeat(6)],
    });
  });

  it('has all of what was done, and what to do next', () => {
    const done = `Kept it, because ${'of many reasons, '.repeat(30)}and so on. Use \`command: delete\`.`;
    expect(summary({ done })).toContain('and so on. Use `command: delete`. The step took');
  });

  it('has no secret', () => {
    expect(summary({ done: 'Created', branch, connection })).not.toMatch(/hunter22|postgresql:/);
  });

  it('has the name of the parent if it is known, and no empty rows', () => {
    expect(rows(summary({ branch, knownParent: { id: branch.parent_id, name: 'main' } }))).toMatchObject({
      Parent: ['main'],
      Expires: ['never'],
    });
    const { parent_id: _, ...root } = branch;
    expect(rows(summary({ branch: root }))).not.toHaveProperty('Parent');
    expect(rows(summary({}))).toEqual({});
  });

  it('of a failed run says why, and has the facts so far', () => {
    const text = summary({ branch }, 'Operation start_compute (op-1) ended with status "error": <b>@octocat</b>.');
    const html = rendered(text);
    expect(seen(html)).toContain(
      'Failed after 2.4s. Operation start_compute (op-1) ended with status "error": <b>@octocat</b>.',
    );
    expect(html).not.toContain('<b>');
    expect(livingIn(html)).toEqual([]);
    expect(rows(text)).toMatchObject({ ID: ['br-1'] });
  });

  it('has a bar for operations that took no time', () => {
    expect(rows(summary({ operations: [operation('a', 0), operation('b', 0)] }))).toMatchObject({
      a: ['finished', '0ms', '━'],
      b: ['finished', '0ms', '━'],
    });
  });

  it('keeps its form, whatever the names contain', () => {
    const name = 'x|<td>`y`\n| # [a](b) @octocat';
    const text = summary({ done: `Created ${name}`, branch: { ...branch, name } });
    expect(rows(text).Branch).toEqual(['x|<td>`y` | # [a](b) @octocat']);
    expect(Object.keys(rows(text))).toEqual(['Property', 'Branch', 'ID', 'Parent', 'Expires']);
  });

  it('says what to do next', () => {
    expect(summary({ done: 'Created', branch, connection })).toContain('`command: get` and `branch_id: br-1`');
    const ephemeral = summary({ done: 'Created', branch, connection, endsWithJob: true });
    expect(ephemeral).toContain('in later steps of this job. The branch is deleted when the job ends.');
    const planned = { id: 'br-2', name: 'x', reason: 'it is older than 14d', outcome: 'planned' as const };
    expect(summary({ pruned: [planned] })).toContain('remove `dry_run: true`');
    expect(summary({ done: 'x', branch, connection }, 'It broke')).not.toContain('**Next:**');
  });

  describe('of a prune', () => {
    const pruned = (
      outcome: PrunedBranch['outcome'],
      name: string,
      more: Partial<PrunedBranch> = {},
    ): PrunedBranch => ({
      id: `br-${name}`,
      name,
      reason: 'pull request #7 is closed',
      outcome,
      ...more,
    });

    it('is a table of name, age, reason and result, failures first', () => {
      const day = 86_400_000;
      const text = summary({
        pruned: [
          pruned('deleted', 'a', { ageMs: 3.7 * day }),
          pruned('kept', 'b', { ageMs: 3_700_000, note: 'its child branch "c" is kept' }),
          pruned('failed', 'd', { ageMs: 45 * day, note: '<b>in use</b>' }),
          pruned('gone', 'e'),
        ],
      });
      expect(rows(text)).toEqual({
        Branch: ['Age', 'Reason', 'Result'],
        d: ['45d', 'pull request #7 is closed', '❌ not deleted: <b>in use</b>'],
        b: ['1h 1m', 'pull request #7 is closed', 'kept: its child branch "c" is kept'],
        a: ['3d', 'pull request #7 is closed', 'deleted'],
        e: ['', 'pull request #7 is closed', 'already gone'],
      });
      expect(Object.keys(rows(text))).toEqual(['Branch', 'd', 'b', 'e', 'a']);
      expect(livingIn(rendered(text))).toEqual([]);
    });

    it('is folded under its counts if it is long', () => {
      const many = Array.from({ length: 60 }, (_, i) => pruned(i === 0 ? 'failed' : 'deleted', `n${i}`));
      expect(summary({ pruned: many })).toContain('<summary>1 not deleted, 59 deleted</summary>');
    });
  });
});
