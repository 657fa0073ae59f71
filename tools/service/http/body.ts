import { badRequest } from './errors.ts';

/** A JSON object whose values have not been checked. */
export type JsonObject = Record<string, unknown>;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The object under `key`; empty if it is missing, a 400 if it is anything else. */
export function optionalObject(body: unknown, key: string): JsonObject {
  if (body === undefined || body === null) return {};
  if (!isJsonObject(body)) throw badRequest('the request body is not a JSON object');
  const value = body[key];
  if (value === undefined) return {};
  if (!isJsonObject(value)) throw badRequest(`"${key}" is not an object`);
  return value;
}

/** Like `optionalObject`, but a missing object is a 400. */
export function requiredObject(body: unknown, key: string): JsonObject {
  if (!isJsonObject(body) || body[key] === undefined)
    throw badRequest(`request body has an error: "${key}" is missing`);
  return optionalObject(body, key);
}

function optionalValue<T>(
  fields: JsonObject,
  key: string,
  type: string,
  is: (value: unknown) => value is T,
): T | undefined {
  const value = fields[key];
  if (value === undefined) return undefined;
  if (!is(value)) throw badRequest(`request body has an error: "${key}" is not a ${type}`);
  return value;
}

export const optionalString = (fields: JsonObject, key: string): string | undefined =>
  optionalValue(fields, key, 'string', (value) => typeof value === 'string');
export const optionalBoolean = (fields: JsonObject, key: string): boolean | undefined =>
  optionalValue(fields, key, 'boolean', (value) => typeof value === 'boolean');
export const optionalNumber = (fields: JsonObject, key: string): number | undefined =>
  optionalValue(fields, key, 'number', (value) => typeof value === 'number');
export const optionalArray = (fields: JsonObject, key: string): unknown[] | undefined =>
  optionalValue(fields, key, 'list', (value): value is unknown[] => Array.isArray(value));

export function requiredString(fields: JsonObject, key: string): string {
  const value = optionalString(fields, key);
  if (value === undefined || value === '') throw badRequest(`request body has an error: "${key}" is missing`);
  return value;
}

/** Up to 50 strings, such as the annotations of a branch. */
export function stringMap(body: unknown, key: string): Record<string, string> | undefined {
  if (!isJsonObject(body) || body[key] === undefined) return undefined;
  const fields = optionalObject(body, key);
  const entries = Object.entries(fields);
  if (entries.length > 50) throw badRequest(`"${key}" has more than 50 properties`);
  const map: Record<string, string> = {};
  for (const [name, value] of entries) {
    if (typeof value !== 'string') throw badRequest(`"${key}.${name}" is not a string`);
    map[name] = value;
  }
  return map;
}
