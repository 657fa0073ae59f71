import { describe, expect, it } from 'vitest';
import { type DatabaseDiff, type DiffFacts, emptyFacts } from '../../../src/diff/facts.ts';
import { gateFailure } from '../../../src/diff/gate.ts';
import { differenceIn, reportOf, warningsOf } from '../../../src/diff/report.ts';
import { type Finding, levels, type RuleName } from '../../../src/schema/rules.ts';
import { branch } from '../service/samples.ts';

const finding = (rule: RuleName, object: string, detail = ''): Finding => ({ rule, object, detail });
const text = '--- a/app\n+++ b/app\n@@ -1,2 +1,2 @@\n x\n-a\n+b\n';
const database: DatabaseDiff = { database: 'app', isNew: false, isGone: false, text, findings: [], ignored: [] };
const diffOf = (more: Partial<DatabaseDiff> = {}, all: Partial<DiffFacts> = {}): DiffFacts => ({
  ...emptyFacts(),
  branch: branch(),
  base: { id: 'br-main', name: 'main' },
  databases: [{ ...database, ...more }],
  ...all,
});

describe('the sentence on what was compared', () => {
  const said = (diff: DiffFacts) => differenceIn(diff);

  it('counts the findings', () => {
    const findings = [finding('drop-table', 'a'), finding('drop-column', 'b.c'), finding('drop-view', 'v')];
    expect(said(diffOf({ findings }))).toBe(
      'The schema differs in database "app" between branch "preview/pr-7" and branch "main"; findings: 2 destructive, 1 breaking',
    );
    expect(said(diffOf({ text: '' }, { basePoint: '0/1' }))).toBe(
      'No schema difference in database "app" between branch "preview/pr-7" and branch "main" as of 0/1',
    );
  });

  it('sums up all databases', () => {
    const databases = [database, { ...database, database: 'b' }, { ...database, database: 'c', text: '' }];
    expect(said(diffOf({}, { all: true, databases }))).toBe(
      'The schema differs in 2 of 3 databases between branch "preview/pr-7" and branch "main"',
    );
    expect(said(diffOf({}, { all: true, databases: databases.slice(2) }))).toBe(
      'No schema difference in 1 database between branch "preview/pr-7" and branch "main"',
    );
  });
});

describe('the warnings', () => {
  it('are one for all destructive findings, and one for all exposing ones', () => {
    const findings = [
      finding('drop-column', 'public.t.a', 'text'),
      finding('grant', 'public.t'),
      ...Array.from({ length: 6 }, (_, i) => finding('drop-table', `t${i}`)),
      finding('add-index', 'public.i'),
      finding('drop-view', 'public.v'),
    ];
    expect(warningsOf(diffOf({ findings }))).toEqual([
      'Destructive: drop-column public.t.a (text); drop-table t0; drop-table t1; drop-table t2; drop-table t3; and 2 more',
      'Exposing: grant public.t',
    ]);
    expect(warningsOf(diffOf({ findings }, { all: true }))[0]).toMatch(
      /^Destructive: drop-column public\.t\.a \(text\) in database "app"; /,
    );
    expect(warningsOf(diffOf({ ignored: findings }))).toEqual([]);
  });

  it('say that the review is incomplete, unless the step fails for it', () => {
    const line = 'Database "app" could not be fully reviewed: the SQL parser crashed.';
    expect(warningsOf(diffOf({ incomplete: 'the SQL parser crashed' }))).toEqual([line]);
    expect(warningsOf(diffOf({ incomplete: 'the SQL parser crashed.' }))).toEqual([line]);
    expect(warningsOf(diffOf({ incomplete: 'the SQL parser crashed' }, { failOn: ['exposing'] }))).toEqual([]);
  });

  it('name a database that the branch does not have', () => {
    expect(warningsOf(diffOf({ isGone: true }, { all: true }))).toEqual([
      'The branch lacks database "app" of the base.',
    ]);
    expect(warningsOf(diffOf({ isNew: true }, { all: true }))).toEqual([]);
  });
});

describe('the gate', () => {
  const findings = [finding('drop-column', 'public.t.a', 'text'), finding('add-index', 'public.i')];

  it('fails on findings of its levels only', () => {
    expect(gateFailure(diffOf({ findings }))).toBeUndefined();
    expect(gateFailure(diffOf({ findings }, { failOn: ['exposing'] }))).toBeUndefined();
    expect(gateFailure(diffOf({ ignored: findings }, { failOn: [...levels] }))).toBeUndefined();
    expect(gateFailure(diffOf({ findings }, { failOn: ['destructive'] }))).toBe(
      'The step fails because of 1 finding (`fail_on: destructive`): drop-column public.t.a (text). Change the migration, or accept a finding with `ignore_rules`.',
    );
    expect(gateFailure(diffOf({ findings }, { failOn: [...levels] }))).toMatch(
      /because of 2 findings \(`fail_on: any`\): drop-column public\.t\.a \(text\); add-index public\.i\. /,
    );
  });

  it('fails if the branch lacks a database', () => {
    const gone = diffOf({ isGone: true }, { all: true, failOn: ['destructive'] });
    expect(gateFailure(gone)).toBe(
      'The branch lacks database "app" of the base. To pass without a review, set `fail_on: never`.',
    );
    expect(warningsOf(gone)).toEqual([]);
    expect(reportOf(gone)[0]).toBe(
      '> [!WARNING]\n> The step fails (`fail_on: destructive`): The branch lacks database "app" of the base.',
    );
    expect(gateFailure(diffOf({ isNew: true }, { all: true, failOn: ['destructive'] }))).toBeUndefined();
    expect(gateFailure(diffOf({ isGone: true }, { all: true }))).toBeUndefined();
  });

  it('ignores the findings of a database whose fork point is lost, and of no other', () => {
    const lost = { ...database, isForkLost: true, findings: [finding('drop-table', 'lost.t')] };
    const known = { ...database, database: 'known', findings: [finding('drop-table', 'known.t')] };
    const both = diffOf({}, { all: true, failOn: ['destructive'], databases: [lost, known] });
    expect(gateFailure(both)).toMatch(/^The step fails because of 1 finding .*: drop-table known\.t /);
    expect(gateFailure({ ...both, databases: [lost] })).toBeUndefined();
    expect(warningsOf(both)[0]).toContain(
      '`fail_on` was not checked for "app": Branch "main" was compared as it is now',
    );
  });

  it('names some findings and counts the rest', () => {
    const many = Array.from({ length: 9 }, (_, i) => finding('drop-table', `"t ${i}"`));
    const said = gateFailure(diffOf({ findings: many }, { failOn: ['destructive'], all: true }));
    expect(said).toMatch(
      /9 findings .*drop-table "t 4" in database "app"; and 4 more\. .*accept a finding with `ignore_rules`\.$/,
    );
  });

  it('fails if the review is incomplete', () => {
    expect(gateFailure(diffOf({ incomplete: 'x' }))).toBeUndefined();
    const incomplete = 'the schema is too large (70,000,000 characters)';
    const large = `Database "app" could not be fully reviewed: ${incomplete}.`;
    const pass = 'To pass without a review, set `fail_on: never`.';
    expect(gateFailure(diffOf({ incomplete }, { failOn: ['locking'] }))).toBe(`${large} ${pass}`);
    const both = gateFailure(diffOf({ findings, incomplete }, { failOn: ['locking'] }));
    expect(both).toMatch(/^The step fails because of 1 finding /);
    expect(both?.endsWith(`. ${large} ${pass}`)).toBe(true);
    const one = { ...database, incomplete };
    const two = diffOf({}, { all: true, failOn: ['locking'], databases: [one, { ...one, database: 'other' }] });
    expect(gateFailure(two)).toBe(`${large} ${large.replace('"app"', '"other"')} ${pass}`);
  });

  it('is one line, whatever the names contain', () => {
    const hostile = finding('drop-table', 'a\n::error::b\u202e', 'c\r\n');
    const said = gateFailure(diffOf({ findings: [hostile] }, { failOn: ['destructive'] }));
    expect(said).toContain('drop-table a ::error::b (c). Change');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the test checks that there are none
    expect(said).not.toMatch(/[\u0000-\u001f\u202e]/);
  });
});

describe('the report', () => {
  const findings = [finding('drop-column', 'public.t.a', 'text'), finding('add-index', 'public.i')];

  it('has the gate and the worst finding in its first line, and what was compared below the findings', () => {
    const [first = '', ...rest] = reportOf(diffOf({ findings }, { failOn: ['destructive'] }));
    expect(first).toBe(
      '> [!CAUTION]\n> **1 destructive, 1 locking**: the step fails (`fail_on: destructive`), first `drop-column public.t.a (text)`',
    );
    const text = rest.join('\n');
    expect(text.indexOf('<br>drop-column')).toBeLessThan(text.indexOf('| Compared with | `main` |'));
    expect(text).toContain('<summary>Diff (6 lines)</summary>');
  });

  it('has one row for each rule, with many objects in a fold', () => {
    const many = Array.from({ length: 60 }, (_, i) => finding('drop-table', `t${i}`));
    const text = reportOf(diffOf({ findings: many })).join('\n');
    expect(text.match(/<br>drop-table \|/g)).toHaveLength(1);
    expect(text).toContain('<details><summary>60 objects</summary>`t0`<br>');
    expect(text).toContain('`t49`<br>and 10 more in the output `findings`</details>');
  });

  it('says first that the gate was not checked', () => {
    const [first] = reportOf(diffOf({ findings, isForkLost: true }, { failOn: ['destructive'] }));
    expect(first).toMatch(/^> \[!WARNING\]\n> `fail_on` was not checked: Branch /);
  });

  it('says that nothing was found', () => {
    const [first] = reportOf(diffOf({ ignored: findings }));
    expect(first).toBe('The schema review has no findings (2 ignored).');
    expect(reportOf(diffOf({ text: '' }))[0]).toMatch(/^No schema difference in database "app" between/);
    expect(reportOf(diffOf({ incomplete: 'x' }))[0]).toMatch(/could not be fully reviewed: x\.$/);
  });
});
