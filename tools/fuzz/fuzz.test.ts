import { expect, it } from 'vitest';
import { seed } from '../../test/support/seed.ts';
import { type PropertyName, properties, tryProperty } from './run.ts';

/** Far fewer than `npm run fuzz` tries. */
const cases = 2_000;

it.each(Object.keys(properties) as PropertyName[])('the property of the %s holds', async (name) => {
  expect(await tryProperty(name, { cases, seed })).toBeUndefined();
});
