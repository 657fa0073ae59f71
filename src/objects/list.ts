import type { Client } from '../http/client.ts';
import { ShapeError } from '../http/shape.ts';
import { collectionRoute, type Kind, type Place } from './kinds.ts';
import { isObject } from './payload.ts';

interface Page {
  items: unknown[];
  next: string | undefined;
  /** Objects that the service says it could not list. */
  missing: string[];
}

/** Every object of a kind, from all pages of the list. */
export async function listObjects(options: {
  api: Client;
  kind: Kind;
  place: Place;
  settling?: { statuses: number[]; until: number } | undefined;
}): Promise<{ status: number; items: unknown[]; missing: string[] }> {
  const { api, kind, place, settling } = options;
  const { path, query } = collectionRoute(kind, place);
  const items: unknown[] = [];
  const missing: string[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (;;) {
    const answer = await api.request<Page>({
      goal: `list the ${kind.many}`,
      method: 'GET',
      path,
      query: { ...query, limit: kind.pageSize, cursor },
      ...(settling ? { settling } : {}),
      read: (body) => readPage(kind, body),
    });
    const page = answer.value;
    items.push(...page.items);
    missing.push(...page.missing);
    // Some lists name a cursor on their last page too; and one that comes back would go round for ever.
    if (page.next === undefined || page.items.length === 0 || seen.has(page.next)) {
      return { status: answer.status, items, missing };
    }
    seen.add(page.next);
    cursor = page.next;
  }
}

function readPage(kind: Kind, body: unknown): Page {
  if (Array.isArray(body)) return { items: body, next: undefined, missing: [] };
  if (!isObject(body)) throw new ShapeError(`no list of ${kind.many}`);
  const pagination = isObject(body.pagination) ? body.pagination : {};
  // The published lists use two names for the same thing.
  const next = [pagination.next, pagination.cursor].find((one) => typeof one === 'string' && one !== '');
  const unavailable = body[`unavailable_${kind.one}_ids`];
  return {
    items: itemsOf(kind, body),
    next: next as string | undefined,
    missing: Array.isArray(unavailable) ? unavailable.map(String) : [],
  };
}

/** The list stands under the name of its kind; where the kind's answers are not published, it may be the only one there is. */
function itemsOf(kind: Kind, body: Record<string, unknown>): unknown[] {
  const named = body[kind.segment];
  if (Array.isArray(named)) return named;
  const lists = Object.values(body).filter(Array.isArray);
  const [only] = lists;
  if (only !== undefined && lists.length === 1 && !kind.published) return only;
  throw new ShapeError(`no list at ${kind.segment}`);
}
