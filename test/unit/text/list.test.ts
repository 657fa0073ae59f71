import { expect, it } from 'vitest';
import { listOf } from '../../../src/text/format.ts';

it.each([
  [[], ''],
  [['a'], 'a'],
  [['a', 'b'], 'a or b'],
  [['a', 'b', 'c'], 'a, b or c'],
])('the list of %j in a sentence is "%s"', (words, text) => {
  expect(listOf(words, 'or')).toBe(text);
});
