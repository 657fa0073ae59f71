import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isObject, numberText, parseJson } from '../../../src/text/json.ts';

describe('JSON', () => {
  it.each([
    '{"id":12345678901234567890}',
    '[9007199254740993,-9007199254740993]',
    '{"ratio":0.12345678901234567890123}',
    '{"id":"12345678901234567890","n":1.5}',
    '12345678901234567890',
  ])('%s is written again as it was read', (text) => {
    expect(JSON.stringify(parseJson(text))).toBe(text);
  });

  it('has plain numbers wherever they are exact', () => {
    expect(parseJson('{"big":9007199254740993,"exact":9007199254740991,"short":1.50}')).toEqual({
      big: JSON.rawJSON('9007199254740993'),
      exact: 9007199254740991,
      short: 1.5,
    });
  });

  it('is what JSON.parse reads, if every number is exact', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(parseJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('that is invalid is a SyntaxError', () => {
    expect(() => parseJson('{"id": 12345678901234567890')).toThrow(SyntaxError);
  });
});

describe('a number that JavaScript cannot hold', () => {
  const big = (parseJson('[12345678901234567890]') as unknown[])[0];

  it('has its text, like any other number', () => {
    expect([big, 7, '7', {}, null].map(numberText)).toEqual([
      '12345678901234567890',
      '7',
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('is not an object', () => {
    expect([big, [], null, {}].map(isObject)).toEqual([false, false, false, true]);
  });
});
