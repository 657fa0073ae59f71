import { expect, it } from 'vitest';
import { nextStep } from '../../../src/postgres/connect.ts';

it.each([
  ['53300', /^Raise `timeout`/],
  ['XX000', /^Raise `timeout`/],
  ['3D000', /^Check `role` and `database`/],
  ['28P01', /^Check that `role` exists/],
  ['ECONNREFUSED', /^Check that the runner can reach/],
  ['EPIPE', /^Check that the runner can reach/],
  ['EPERM', /^Check that the runner can reach/],
  ['SELF_SIGNED_CERT_IN_CHAIN', /^If a private authority/],
])('after %s, the advice fits', (errno, advice) => {
  expect(nextStep(errno)).toMatch(advice);
});
