/** What a comment is about: hidden at its beginning, so that a later run finds it again. */
export interface Marker {
  /** `branch`: a branch from create to delete. `diff`: the schema difference of one database. */
  kind: 'branch' | 'diff';
  project: string;
  /** The branch's name, or for a diff the database's. */
  of: string;
}

const form = /^\s*<!-- database-branch (\S+) -->/;

export function writeMarker(marker: Marker): string {
  // In this encoding nothing ends an HTML comment: there is no `>` in it.
  return `<!-- database-branch ${new URLSearchParams({ ...marker })} -->`;
}

/** Whether a comment's text begins with this marker. A marker anywhere else may be a quotation. */
export function hasMarker(body: string, marker: Marker): boolean {
  const written = form.exec(body)?.[1];
  if (written === undefined) return false;
  const found = new URLSearchParams(written);
  return Object.entries(marker).every(([name, value]) => found.get(name) === value);
}
