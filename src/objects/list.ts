import { type Page, pages } from '../http/pages.ts';
import { ShapeError } from '../http/shape.ts';
import type { Kind } from './kind.ts';
import { isObject } from './payload.ts';
import type { Collection } from './requests.ts';
import { collectionRoute } from './routes.ts';

interface ObjectPage extends Page<unknown> {
  /** IDs of objects that the service could not list. */
  unavailable: string[];
}

/** All objects of a collection, from all pages of the list. */
export async function listObjects(
  collection: Collection,
): Promise<{ status: number; items: unknown[]; unavailable: string[] }> {
  const { api, kind, owners } = collection;
  const { path, query } = collectionRoute(kind, owners);
  const items: unknown[] = [];
  const unavailable: string[] = [];
  let status = 0;
  const read = async (cursor: string | undefined) => {
    const response = await api.request<ObjectPage>({
      goal: `list the ${kind.many}`,
      method: 'GET',
      path,
      query: { ...query, limit: kind.pageSize, cursor },
      read: (body) => readPage(kind, body),
    });
    status = response.status;
    return response.value;
  };
  for await (const page of pages<unknown, ObjectPage>(read)) {
    // A page may have more entries than a call can have arguments.
    for (const item of page.items) items.push(item);
    for (const id of page.unavailable) unavailable.push(id);
  }
  return { status, items, unavailable };
}

function readPage(kind: Kind, body: unknown): ObjectPage {
  if (Array.isArray(body)) return { items: body, next: undefined, unavailable: [] };
  if (!isObject(body)) throw new ShapeError(`the response is not a list of ${kind.many}`);
  const pagination = isObject(body.pagination) ? body.pagination : {};
  // The published lists have two names for the cursor.
  const next = [pagination.next, pagination.cursor].find((one) => typeof one === 'string' && one !== '');
  const unavailable = body[`unavailable_${kind.one}_ids`];
  return {
    items: itemsOf(kind, body),
    next: next as string | undefined,
    unavailable: Array.isArray(unavailable) ? unavailable.map(String) : [],
  };
}

/** The list has the name of its kind. If the kind's responses are not published, the only list will do too. */
function itemsOf(kind: Kind, body: Record<string, unknown>): unknown[] {
  const named = body[kind.segment];
  if (Array.isArray(named)) return named;
  const lists = Object.values(body).filter(Array.isArray);
  const [only] = lists;
  if (only !== undefined && lists.length === 1 && !kind.published) return only;
  throw new ShapeError(`${kind.segment} is not a list`);
}
