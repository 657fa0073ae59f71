import { badRequest } from './errors.ts';

/** A JSON object whose values nobody has looked at yet. */
export type Fields = Record<string, unknown>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The object under `key`; a 400 where it is something else, an empty one where it is left out. */
export function part(body: unknown, key: string): Fields {
  if (body === undefined || body === null) return {};
  if (!isFields(body)) throw badRequest('the request body is not a JSON object');
  const value = body[key];
  if (value === undefined) return {};
  if (!isFields(value)) throw badRequest(`"${key}" is not an object`);
  return value;
}

/** As `part`, but the object has to be there. */
export function requiredPart(body: unknown, key: string): Fields {
  if (!isFields(body) || body[key] === undefined) throw badRequest(`request body has an error: "${key}" is missing`);
  return part(body, key);
}

function typed<T>(fields: Fields, key: string, type: string, is: (value: unknown) => value is T): T | undefined {
  const value = fields[key];
  if (value === undefined) return undefined;
  if (!is(value)) throw badRequest(`request body has an error: "${key}" is not a ${type}`);
  return value;
}

export const text = (fields: Fields, key: string): string | undefined =>
  typed(fields, key, 'string', (value) => typeof value === 'string');
export const flag = (fields: Fields, key: string): boolean | undefined =>
  typed(fields, key, 'boolean', (value) => typeof value === 'boolean');
export const amount = (fields: Fields, key: string): number | undefined =>
  typed(fields, key, 'number', (value) => typeof value === 'number');
export const list = (fields: Fields, key: string): unknown[] | undefined =>
  typed(fields, key, 'list', (value): value is unknown[] => Array.isArray(value));

export function requiredText(fields: Fields, key: string): string {
  const value = text(fields, key);
  if (value === undefined || value === '') throw badRequest(`request body has an error: "${key}" is missing`);
  return value;
}

/** A map of strings, such as the value of an annotation. */
export function texts(body: unknown, key: string): Record<string, string> | undefined {
  if (!isFields(body) || body[key] === undefined) return undefined;
  const fields = part(body, key);
  const entries = Object.entries(fields);
  if (entries.length > 50) throw badRequest(`"${key}" has more than 50 properties`);
  const map: Record<string, string> = {};
  for (const [name, value] of entries) {
    if (typeof value !== 'string') throw badRequest(`"${key}.${name}" is not a string`);
    map[name] = value;
  }
  return map;
}
