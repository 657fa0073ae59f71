import { createHash } from 'node:crypto';

/** The longest name made from an event, in characters. The service accepts 256. */
const longest = 100;
const hashLength = 8;

/**
 * A branch name from a git ref: letters, digits, `.`, `_`, `/` and `-` are kept, every other run of characters becomes one `-`,
 * and `-` and `/` are trimmed at both ends. A name of more than 100 characters is cut and ends in a hash of the whole ref.
 */
export function branchNameFromRef(ref: string): string {
  const kept = ref.replace(/[^A-Za-z0-9._/-]+/g, '-').replace(/^[-/]+|(?<![-/])[-/]+$/g, '');
  // A ref may have no character that is kept; it still needs a name of its own.
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
