/** One page of a list. */
export interface Page<T> {
  items: T[];
  /** The cursor of the next page; undefined on the last one. */
  next: string | undefined;
}

/**
 * Reads a list page by page to its end. Some lists name a cursor on their last page too, so an empty page ends the list; so does a
 * cursor that was seen before, which would loop forever.
 */
export async function* pages<T, P extends Page<T>>(
  read: (cursor: string | undefined) => Promise<P>,
): AsyncGenerator<P> {
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (;;) {
    const page = await read(cursor);
    yield page;
    if (page.next === undefined || page.items.length === 0 || seen.has(page.next)) return;
    seen.add(page.next);
    cursor = page.next;
  }
}
