import type { Json } from '../http/shape.ts';
import type { Kind } from './kinds.ts';

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a body has its object under the name of its kind already. */
export function isWrapped(kind: Kind, body: Json): boolean {
  return kind.wrap === undefined || isObject(body[kind.wrap]);
}

/** The object itself, of a body that may or may not be wrapped. */
export function unwrapped(kind: Kind, body: unknown): Json | undefined {
  if (!isObject(body)) return undefined;
  const inner = kind.wrap === undefined ? body : body[kind.wrap];
  return isObject(inner) ? inner : body;
}

/**
 * What is sent: the body, wrapped in the name of its kind where it is not yet, with `fill` for what the object leaves out.
 * Parts that stand beside the object (the endpoints of a new branch) stay there.
 */
export function payloadOf(options: { kind: Kind; body: Json; fill?: Json }): Json {
  const { kind, body, fill = {} } = options;
  if (kind.wrap === undefined) return { ...fill, ...body };
  if (isWrapped(kind, body)) return { ...body, [kind.wrap]: { ...fill, ...(body[kind.wrap] as Json) } };
  const isBeside = ([name]: [string, unknown]) => kind.beside?.includes(name) === true;
  const entries = Object.entries(body);
  return {
    [kind.wrap]: { ...fill, ...Object.fromEntries(entries.filter((entry) => !isBeside(entry))) },
    ...Object.fromEntries(entries.filter(isBeside)),
  };
}

/** Names of the fields in which an object is not what the payload asks for, as far as it shows. */
export function differences(options: { kind: Kind; payload: Json; found: unknown }): string[] {
  const { kind, payload, found } = options;
  const wanted = unwrapped(kind, payload) ?? {};
  const there = unwrapped(kind, found) ?? {};
  const isPlain = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);
  return Object.keys(wanted).filter(
    (name) => isPlain(wanted[name]) && name in there && isPlain(there[name]) && wanted[name] !== there[name],
  );
}
