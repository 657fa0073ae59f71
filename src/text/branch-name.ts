import { createHash } from 'node:crypto';

/** Longest name that is made from an event, in characters; the service itself takes 256. */
const longest = 100;
const hashLength = 8;

/**
 * A branch name from a git ref: letters, digits, `.`, `_`, `/` and `-` are kept, each other run of characters becomes one `-`,
 * and `-` and `/` at both ends go. A name past 100 characters is cut and ends in a hash of the whole ref.
 */
export function branchNameFromRef(ref: string): string {
  const kept = ref.replace(/[^A-Za-z0-9._/-]+/g, '-').replace(/^[-/]+|(?<![-/])[-/]+$/g, '');
  // A ref without a single character that can be kept still needs a name of its own.
  const name = `preview/${kept === '' ? hash(ref) : kept}`;
  if (name.length <= longest) return name;
  return `${name.slice(0, longest - hashLength - 1).replace(/[-/]+$/, '')}-${hash(ref)}`;
}

export function branchNameFromPullRequest(number: number): string {
  return `preview/pr-${number}`;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, hashLength);
}
