import { expect, it } from 'vitest';
import { echo } from '../../../src/step/invalid.ts';

it('an invalid value is shown, unless it may be secret', () => {
  expect(echo('2 weeks')).toBe('"2 weeks"');
  expect(echo('preview/napping')).toBe('"preview/napping"');
  for (const secret of [
    'napi_abcdefgh12345678',
    'Bearer ghp_0123456789abcdef0123',
    'github_pat_11AAAA',
    'postgres://app:pw@host/db',
    'postgresql:host=db password=x',
    'https://user:pw@example.com',
  ])
    expect(echo(secret)).toBe('a value that looks like a key or a connection URI (not shown)');
});
