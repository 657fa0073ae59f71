import fc from 'fast-check';
import { branchNameFromPullRequest, branchNameFromRef } from '../../src/text/branch-name.ts';
import { hostileText } from './texts.ts';

/** Short texts of few characters, so that two of them are often alike. */
const close = fc.string({ unit: fc.constantFrom('a', 'A', '-', '/', '#', '.', 'é'), minLength: 1, maxLength: 6 });
const ref = fc
  .tuple(
    fc.constantFrom('', 'refs/heads/', 'refs/tags/', 'refs/pull/', 'tags/', 'pr-'),
    fc.oneof(close, fc.nat(12).map(String), hostileText),
  )
  .map((parts) => parts.join(''))
  .filter((text) => text !== '');

const full = (text: string) => (text.startsWith('refs/') ? text : `refs/heads/${text}`);

/** A name is valid at the service and short; no two refs share one, and no ref has that of a pull request. */
export const nameProperty = fc.property(ref, ref, fc.nat(12), (one, other, number) => {
  const name = branchNameFromRef(one);
  if (!/^preview\/[A-Za-z0-9._](?:[A-Za-z0-9._/-]*[A-Za-z0-9._])?$/.test(name) || name.length > 100)
    throw new Error(`${JSON.stringify(one)} gives the name ${JSON.stringify(name)}`);
  if (full(one) !== full(other) && name === branchNameFromRef(other))
    throw new Error(`${JSON.stringify(one)} and ${JSON.stringify(other)} share the name ${name}`);
  if (name === branchNameFromPullRequest(number)) throw new Error(`${JSON.stringify(one)} has a pull request's name`);
});
