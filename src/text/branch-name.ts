import { createHash } from 'node:crypto';

/** The longest name made from an event, in characters. The service accepts 256. */
const longest = 100;
const hashLength = 8;
const prefix = 'preview/';

/**
 * A branch name from a full git ref: `preview/x` for `refs/heads/x`, `preview/tags/x` for `refs/tags/x`. A ref without `refs/` is
 * taken for that of a git branch. Two refs never share a name: one that is changed on the way, or that looks like the name of a
 * pull request or a tag, ends in a hash of the full ref.
 */
export function branchNameFromRef(ref: string): string {
  const full = ref.startsWith('refs/') ? ref : `refs/heads/${ref}`;
  const [, kind = '', short = ''] = /^refs\/(heads\/|tags\/|)(.*)$/s.exec(full) ?? [];
  const kept = withoutOddCharacters(short);
  const start = `${prefix}${kind === 'tags/' ? kind : ''}`;
  // A ref may have no character that is kept; it still needs a name of its own.
  if (kept === '') return `${start}${hash(full)}`;
  const name = `${start}${kept}`;
  const isOwn = kind === 'tags/' || (kind === 'heads/' && !/^(pr-\d+$|tags\/)/.test(kept));
  return isOwn && kept === short && name.length <= longest ? name : withHash(name, full);
}

export function branchNameFromPullRequest(number: number): string {
  return `${prefix}pr-${number}`;
}

/** With `-` for each run of characters other than letters, digits, `.`, `_`, `/` and `-`, and without `-` and `/` at both ends. */
function withoutOddCharacters(ref: string): string {
  return ref.replace(/[^A-Za-z0-9._/-]+/g, '-').replace(/^[-/]+|(?<![-/])[-/]+$/g, '');
}

function withHash(name: string, ref: string): string {
  return `${name.slice(0, longest - hashLength - 1).replace(/[-/]+$/, '')}-${hash(ref)}`;
}

/** The first hex digits of the SHA-256. */
export function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, hashLength);
}
