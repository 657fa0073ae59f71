import { isObject, type Json } from '../text/json.ts';
import { pathOf } from '../text/url.ts';
import { type Kind, methods, type ObjectRequest, type Owners, type Verb } from './kinds.ts';

/**
 * The request of a verb. `id`: the object's ID, or its name if it has no ID. Throws a `RangeError` if its path needs something that is
 * missing.
 */
export function requestOf(options: {
  kind: Kind;
  verb: Verb;
  owners: Owners;
  id?: string;
  payload?: Json;
}): ObjectRequest {
  const { kind, verb, owners, id, payload } = options;
  const { projectId, branchId } = owners;
  const path = pathOf([
    ...(kind.owner === 'account' ? [] : ['projects', projectId]),
    ...(kind.owner === 'branch' ? ['branches', branchId] : []),
    kind.segment,
    ...(kind.inPath.includes(verb) ? [id] : []),
    ...(verb === 'restore' ? ['restore'] : []),
  ]);
  const body = kind.bodyFor.includes(verb) ? payload : undefined;
  const usual: ObjectRequest = { method: methods[verb], path, query: {}, body };
  return kind.request?.(usual, { verb, owners, id }) ?? usual;
}

/** The object itself, of a body that may or may not be wrapped. */
export function unwrapped(kind: Kind, body: unknown): Json | undefined {
  if (!isObject(body)) return undefined;
  const inner = kind.wrap === undefined ? body : body[kind.wrap];
  return isObject(inner) ? inner : body;
}

/**
 * The payload of a request: the body, wrapped in the name of its kind unless it already is, with `defaults` for fields that the
 * object lacks. Fields that belong outside the wrapper (the endpoints of a new branch) stay there.
 */
export function payloadOf(options: { kind: Kind; body: Json; defaults?: Json }): Json {
  const { kind, body, defaults = {} } = options;
  if (kind.wrap === undefined) return { ...defaults, ...body };
  const inner = body[kind.wrap];
  if (isObject(inner)) return { ...body, [kind.wrap]: { ...defaults, ...inner } };
  const isOutside = ([name]: [string, unknown]) => kind.unwrappedFields?.includes(name) === true;
  const entries = Object.entries(body);
  return {
    [kind.wrap]: { ...defaults, ...Object.fromEntries(entries.filter((entry) => !isOutside(entry))) },
    ...Object.fromEntries(entries.filter(isOutside)),
  };
}

/** Names of the plain fields that an existing object has with a different value than the payload. */
export function differences(options: { kind: Kind; payload: Json; found: unknown }): string[] {
  const { kind, payload, found } = options;
  const wanted = unwrapped(kind, payload) ?? {};
  const actual = unwrapped(kind, found) ?? {};
  const isPlain = (value: unknown) => typeof value !== 'object' || JSON.isRawJSON(value);
  return Object.keys(wanted).filter(
    (name) =>
      name in actual &&
      isPlain(wanted[name]) &&
      isPlain(actual[name]) &&
      JSON.stringify(wanted[name]) !== JSON.stringify(actual[name]),
  );
}
