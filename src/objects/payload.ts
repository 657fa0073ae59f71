import type { Json } from '../http/shape.ts';
import type { Kind } from './kind.ts';

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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
  const isPlain = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);
  return Object.keys(wanted).filter(
    (name) => isPlain(wanted[name]) && name in actual && isPlain(actual[name]) && wanted[name] !== actual[name],
  );
}
