import type { CommentSubject } from '../report/comment.ts';

const pattern = /^\s*<!-- database-branch (\S+) -->/;

/** Hidden at the start of a comment, so that a later run finds it. */
export function writeMarker(subject: CommentSubject): string {
  // The encoding has no `>`, so nothing in it can end the HTML comment.
  return `<!-- database-branch ${new URLSearchParams({ ...subject })} -->`;
}

/** Whether a comment starts with the marker of this subject. A marker anywhere else may be a quotation. */
export function hasMarker(body: string, subject: CommentSubject): boolean {
  const query = pattern.exec(body)?.[1];
  if (query === undefined) return false;
  const found = new URLSearchParams(query);
  return Object.entries(subject).every(([name, value]) => found.get(name) === value);
}
