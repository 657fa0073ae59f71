import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { isJsonObject, type JsonObject } from '../http/body.ts';

/** The published OpenAPI 3.0 description of the API, from the npm package `@neondatabase/api-client`. */
export type Description = JsonObject;

const require = createRequire(import.meta.url);
const PACKAGE = '@neondatabase/api-client';
let loaded: Description | undefined;

/** Loaded once per process. Parsing the YAML takes 300 ms but JSON only 5 ms, so the JSON is cached in `node_modules`. */
export function description(): Description {
  loaded ??= load();
  return loaded;
}

function load(): Description {
  const folder = dirname(require.resolve(`${PACKAGE}/package.json`));
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
  const cache = join(folder, '..', '..', '.cache', 'database-branch-action', `description-${version}.json`);
  try {
    return JSON.parse(readFileSync(cache, 'utf8')) as Description;
  } catch {
    // The cache does not exist yet or is incomplete.
  }
  const { parse } = require('yaml') as typeof import('yaml');
  const parsed: unknown = parse(readFileSync(join(folder, 'public-v2-for-users.gen.yaml'), 'utf8'));
  if (!isJsonObject(parsed)) throw new Error(`${PACKAGE}: the description is not an object`);
  try {
    mkdirSync(dirname(cache), { recursive: true });
    const temporary = `${cache}.${process.pid}`;
    writeFileSync(temporary, JSON.stringify(parsed));
    renameSync(temporary, cache);
  } catch {
    // Without a cache, for example in a read-only node_modules, it only takes longer.
  }
  return parsed;
}

/** Follows `$ref`s. Anything that is not an object becomes an empty one. */
export function resolveRef(root: Description, value: unknown): JsonObject {
  let current = value;
  while (isJsonObject(current) && typeof current.$ref === 'string') {
    current = current.$ref
      .slice(2)
      .split('/')
      .reduce<unknown>((node, key) => (isJsonObject(node) ? node[key] : undefined), root);
  }
  return isJsonObject(current) ? current : {};
}

/**
 * Converts a schema of the description to JSON Schema: inlines references, turns `nullable` into a type, and closes every
 * object so that unknown properties are errors. A recursive reference accepts anything.
 */
export function closedSchema(
  root: Description,
  value: unknown,
  inside: readonly unknown[] = [],
  open = false,
): JsonObject {
  const schema = resolveRef(root, value);
  if (inside.includes(schema)) return {};
  const path = [...inside, schema];
  const all = (list: unknown, stayOpen: boolean): JsonObject[] =>
    Array.isArray(list) ? list.map((part) => closedSchema(root, part, path, stayOpen)) : [];
  const result: JsonObject = {};
  for (const [key, entry] of Object.entries(schema)) {
    if (key === 'properties' && isJsonObject(entry)) {
      result.properties = Object.fromEntries(
        Object.entries(entry).map(([name, property]) => [name, closedSchema(root, property, path)]),
      );
    } else if (key === 'items') {
      result.items = closedSchema(root, entry, path);
    } else if (key === 'additionalProperties' && isJsonObject(entry)) {
      result.additionalProperties = closedSchema(root, entry, path);
    } else if (key === 'allOf' || key === 'oneOf' || key === 'anyOf') {
      // A part knows only its own properties, so only the whole is closed.
      result[key] = all(entry, true);
    } else if (KEPT.has(key)) {
      result[key] = entry;
    }
  }
  const describesObject = 'properties' in result || 'allOf' in result || 'oneOf' in result || 'anyOf' in result;
  const scalar = typeof schema.type === 'string' && schema.type !== 'object';
  if (!open && describesObject && !scalar && !('additionalProperties' in result)) result.unevaluatedProperties = false;
  if (schema.nullable !== true) return result;
  return { anyOf: [result, { type: 'null' }] };
}

const KEPT = new Set([
  ...['type', 'format', 'enum', 'required', 'pattern', 'additionalProperties'],
  ...['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems', 'maxProperties', 'minProperties'],
]);
