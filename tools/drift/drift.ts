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
import { type Description, description, resolveRef } from '../service/openapi/description.ts';
import { routes } from '../service/routes.ts';

const packageName = '@neondatabase/api-client';

interface Used {
  method: string;
  /** the path as in the description: `/projects/{project_id}` */
  template: string;
}

/** One line for everything that was removed or changed in these requests, and for everything that they must have now. */
export function driftOf(options: { old: Description; now: Description; used: Used[] }): string[] {
  const { old, now, used } = options;
  return used.flatMap(({ method, template: path }) => {
    const name = `${method} ${path}`;
    const before = operationOf(old, method, path);
    const after = operationOf(now, method, path);
    // Some routes have never been published.
    if (!before) return [];
    if (!after) return [`${name}: removed`];
    return differences(partsOf(old, before), partsOf(now, after)).map((line) => `${name}: ${line}`);
  });
}

/** The path item's own parameters hold for each of its operations. */
function operationOf(root: Description, method: string, path: string): JsonObject | undefined {
  const item = isJsonObject(root.paths) ? root.paths[path] : undefined;
  if (!isJsonObject(item)) return undefined;
  const operation = item[method.toLowerCase()];
  if (!isJsonObject(operation)) return undefined;
  return { ...operation, parameters: [...listOf(item.parameters), ...listOf(operation.parameters)] };
}

interface Part {
  type: string;
  values: string[];
  required: boolean;
}

/** Every parameter and every field of an operation, by where it is: `query limit`, `request branch.name`, `200 branch.id`. */
function partsOf(root: Description, operation: JsonObject): Map<string, Part> {
  const parts = new Map<string, Part>();
  for (const one of listOf(operation.parameters).map((value) => resolveRef(root, value)))
    addParts({ root, parts, at: `${one.in} ${one.name}`, schema: one.schema, required: one.required === true });
  const request = bodyOf(root, operation.requestBody);
  if (request) addParts({ root, parts, at: 'request', schema: request, required: true });
  for (const [status, response] of Object.entries(isJsonObject(operation.responses) ? operation.responses : {})) {
    const body = /^2/.test(status) ? bodyOf(root, response) : undefined;
    if (body) addParts({ root, parts, at: status, schema: body, required: true });
  }
  return parts;
}

function bodyOf(root: Description, value: unknown): unknown {
  const { content } = resolveRef(root, value);
  const json = isJsonObject(content) ? content['application/json'] : undefined;
  return isJsonObject(json) ? json.schema : undefined;
}

function addParts(of: {
  root: Description;
  parts: Map<string, Part>;
  at: string;
  schema: unknown;
  required: boolean;
  inside?: JsonObject[];
}): void {
  const { root, parts, at, required, inside = [] } = of;
  const schema = resolveRef(root, of.schema);
  if (inside.includes(schema)) return;
  const deeper = { root, parts, inside: [...inside, schema] };
  const whole = ['allOf', 'oneOf', 'anyOf'].flatMap((key) => listOf(schema[key]));
  if (whole.length === 0 || schema.type !== undefined)
    parts.set(at, {
      type: [schema.type ?? 'any', schema.format, schema.nullable === true && 'nullable'].filter(Boolean).join(' '),
      values: listOf(schema.enum).map(String),
      required: required || parts.get(at)?.required === true,
    });
  for (const part of whole) addParts({ ...deeper, at, schema: part, required });
  const names = listOf(schema.required);
  for (const [name, property] of Object.entries(isJsonObject(schema.properties) ? schema.properties : {})) {
    const place = at.includes(' ') ? `${at}.${name}` : `${at} ${name}`;
    addParts({ ...deeper, at: place, schema: property, required: names.includes(name) });
  }
  if (schema.items !== undefined) addParts({ ...deeper, at: `${at}[]`, schema: schema.items, required: true });
}

function differences(before: Map<string, Part>, after: Map<string, Part>): string[] {
  const lines: string[] = [];
  for (const [at, old] of before) {
    const now = after.get(at);
    if (!now) {
      // What is in it is gone too.
      const parent = parentOf(at);
      if (!before.has(parent) || after.has(parent)) lines.push(`${at}: removed`);
      continue;
    }
    if (old.type !== now.type) lines.push(`${at}: ${old.type} is now ${now.type}`);
    if (old.required !== now.required) lines.push(`${at}: now ${now.required ? 'required' : 'optional'}`);
    const added = now.values.filter((value) => !old.values.includes(value));
    const removed = old.values.filter((value) => !now.values.includes(value));
    if (added.length > 0) lines.push(`${at}: new value ${added.join(', ')}`);
    if (removed.length > 0) lines.push(`${at}: without value ${removed.join(', ')}`);
  }
  for (const [at, now] of after)
    if (now.required && !before.has(at) && isSent(at, before)) lines.push(`${at}: new, and required`);
  return lines;
}

/** Whether a new part has to be sent: a parameter, or a field of an object that was sent before. */
function isSent(at: string, before: Map<string, Part>): boolean {
  if (!/^\d/.test(at) && !at.startsWith('request')) return true;
  return at.startsWith('request') && before.has(parentOf(at));
}

/** Of `request branch.name` it is `request branch`, of `200 branches[]` it is `200 branches`. */
function parentOf(at: string): string {
  return at.replace(/(\[\]|[. ][^. [\]]+)$/, '');
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

/** Changes that an issue lists: more might not fit. */
const mostListed = 200;

/** The report, with at most `most` changes. */
export function reportOf(lines: string[], version: string, most = lines.length): string {
  if (lines.length === 0) return '';
  const head = `In \`${packageName}\` ${version}, the description of requests that this action sends has changed:`;
  const left = lines.length - most;
  const rest = left > 0 ? [`- ${left} more, which \`npm run drift\` lists`] : [];
  return [head, '', ...lines.slice(0, most).map((line) => `- \`${line}\``), ...rest].join('\n');
}

if (import.meta.main) {
  const { version, description: now } = newest();
  const lines = driftOf({ old: description(), now, used: routes });
  console.log(reportOf(lines, version) || `Nothing that is used here has changed up to ${packageName} ${version}`);
  if (process.env.GITHUB_OUTPUT && lines.length > 0) {
    // longer than any line of the report can be
    const end = 'end-of-report'.repeat(20);
    appendFileSync(process.env.GITHUB_OUTPUT, `report<<${end}\n${reportOf(lines, version, mostListed)}\n${end}\n`);
  }
}
