import { describe, expect, it } from 'vitest';
import { echo, hasKey, isConnectionString, keysIn, looksLikeKey } from '../../../src/step/invalid.ts';

const letters = 'abcdefghijklmnopqrstuvwxyz';
const digits = '0123456789'.repeat(3);

describe('a key', () => {
  it.each(['napi_abcd1234', 'napi_', 'a/ghs_x', 'x ghp_0', '"github_pat_x"', `eyJ${letters}.${letters}`])(
    'is recognized by how it begins: %s',
    (raw) => {
      expect(hasKey(raw)).toBe(true);
      expect(looksLikeKey(raw)).toBe(true);
    },
  );

  it.each(['snapi_x', 'ghx_0', 'my.napi_x', 'eyJ.x', 'preview/napi', 'github_patch', ''])(
    'is not everything that looks a little like it: %s',
    (raw) => {
      expect(hasKey(raw)).toBe(false);
      expect(looksLikeKey(raw)).toBe(false);
    },
  );

  it('may be a long word of letters and digits', () => {
    expect(looksLikeKey(`${letters}1`)).toBe(true);
    expect(looksLikeKey(letters)).toBe(false);
    expect(looksLikeKey(digits)).toBe(false);
    expect(looksLikeKey(`${letters.slice(0, 22)}1`)).toBe(false);
    expect(looksLikeKey(`${letters.slice(0, 23)}-1`)).toBe(false);
  });

  it('is found inside a longer value', () => {
    expect(keysIn('a napi_abcd1234, x-ghp_0123456789abcdef.')).toEqual(['napi_abcd1234', 'ghp_0123456789abcdef']);
    expect(keysIn('anapi_abcd1234 napi_short')).toEqual([]);
  });
});

describe('a connection URI', () => {
  it.each([
    'postgres://h/d',
    ' \tPostgreSQL://u@h',
    'https://u:secret99@h',
    'a postgres://u:secret99@h/d',
    'host=h password=secret99',
  ])('is %j', (raw) => {
    expect(isConnectionString(raw)).toBe(true);
    expect(echo(raw)).toBe('a connection URI (not shown)');
  });

  it.each(['https://h/d', 'see postgres://h/d', 'x-postgres://h', 'mypostgres://h'])('is not %j', (raw) => {
    expect(isConnectionString(raw)).toBe(false);
    expect(echo(raw)).toBe(JSON.stringify(raw));
  });
});

it('a value is shown in quotes, unless it may be a key', () => {
  expect(echo('2 weeks')).toBe('"2 weeks"');
  expect(echo('napi_abcd1234')).toBe('a value that looks like a key (not shown)');
});
