import { describe, expect, it } from 'vitest';
import { levels, ruleNames } from '../../../src/schema/rules.ts';
import { failOn, ignoreRules, size } from '../../../src/step/values.ts';
import { rejected } from '../../support/rejected.ts';

describe('ignore_below', () => {
  it.each([
    ['1kB', 1024],
    ['10MB', 10_485_760],
    ['10 MB', 10_485_760],
    ['1.5GB', 1_610_612_736],
    ['2TB', 2_199_023_255_552],
  ])('%j', (raw, bytes) => {
    expect(size(raw)).toBe(bytes);
  });

  it.each([
    '10',
    '10M',
    '10mb',
    '10KB',
    '0MB',
    '0.0GB',
    '-1MB',
    '1e3MB',
    '1,5GB',
    '.5GB',
    '1.GB',
    'MB',
    '1PB',
    '10MiB',
    '10  MB',
    '٣MB',
    '10MB 1',
  ])('rejects %j', (raw) => {
    expect(rejected(() => size(raw)).expected).toBe('a size such as 500kB, 10MB, 1.5GB or 1TB');
  });
});

describe('fail_on', () => {
  it.each([
    ['never', []],
    ['destructive', ['destructive']],
    ['locking, destructive', ['destructive', 'locking']],
    ['locking\n  exposing\r\n\n', ['exposing', 'locking']],
    ['exposing,exposing,', ['exposing']],
    ['exposing, ,locking', ['exposing', 'locking']],
    ['any', [...levels]],
    ['any, locking', [...levels]],
  ])('%j', (raw, expected) => {
    expect(failOn(raw)).toEqual(expected);
  });

  it.each([
    ['destructve', '"destructve"'],
    ['locking, exposng', '"exposng"'],
    ['notice', '"notice"'],
    ['Destructive', '"Destructive"'],
    ['never, locking', '"never"'],
    [',', '","'],
  ])('rejects %j and names the levels', (raw, shown) => {
    const error = rejected(() => failOn(raw));
    expect(error.expected).toBe('`never` alone, or a list of destructive, exposing, breaking, locking, any');
    expect(error.shown).toBe(shown);
  });
});

describe('ignore_rules', () => {
  it.each([
    ['add-index', [{ rule: 'add-index' }]],
    [
      'add-index, drop-column:public.users.legacy',
      [{ rule: 'add-index' }, { rule: 'drop-column', object: 'public.users.legacy' }],
    ],
    [
      'drop-table:public.a\n  drop-table : public.b\r\n',
      [
        { rule: 'drop-table', object: 'public.a' },
        { rule: 'drop-table', object: 'public.b' },
      ],
    ],
    [
      'drop-column:public."a, b".c, drop-function:public.f(integer, "x,(y"), grant',
      [
        { rule: 'drop-column', object: 'public."a, b".c' },
        { rule: 'drop-function', object: 'public.f(integer, "x,(y")' },
        { rule: 'grant' },
      ],
    ],
    ['drop-column:public."a:b"', [{ rule: 'drop-column', object: 'public."a:b"' }]],
    // A quote or a parenthesis that is not closed does not swallow the rest.
    ['drop-table:a", grant', [{ rule: 'drop-table', object: 'a"' }, { rule: 'grant' }]],
    ['drop-table:a(, grant', [{ rule: 'drop-table', object: 'a(' }, { rule: 'grant' }]],
    [',', []],
    ['grant, , add-index', [{ rule: 'grant' }, { rule: 'add-index' }]],
  ])('%j', (raw, expected) => {
    expect(ignoreRules(raw)).toStrictEqual(expected);
  });

  it.each([
    ['drop-colum:public.a.b', '"drop-colum:public.a.b"', ''],
    ['grant, all', '"all"', ''],
    ['toString', '"toString"', ''],
    [':public.a', '":public.a"', ''],
    ['grant:', '"grant:"', ''],
  ])('rejects %j and names all rules', (raw, shown, hint) => {
    const error = rejected(() => ignoreRules(raw));
    const help = hint || `; the rules are ${ruleNames.join(', ')}`;
    expect(error.expected).toBe(`a list of \`rule\` or \`rule:object\`${help}`);
    expect(error.shown).toBe(shown);
  });

  it('does not show a value that may be a key', () => {
    expect(rejected(() => ignoreRules('napi_abcdefghijklmnop')).shown).toBe(
      'a value that looks like a key or a connection URI (not shown)',
    );
  });
});
