import { isObject, type Json, ShapeError } from '../text/json.ts';

export function object(value: unknown, at: string): Json {
  if (isObject(value)) return value;
  throw new ShapeError(`${at} is not an object`);
}

/** An object that may be missing, or be something else: then an empty one. */
export function optionalObject(value: unknown): Json {
  return isObject(value) ? value : {};
}

/** A text that may be missing, or be something else: then an empty one. */
export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function string(value: unknown, at: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new ShapeError(`${at} is missing or not a string`);
}

export function optionalString(value: unknown, at: string): string | undefined {
  return isMissing(value) || value === '' ? undefined : string(value, at);
}

/** An object's ID, which goes into paths and outputs: never anything but letters, digits, `-` and `_`. */
export function id(value: unknown, at: string): string {
  const text = string(value, at);
  if (/^[\w-]{1,64}$/.test(text)) return text;
  throw new ShapeError(`${at} is not a valid ID`);
}

/** Readers of the fields of an object, which errors name with where it is: `branches[2].id`. */
export function fields(value: unknown, at: string) {
  const from = object(value, at);
  const textIn = (name: string) => optionalString(from[name], `${at}.${name}`);
  return {
    from,
    id: (name: string) => id(from[name], `${at}.${name}`),
    string: (name: string) => string(from[name], `${at}.${name}`),
    text: textIn,
    /** Those of these names, each a text or missing. */
    texts: <Name extends string>(...names: readonly Name[]) =>
      Object.fromEntries(names.map((name) => [name, textIn(name)])) as Partial<Record<Name, string>>,
    number: (name: string) => (typeof from[name] === 'number' ? from[name] : undefined),
    flag: (name: string) => (typeof from[name] === 'boolean' ? from[name] : undefined),
  };
}

export function list<T>(value: unknown, at: string, item: (value: unknown, at: string) => T): T[] {
  if (Array.isArray(value)) return value.map((entry, index) => item(entry, `${at}[${index}]`));
  throw new ShapeError(`${at} is not a list`);
}

export function optionalList<T>(value: unknown, at: string, item: (value: unknown, at: string) => T): T[] {
  return isMissing(value) ? [] : list(value, at, item);
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}
