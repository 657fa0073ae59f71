import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type Fields, isFields } from '../http/body.ts';

/** The service's published OpenAPI 3.0 description, as the npm package `@neondatabase/api-client` ships it. */
export type Description = Fields;

const require = createRequire(import.meta.url);
const PACKAGE = '@neondatabase/api-client';
let loaded: Description | undefined;

/** Read once a process. Parsing the YAML takes 300 ms and its JSON 5, so the JSON is kept among the packages. */
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
    // Not there yet; or not whole, which a new one mends.
  }
  const { parse } = require('yaml') as typeof import('yaml');
  const parsed: unknown = parse(readFileSync(join(folder, 'public-v2-for-users.gen.yaml'), 'utf8'));
  if (!isFields(parsed)) throw new Error(`${PACKAGE}: the description is not an object`);
  try {
    mkdirSync(dirname(cache), { recursive: true });
    const draft = `${cache}.${process.pid}`;
    writeFileSync(draft, JSON.stringify(parsed));
    renameSync(draft, cache);
  } catch {
    // A read-only node_modules costs time, not correctness.
  }
  return parsed;
}

/** What a `$ref` points at; anything else as it is. */
export function resolve(root: Description, value: unknown): Fields {
  let current = value;
  while (isFields(current) && typeof current.$ref === 'string') {
    current = current.$ref
      .slice(2)
      .split('/')
      .reduce<unknown>((node, key) => (isFields(node) ? node[key] : undefined), root);
  }
  return isFields(current) ? current : {};
}

/**
 * A schema of the description as JSON Schema: references put in place, `nullable` said as a type, and every object closed,
 * so that a property which the description does not know is found. Recursion is cut where it begins.
 */
export function closedSchema(root: Description, value: unknown, inside: readonly unknown[] = [], open = false): Fields {
  const schema = resolve(root, value);
  if (inside.includes(schema)) return {};
  const path = [...inside, schema];
  const all = (list: unknown, stayOpen: boolean): Fields[] =>
    Array.isArray(list) ? list.map((one) => closedSchema(root, one, path, stayOpen)) : [];
  const result: Fields = {};
  for (const [key, entry] of Object.entries(schema)) {
    if (key === 'properties' && isFields(entry)) {
      result.properties = Object.fromEntries(
        Object.entries(entry).map(([name, property]) => [name, closedSchema(root, property, path)]),
      );
    } else if (key === 'items') {
      result.items = closedSchema(root, entry, path);
    } else if (key === 'additionalProperties' && isFields(entry)) {
      result.additionalProperties = closedSchema(root, entry, path);
    } else if (key === 'allOf' || key === 'oneOf' || key === 'anyOf') {
      // Each part sees only its own properties, so it is the whole that is closed.
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
