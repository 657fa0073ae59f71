interface Page<T> {
  items: T[];
  /** The cursor of the next page; undefined on the last one. */
  next: string | undefined;
}

/**
 * Reads a list page by page to its end. A page without items does not end it: the service may filter a page after reading it. Some
 * lists name a cursor on their last page too, so a cursor that was seen before ends the list.
 */
export async function readPages<T>(read: (cursor: string | undefined) => Promise<Page<T>>): Promise<T[]> {
  const items: T[] = [];
  const seen = new Set<string | undefined>();
  let cursor: string | undefined;
  do {
    seen.add(cursor);
    const page = await read(cursor);
    // A page may have more entries than a call can have arguments.
    for (const item of page.items) items.push(item);
    cursor = page.next;
  } while (!seen.has(cursor));
  return items;
}
