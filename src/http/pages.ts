import { ShapeError } from './shape.ts';

/** One page of a list. */
export interface Page<T> {
  items: T[];
  /** The cursor of the next page; undefined on the last one. */
  next: string | undefined;
}

/** How many empty pages in a row make a list unreadable if it still names another page. */
const mostEmptyPages = 20;

/**
 * Reads a list of `what` page by page to its end. A page without items does not end it: the service may filter a page after reading it. Some
 * lists name a cursor on their last page too, so a cursor that was seen before ends the list. Throws a `ShapeError` after many empty
 * pages in a row: entries that were not read must not count as gone.
 */
export async function* pages<T, P extends Page<T>>(
  what: string,
  read: (cursor: string | undefined) => Promise<P>,
): AsyncGenerator<P> {
  const seen = new Set<string>();
  let cursor: string | undefined;
  let empty = 0;
  for (;;) {
    const page = await read(cursor);
    yield page;
    empty = page.items.length === 0 ? empty + 1 : 0;
    if (page.next === undefined || seen.has(page.next)) return;
    if (empty >= mostEmptyPages) {
      throw new ShapeError(
        `The service's list of ${what} doesn't seem to end: ${empty} pages in a row have no entries. Run the step again; if it persists, report this to the service`,
      );
    }
    seen.add(page.next);
    cursor = page.next;
  }
}
