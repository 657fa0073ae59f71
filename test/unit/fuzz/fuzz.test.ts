import { expect, it } from 'vitest';
import { type PropertyName, properties, tryProperty } from '../../fuzz/run.ts';

/** A taste of `npm run fuzz`, which tries far more. */
const cases = 3_000;

it.each(Object.keys(properties) as PropertyName[])('the property of the %s holds', async (name) => {
  // Another seed every time; a failure says how to see the same again.
  const { failure } = await tryProperty(name, { cases, seed: Math.floor(Math.random() * 2 ** 31) });
  expect(failure).toBeUndefined();
});
