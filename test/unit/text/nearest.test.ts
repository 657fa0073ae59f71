import { describe, expect, it } from 'vitest';
import { nearest } from '../../../src/text/nearest.ts';

describe('the nearest name', () => {
  const names = ['branch_name', 'branch_id', 'role', 'wait', 'ssl'] as const;

  it.each([
    ['role', 'role'],
    ['rolle', 'role'],
    ['rol', 'role'],
    ['rola', 'role'],
    ['orle', 'role'],
    ['wiat', 'wait'],
    ['branch_nam', 'branch_name'],
    ['brnch_naem', undefined],
    ['xbranch_idx', 'branch_id'],
    ['elor', undefined],
    ['waiting', undefined],
    ['w', undefined],
    ['', undefined],
  ])('of %j is %j', (misspelled, name) => {
    expect(nearest(misspelled, names)).toBe(name);
  });

  it('is the one with the fewest edits, and the first of several', () => {
    expect(nearest('abcd', ['abxy', 'abcx', 'abcy'])).toBe('abcx');
    expect(nearest('abcd', ['abcd', 'abcx'])).toBe('abcd');
  });

  it('can be limited to fewer edits', () => {
    expect(nearest('rolle', names, 1)).toBe('role');
    expect(nearest('rollle', names, 1)).toBeUndefined();
    expect(nearest('rolle', names, 0)).toBeUndefined();
  });
});
