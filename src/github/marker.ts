import type { CommentSubject } from '../report/comment.ts';

const form = /^\s*<!-- database-branch (\S+) -->/;

/** Hidden at the beginning of a comment, so that a later run finds it again. */
export function writeMarker(subject: CommentSubject): string {
  // In this encoding nothing ends an HTML comment: there is no `>` in it.
  return `<!-- database-branch ${new URLSearchParams({ ...subject })} -->`;
}

/** Whether a comment's text begins with the marker of this subject. A marker anywhere else may be a quotation. */
export function hasMarker(body: string, subject: CommentSubject): boolean {
  const written = form.exec(body)?.[1];
  if (written === undefined) return false;
  const found = new URLSearchParams(written);
  return Object.entries(subject).every(([name, value]) => found.get(name) === value);
}
