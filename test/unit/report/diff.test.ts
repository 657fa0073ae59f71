import { describe, expect, it } from 'vitest';
import { differenceIn, gateFailure, warningsOf } from '../../../src/report/diff.ts';
import type { DatabaseDiff, SchemaDiff } from '../../../src/result.ts';
import { ruleTexts } from '../../../src/schema/rule-texts.ts';
import { type Finding, levels, type RuleName } from '../../../src/schema/rules.ts';
import { schemaDiff } from './schema-diff.ts';

const finding = (rule: RuleName, object: string, detail = ''): Finding => ({ rule, object, detail });
const text = '--- a/app\n+++ b/app\n@@ -1,2 +1,2 @@\n x\n-a\n+b\n';
const database: DatabaseDiff = { database: 'app', isNew: false, isGone: false, text, findings: [], ignored: [] };
const diffOf = (more: Partial<DatabaseDiff> = {}, all: Partial<SchemaDiff> = {}) =>
  schemaDiff({ ...database, ...more }, all);

describe('the sentence on what was compared', () => {
  const said = (diff: SchemaDiff) => differenceIn(diff);

  it('counts lines and findings', () => {
    const findings = [finding('drop-table', 'a'), finding('drop-column', 'b.c'), finding('drop-view', 'v')];
    expect(said(diffOf({ findings }))).toBe(
      'The schema differs in database "app" between branches "preview/pr-7" and "main": 1 line added, 1 removed; findings: 2 destructive, 1 breaking',
    );
    expect(said(diffOf({ text: '', isTooLarge: true, findings }))).toMatch(
      /: too much for a diff of their lines; findings: 2 destructive, 1 breaking$/,
    );
    expect(said(diffOf({ text: '' }, { basePoint: '0/1' }))).toBe(
      'No schema difference in database "app" between branch "preview/pr-7" now and branch "main" as of 0/1',
    );
  });

  it('sums up all databases', () => {
    const databases = [database, { ...database, database: 'b' }, { ...database, database: 'c', text: '' }];
    expect(said(diffOf({}, { all: true, databases }))).toBe(
      'The schema differs in 2 of 3 databases between branches "preview/pr-7" and "main": 2 lines added, 2 removed',
    );
    expect(said(diffOf({}, { all: true, databases: databases.slice(2) }))).toBe(
      'No schema difference in 1 database between branches "preview/pr-7" and "main"',
    );
    const oneSided = { all: true, databases: [{ ...database, text: '', isNew: true }] };
    expect(said(diffOf({}, oneSided))).toMatch(/: 1 database exists on only one of the branches(;|$)/);
    expect(said(diffOf({}, { ...oneSided, branchName: 'main', basePoint: '0/1' }))).toMatch(
      /between branch "main" now and branch "main" as of 0\/1: 1 database exists at only one of the two times(;|$)/,
    );
  });
});

describe('the warnings', () => {
  const lines = (diff: SchemaDiff) => warningsOf(diff, { summary: true }).map(({ line }) => line);

  it('are one for each destructive and exposing finding', () => {
    const findings = [
      finding('drop-column', 'public.t.a', 'text'),
      finding('grant', 'public.t'),
      finding('add-index', 'public.i'),
      finding('drop-view', 'public.v'),
    ];
    expect(warningsOf(diffOf({ findings }), { summary: true })).toEqual([
      {
        line: `drop-column public.t.a (text): ${ruleTexts['drop-column'].why} Safer approach: ${ruleTexts['drop-column'].safer}`,
        title: 'destructive change',
      },
      {
        line: `grant public.t: ${ruleTexts.grant.why} Safer approach: ${ruleTexts.grant.safer}`,
        title: 'exposing change',
      },
    ]);
    expect(lines(diffOf({ findings }, { all: true }))[0]).toMatch(
      /^drop-column public\.t\.a \(text\) in database "app": /,
    );
    expect(lines(diffOf({ ignored: findings }))).toEqual([]);
  });

  it('are ten at most, the last of which counts the rest', () => {
    const many = (count: number) => Array.from({ length: count }, (_, i) => finding('drop-table', `t${i}`));
    expect(lines(diffOf({ findings: many(10) }))).toHaveLength(10);
    const eleven = lines(diffOf({ findings: many(11) }));
    expect(eleven).toHaveLength(10);
    expect(eleven[8]).toMatch(/^drop-table t8: /);
    expect(eleven[9]).toBe('2 more warnings are in the job summary and the output `findings`');
    expect(warningsOf(diffOf({ findings: many(11) }), { summary: false })[9]?.line).toBe(
      '2 more warnings are in the output `findings`',
    );
    expect(lines(diffOf({ findings: many(500), incomplete: 'x' }))).toHaveLength(10);
  });

  it('say that the review is incomplete, unless the step fails for it', () => {
    const line = 'Database "app" could not be fully reviewed: the SQL parser crashed.';
    expect(lines(diffOf({ incomplete: 'the SQL parser crashed' }))).toEqual([line]);
    expect(lines(diffOf({ incomplete: 'the SQL parser crashed.' }))).toEqual([line]);
    expect(lines(diffOf({ incomplete: 'the SQL parser crashed' }, { failOn: ['exposing'] }))).toEqual([]);
  });

  it('name a database that the branch does not have', () => {
    expect(lines(diffOf({ isGone: true }, { all: true }))).toEqual([
      'Database "app" of branch "main" doesn\'t exist on branch "preview/pr-7", so it was not compared. Create the database on "preview/pr-7". Or, if the parent of "preview/pr-7" has it, reset "preview/pr-7", which discards its changes, and migrate again. To compare only one database, set `database` to that database instead of `*`.',
    ]);
    expect(lines(diffOf({ isNew: true }, { all: true }))).toEqual([]);
  });
});

describe('the gate', () => {
  const findings = [finding('drop-column', 'public.t.a', 'text'), finding('add-index', 'public.i')];

  it('fails on findings of its levels only', () => {
    expect(gateFailure(diffOf({ findings }))).toBeUndefined();
    expect(gateFailure(diffOf({ findings }, { failOn: ['exposing'] }))).toBeUndefined();
    expect(gateFailure(diffOf({ ignored: findings }, { failOn: [...levels] }))).toBeUndefined();
    expect(gateFailure(diffOf({ findings }, { failOn: ['destructive'] }))).toBe(
      'The schema review has 1 finding that fails the step (`fail_on: destructive`): drop-column public.t.a (text). Change the migration, or accept a finding with `ignore_rules`, such as `ignore_rules: drop-column:public.t.a`.',
    );
    expect(gateFailure(diffOf({ findings }, { failOn: [...levels] }))).toMatch(
      /has 2 findings that fail the step \(`fail_on: any`\): drop-column public\.t\.a \(text\); add-index public\.i\. /,
    );
  });

  it('fails if the branch lacks a database', () => {
    const gone = diffOf({ isGone: true }, { all: true, failOn: ['destructive'] });
    expect(gateFailure(gone)).toBe(
      'The step fails because `fail_on` is set and database "app" of branch "main" doesn\'t exist on branch "preview/pr-7", so it was not compared. Create the database on "preview/pr-7". Or, if the parent of "preview/pr-7" has it, reset "preview/pr-7", which discards its changes, and migrate again. To compare only one database, set `database` to that database instead of `*`.',
    );
    expect(warningsOf(gone, { summary: true })).toEqual([]);
    expect(gateFailure(diffOf({ isNew: true }, { all: true, failOn: ['destructive'] }))).toBeUndefined();
    expect(gateFailure(diffOf({ isGone: true }, { all: true }))).toBeUndefined();
  });

  it('ignores the findings of a database whose fork point is lost, and of no other', () => {
    const lost = { ...database, isForkLost: true, findings: [finding('drop-table', 'lost.t')] };
    const known = { ...database, database: 'known', findings: [finding('drop-table', 'known.t')] };
    const both = diffOf({}, { all: true, failOn: ['destructive'], databases: [lost, known] });
    expect(gateFailure(both)).toMatch(/^The schema review has 1 finding that fails the step .*: drop-table known\.t /);
    expect(gateFailure({ ...both, databases: [lost] })).toBeUndefined();
    expect(warningsOf(both, { summary: true })[0]?.line).toContain(
      '`fail_on` was not checked for database "app": Branch "preview/pr-7" was compared with the current state of "main"',
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
    const large = `The step fails because \`fail_on\` is set and database "app" could not be fully reviewed: ${incomplete}.`;
    const pass = 'To pass without a review, set `fail_on: never`.';
    expect(gateFailure(diffOf({ incomplete }, { failOn: ['locking'] }))).toBe(`${large} ${pass}`);
    const both = gateFailure(diffOf({ findings, incomplete }, { failOn: ['locking'] }));
    expect(both).toMatch(/^The schema review has 1 finding that fails the step /);
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
