/**
 * Compares the API description that the project was built against with the newest one on the registry: whatever has changed in the
 * requests that the local service, and so the action's tests, know.
 *
 *   npm run drift        prints a report; under GitHub Actions it is the step's output `report`, empty if nothing has changed
 */
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { isJsonObject, type JsonObject } from '../service/http/body.ts';
import type { Route } from '../service/http/router.ts';
import { jsonSchema } from '../service/openapi/check.ts';
import { type Description, description, resolveRef } from '../service/openapi/description.ts';
import { routes } from '../service/routes.ts';

const packageName = '@neondatabase/api-client';

type Used = Pick<Route, 'method' | 'template'>;

/** One line for everything that was removed or changed in these requests, and for everything that they must have now. */
export function driftOf({ old, now, used }: { old: Description; now: Description; used: Used[] }): string[] {
  return used.flatMap(({ method, template: path }) => {
    const name = `${method} ${path}`;
    const before = operationOf(old, method, path);
    const after = operationOf(now, method, path);
    // Some routes have never been published.
    if (!before) return [];
    if (!after) return [`${name}: removed`];
    const [known, found] = [partsOf(old, before), partsOf(now, after)];
    const gone = [...known.keys()].filter((part) => !found.has(part)).map((part) => `without ${part}`);
    const isNews = (part: string) => !known.has(part) && found.get(part) === true;
    const added = [...found.keys()].filter(isNews).map((part) => `now ${part}`);
    return [...gone, ...added].map((line) => `${name}: ${line}`);
  });
}

/** The path item's own parameters hold for each of its operations. */
function operationOf(root: Description, method: string, path: string): JsonObject | undefined {
  const item = resolveRef(root, isJsonObject(root.paths) ? root.paths[path] : undefined);
  const operation = item[method.toLowerCase()];
  if (!isJsonObject(operation)) return undefined;
  return { ...operation, parameters: [...listOf(item.parameters), ...listOf(operation.parameters)] };
}

/**
 * Every parameter, field and value of an operation: `query limit: integer`, `request branch.name: string, required`, `request init: "empty"`.
 * True for what somebody who sends the request, or reads the response, has to know if it is new.
 */
function partsOf(root: Description, operation: JsonObject): Map<string, boolean> {
  const parts = new Map<string, boolean>();
  for (const one of listOf(operation.parameters).map((value) => resolveRef(root, value))) {
    const at = `${one.in} ${one.name}`;
    addParts({ root, parts, at, schema: one.schema, required: one.required === true, sent: true });
  }
  const request = jsonSchema(root, operation.requestBody);
  addParts({ root, parts, at: 'request', schema: request, required: true, sent: true });
  for (const [status, response] of Object.entries(isJsonObject(operation.responses) ? operation.responses : {})) {
    if (!/^2/.test(status)) continue;
    addParts({ root, parts, at: status, schema: jsonSchema(root, response), required: true, sent: false });
  }
  return parts;
}

function addParts(of: {
  root: Description;
  parts: Map<string, boolean>;
  at: string;
  schema: unknown;
  required: boolean;
  /** Whether it is sent, and not returned. */
  sent: boolean;
  inside?: JsonObject[];
}): void {
  const { root, parts, at, required, sent, inside = [] } = of;
  if (of.schema === undefined) return;
  const schema = resolveRef(root, of.schema);
  if (inside.includes(schema)) return;
  const deeper = { root, parts, sent, inside: [...inside, schema] };
  const whole = ['allOf', 'oneOf', 'anyOf'].flatMap((key) => listOf(schema[key]));
  if (whole.length === 0 || schema.type !== undefined) {
    const type = [schema.type ?? 'any', schema.format, schema.nullable === true && 'nullable']
      .filter(Boolean)
      .join(' ');
    parts.set(`${at}: ${type}${required ? ', required' : ''}`, sent && required);
  }
  for (const value of listOf(schema.enum)) parts.set(`${at}: "${value}"`, true);
  for (const part of whole) addParts({ ...deeper, at, schema: part, required });
  const names = listOf(schema.required);
  for (const [name, property] of Object.entries(isJsonObject(schema.properties) ? schema.properties : {})) {
    const place = at.includes(' ') ? `${at}.${name}` : `${at} ${name}`;
    addParts({ ...deeper, at: place, schema: property, required: names.includes(name) });
  }
  if (schema.items !== undefined) addParts({ ...deeper, at: `${at}[]`, schema: schema.items, required: true });
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The newest description, through npm. */
function newest(): { version: string; description: Description } {
  const folder = mkdtempSync(join(tmpdir(), 'drift-'));
  try {
    const npm = (args: string[]) =>
      execFileSync('npm', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
    const [packed] = JSON.parse(npm(['pack', `${packageName}@latest`, '--json'])) as {
      filename: string;
      version: string;
    }[];
    if (!packed) throw new Error(`npm packed nothing for ${packageName}`);
    execFileSync('tar', ['-xzf', packed.filename, 'package/public-v2-for-users.gen.yaml'], { cwd: folder });
    const text = readFileSync(join(folder, 'package/public-v2-for-users.gen.yaml'), 'utf8');
    return { version: packed.version, description: parse(text) as Description };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Changes that are listed: more might not fit into an issue. */
const mostListed = 200;

export function reportOf(lines: string[], version: string): string {
  if (lines.length === 0) return '';
  const head = `In \`${packageName}\` ${version}, the description of requests that this action sends has changed in ${lines.length} places:`;
  return [head, '', ...lines.slice(0, mostListed).map((line) => `- \`${line}\``)].join('\n');
}

if (import.meta.main) {
  const { version, description: now } = newest();
  const lines = driftOf({ old: description(), now, used: routes });
  console.log(reportOf(lines, version) || `Nothing that is used here has changed up to ${packageName} ${version}`);
  if (process.env.GITHUB_OUTPUT && lines.length > 0) {
    // longer than any line of the report can be
    const end = 'end-of-report'.repeat(20);
    appendFileSync(process.env.GITHUB_OUTPUT, `report<<${end}\n${reportOf(lines, version)}\n${end}\n`);
  }
}
